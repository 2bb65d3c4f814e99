"""``evomask graph`` as a user meets it."""

import json
from collections import Counter

import pytest

from evomask_graphs.graph_files import (
    GraphSource,
    graph_to_networkx,
    read_graph,
    read_rows,
    write_graph,
)
from evomask_graphs.neighbourhoods import smallest_neighbourhood_class
from tests.graphs.examples import CITIES, graph_of, random_graph


@pytest.fixture
def graph_file(tmp_path):
    path = tmp_path / "graph.graphml"
    write_graph(random_graph(40, 70), path)
    return path


def profiles_in(path):
    nodes = graph_to_networkx(read_graph(GraphSource(path))).nodes(data=True)
    return Counter(tuple(sorted(said.items())) for _, said in nodes)


@pytest.mark.parametrize("protector", ["search", "random"])
@pytest.mark.parametrize("name", ["masked.graphml", "masked.gexf", "masked"])
def test_protect_writes_profiles_shared_by_k_nodes(evomask, graph_file, tmp_path, name, protector):
    words = ["-k", 4, "--out", tmp_path / name, "--protector", protector, "--json"]
    answer = evomask("graph", "protect", graph_file, *words)
    found = json.loads(answer.out)
    assert min(profiles_in(tmp_path / name).values()) >= 4
    assert found["smallest"] >= 4
    assert 0 <= found["risk"] <= 100
    assert 0 < found["loss"] <= 100


def test_no_original_name_reaches_the_released_graph(evomask, graph_file, tmp_path):
    evomask("graph", "protect", graph_file, "-k", 3, "--out", tmp_path / "masked.graphml")
    assert "user" not in (tmp_path / "masked.graphml").read_text(encoding="utf-8")


def test_measure_with_the_key_reads_what_protect_said(evomask, graph_file, tmp_path):
    masked, key = tmp_path / "masked.gexf", tmp_path / "key.csv"
    words = ["-k", 3, "--out", masked, "--key", key, "--json"]
    said = json.loads(evomask("graph", "protect", graph_file, *words).out)
    answer = evomask("graph", "measure", graph_file, masked, "--key", key, "--json")
    found = json.loads(answer.out)
    assert {name: said[name] for name in found} == found


def test_measure_without_the_key_is_refused(evomask, graph_file, tmp_path):
    evomask("graph", "protect", graph_file, "-k", 3, "--out", tmp_path / "masked.gexf")
    answer = evomask("graph", "measure", graph_file, tmp_path / "masked.gexf")
    assert answer.code == 1
    assert "--key" in answer.err


def test_edges_gives_every_degree_to_k_nodes(evomask, graph_file, tmp_path):
    words = ["-k", 5, "--edges", "--out", tmp_path / "masked.graphml"]
    assert evomask("graph", "protect", graph_file, *words).code == 0
    degrees = read_graph(GraphSource(tmp_path / "masked.graphml")).degrees
    assert min(Counter(degrees.tolist()).values()) >= 5


def test_the_same_seed_gives_the_same_graph_in_an_order_of_its_own(evomask, graph_file, tmp_path):
    found = []
    for name in "ab":
        key = tmp_path / f"{name}.csv"
        words = ["-k", 3, "--out", tmp_path / f"{name}.graphml", "--seed", 7, "--key", key]
        assert "for tests only" in evomask("graph", "protect", graph_file, *words).err
        graph = read_graph(GraphSource(tmp_path / f"{name}.graphml"))
        originals = dict(line.split(",")[::-1] for line in key.read_text().splitlines()[1:])
        found.append(
            {
                "order": [originals[node] for node in graph.names],
                "profiles": dict(
                    zip((originals[node] for node in graph.names), rows_of(graph), strict=True)
                ),
            }
        )
    assert found[0]["profiles"] == found[1]["profiles"]
    assert found[0]["order"] != found[1]["order"]


def rows_of(graph):
    """The profiles of the nodes, one after the other."""
    return list(
        zip(*(graph.nodes[name].tolist() for name in graph.nodes.schema.names), strict=True)
    )


def test_records_of_a_graph_have_an_order_that_no_seed_tells(evomask, graph_file, tmp_path):
    for name in "ab":
        words = ["-k", 3, "--out", tmp_path / f"{name}.csv", "--seed", 7]
        assert evomask("graph", "extract", graph_file, *words).code == 0
    first, second = ((tmp_path / f"{name}.csv").read_text().splitlines() for name in "ab")
    assert sorted(first) == sorted(second)
    assert first != second


def test_extract_writes_records_shared_by_k_with_their_degree(evomask, graph_file, tmp_path):
    words = ["-k", 4, "--out", tmp_path / "people.csv", "--json"]
    found = json.loads(evomask("graph", "extract", graph_file, *words).out)
    header, *rows = (tmp_path / "people.csv").read_text(encoding="utf-8").splitlines()
    assert header.startswith("degree,")
    assert min(Counter(rows).values()) >= 4
    assert found["smallest"] >= 4


def extracted_of_release(evomask, graph_file, tmp_path, *words):
    masked, key = tmp_path / "masked.gexf", tmp_path / "key.csv"
    evomask("graph", "protect", graph_file, "-k", 4, "--out", masked, "--key", key, "--seed", 1)
    out = ["-k", 4, "--out", tmp_path / "people.csv", "--seed", 2, "--force"]
    return evomask("graph", "extract", masked, *out, *words)


def test_extract_is_measured_against_the_original_of_a_release(evomask, graph_file, tmp_path):
    alone = json.loads(extracted_of_release(evomask, graph_file, tmp_path, "--json").out)
    words = ["--original", graph_file, "--key", tmp_path / "key.csv"]
    found = json.loads(extracted_of_release(evomask, graph_file, tmp_path, *words, "--json").out)
    assert alone["against"] == str(tmp_path / "masked.gexf")
    assert found["against"] == str(graph_file)
    assert found["loss"] > alone["loss"]
    assert found["risk"] < alone["risk"]
    said = extracted_of_release(evomask, graph_file, tmp_path, *words).out
    assert f"against {graph_file}, by evomask's own measures" in " ".join(said.split())


def test_extract_needs_the_key_to_know_which_node_became_which(evomask, graph_file, tmp_path):
    answer = extracted_of_release(evomask, graph_file, tmp_path, "--original", graph_file)
    assert answer.code == 1
    assert "give the key" in answer.err
    assert not (tmp_path / "people.csv").exists()


def test_extract_takes_no_key_without_an_original(evomask, graph_file, tmp_path):
    answer = extracted_of_release(evomask, graph_file, tmp_path, "--key", tmp_path / "key.csv")
    assert answer.code == 1
    assert "--key requires --original" in answer.err


def test_study_says_whose_measures_those_of_microdata_are(evomask, graph_file, tmp_path):
    words = ["--ks", "2", "--runs", 1, "--out", tmp_path / "figures"]
    said = evomask("graph", "study", graph_file, *words).out
    assert "by evomask's own measures" in " ".join(said.split())


def test_study_draws_loss_and_risk_by_k_and_the_graph(evomask, graph_file, tmp_path):
    words = ["--ks", "2,5", "--runs", 2, "--out", tmp_path / "figures", "--json"]
    found = json.loads(evomask("graph", "study", graph_file, *words).out)
    assert [row["k"] for row in found["rows"]] == [2, 5]
    drawn = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert drawn == {
        "graph-loss", "graph-risk", "graph-microdata", "graph-before", "graph-after",
    }  # fmt: skip


@pytest.mark.parametrize("k", [1, 41, 0])
def test_a_k_that_cannot_be_writes_nothing(evomask, graph_file, tmp_path, k):
    answer = evomask("graph", "protect", graph_file, "-k", k, "--out", tmp_path / "masked.gexf")
    assert answer.code == 1
    assert "k must" in answer.err
    assert not (tmp_path / "masked.gexf").exists()


@pytest.mark.parametrize(
    ("places", "topics", "edges"),
    [
        ([CITIES[0], CITIES[3]], [("a", "b", "c"), ("d", "", "")], [[0, 1]]),
        ([CITIES[6], CITIES[6]], [("", "", ""), ("", "", "")], []),
        ([CITIES[0]] * 3, [("a", "b", "c")] * 3, [[0, 0], [1, 1], [0, 1]]),
        ([CITIES[0]] * 6, [("a", "", "")] * 6, [[0, 1], [2, 3]]),
    ],
    ids=["two nodes", "nothing known", "loops", "several components"],
)
def test_odd_graphs_are_protected(evomask, tmp_path, places, topics, edges):
    write_graph(graph_of(places, topics, edges), tmp_path / "graph")
    words = ["-k", 2, "--out", tmp_path / "masked", "--edges", "--json"]
    answer = evomask("graph", "protect", tmp_path / "graph", *words)
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["smallest"] >= 2


def test_a_graph_without_profiles_says_how_to_name_them(evomask, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n", encoding="utf-8")
    words = ["-k", 2, "--out", tmp_path / "masked"]
    answer = evomask("graph", "protect", tmp_path / "edges.csv", *words)
    assert answer.code == 1
    assert "--location" in answer.err


def test_an_unknown_protector_names_those_there_are(evomask, graph_file, tmp_path):
    words = ["-k", 2, "--out", tmp_path / "masked", "--protector", "magic"]
    answer = evomask("graph", "protect", graph_file, *words)
    assert "search, random" in answer.err


def test_attributes_that_are_no_profile_are_left_out_and_named(evomask, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n", encoding="utf-8")
    (tmp_path / "nodes.csv").write_text("node,topic1,diary\na,x,q1\nb,y,q2\n", encoding="utf-8")
    answer = evomask("graph", "protect", tmp_path, "-k", 2, "--out", tmp_path / "masked")
    assert "diary" in answer.err
    assert "q1" not in (tmp_path / "masked" / "nodes.csv").read_text(encoding="utf-8")


def test_crawl_builds_a_graph_from_json_lines(evomask, tmp_path):
    users = [
        {"id": "ann", "location": "Lyon, France", "following": ["bob", "cy", "gone"],
         "posts": ["The team won the football match", "goal in the league"]},
        {"id": "bob", "location": "Nowhereville", "following": ["ann"], "posts": ["election vote"]},
        {"id": "cy", "posts": []},
    ]  # fmt: skip
    (tmp_path / "people").mkdir()
    text = "\n".join(json.dumps(user) for user in users)
    (tmp_path / "people" / "users.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "places.csv").write_text(
        "city,admin1,country,continent,population\nLyon,,France,Europe,500000\n", encoding="utf-8"
    )
    words = [
        "--start",
        "ann",
        "--places",
        tmp_path / "places.csv",
        "--out",
        tmp_path / "g",
        "--json",
    ]
    found = json.loads(evomask("graph", "crawl", tmp_path / "people", *words).out)
    assert (found["users"], found["hidden"], found["unknown_places"]) == (3, 1, 1)
    nodes = dict(
        graph_to_networkx(read_graph(GraphSource(tmp_path / "g", directed=True))).nodes(data=True)
    )
    assert nodes["ann"] == {
        "city": "Lyon", "country": "France", "continent": "Europe", "topic1": "Sports",
    }  # fmt: skip


@pytest.fixture
def crawled(evomask, tmp_path):
    """Crawl three people who write German, and who name places that are ambiguous or unknown."""
    users = [
        {"id": "ann", "location": "Springfield", "following": ["bob", "cy"],
         "posts": ["Der Torwart hält den Elfmeter", "Die Biene und ihr Honig"]},
        {"id": "bob", "location": "Narnia", "posts": ["Regen und Schnee"]},
        {"id": "cy", "location": "Soho", "posts": ["Biene, Biene"]},
    ]  # fmt: skip
    (tmp_path / "people").mkdir()
    text = "\n".join(json.dumps(user) for user in users)
    (tmp_path / "people" / "users.jsonl").write_text(text, encoding="utf-8")
    rows = [
        "neighborhood,city,admin1,country,continent,population",
        ",Springfield,Missouri,United States,North America,167000",
        ",Springfield,Massachusetts,United States,North America,153000",
        "Soho,London,England,United Kingdom,Europe,10000",
    ]
    (tmp_path / "places.csv").write_text("\n".join(rows), encoding="utf-8")

    def crawl(*words):
        answer = evomask(
            "graph", "crawl", tmp_path / "people", "--start", "ann", "--seed", 1, "--places",
            tmp_path / "places.csv", "--out", tmp_path / "g", "--json", "--force", *words,
        )  # fmt: skip
        assert answer.code == 0, answer.err
        graph = read_graph(GraphSource(tmp_path / "g", directed=True))
        return json.loads(answer.out), dict(graph_to_networkx(graph).nodes(data=True))

    return crawl


def test_a_crawl_reports_places_it_does_not_know_and_those_it_could_confuse(crawled, tmp_path):
    found, nodes = crawled("--place-report", tmp_path / "report.csv")
    assert (found["unknown_places"], found["ambiguous_places"]) == (1, 1)
    rows = {row["text"]: row for row in read_rows(tmp_path / "report.csv")}
    assert rows["Springfield"]["status"] == "ambiguous"
    assert "Massachusetts" in rows["Springfield"]["others"]
    assert rows["Narnia"]["status"] == "unknown"
    assert nodes["cy"]["neighborhood"] == "Soho"
    assert nodes["cy"]["city"] == "London"


def test_topics_are_found_by_words_of_other_languages_or_ones_own(crawled, tmp_path):
    _, english = crawled()
    assert {node.get("topic1") for node in english.values()} == {"Other"}
    _, german = crawled("--languages", "en,de")
    assert (german["ann"]["topic1"], german["bob"]["topic1"]) == ("Sports", "Weather")
    (tmp_path / "words.csv").write_text("topic,word\nBees,Biene*\nBees,Honig\n", "utf-8")
    _, own = crawled("--words", tmp_path / "words.csv")
    assert (own["ann"]["topic1"], own["bob"]["topic1"]) == ("Bees", "Other")


def test_places_looked_up_are_noted_and_reported(evomask, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\nc,d\n", "utf-8")
    (tmp_path / "nodes.csv").write_text(
        "node,location\na,Springfield\nb,Lyon\nc,Narnia\nd,Springfield\n", "utf-8"
    )
    report = tmp_path / "report.csv"
    words = ("-k", 2, "--out", tmp_path / "m", "--place-report", report, "--seed", 1)
    answer = evomask(
        "graph", "protect", tmp_path / "edges.csv", "--nodes", tmp_path / "nodes.csv", *words
    )
    assert answer.code == 0, answer.err
    assert "1 of 4 nodes have an unknown place, 2 a name that several places share" in answer.err
    assert [row["text"] for row in read_rows(report)] == ["Springfield", "Narnia", "Lyon"]


def test_without_free_text_there_are_no_places_to_report(evomask, graph_file, tmp_path):
    words = ("-k", 3, "--out", tmp_path / "m.gexf", "--place-report", tmp_path / "r.csv")
    answer = evomask("graph", "protect", graph_file, *words)
    assert answer.code == 1
    assert "no place was looked up, so there is nothing to report" in answer.err


def test_people_found_by_their_neighbours_are_measured(evomask, graph_file, tmp_path):
    words = ("-k", 4, "--out", tmp_path / "m.gexf", "--json")
    found = json.loads(evomask("graph", "protect", graph_file, *words).out)
    assert found["linkage"]["own profile"] <= 25
    assert 0 <= found["structure"]["unique_with_profiles"] <= 40


def test_neighbourhoods_are_shared_by_k_nodes(evomask, graph_file, tmp_path):
    words = ["-k", 3, "--neighbourhoods", "--out", tmp_path / "masked.graphml", "--seed", 1]
    assert evomask("graph", "protect", graph_file, *words).code == 0
    masked = read_graph(GraphSource(tmp_path / "masked.graphml"))
    assert smallest_neighbourhood_class(masked) >= 3


def test_clusters_are_written_as_supernodes(evomask, graph_file, tmp_path):
    words = ["-k", 4, "--out", tmp_path / "masked.gexf", "--supernodes", tmp_path / "super"]
    said = json.loads(evomask("graph", "protect", graph_file, *words, "--json").out)
    people = [int(row["people"]) for row in read_rows(tmp_path / "super" / "nodes.csv")]
    assert sum(people) == 40
    assert min(people) == said["smallest"] >= 4
    assert 0 < said["supernode_loss"] <= 100


def test_supernodes_need_a_folder_of_their_own(evomask, graph_file, tmp_path):
    words = ["-k", 4, "--out", tmp_path / "masked", "--supernodes", tmp_path / "masked"]
    answer = evomask("graph", "protect", graph_file, *words)
    assert answer.code == 1
    assert "choose another one" in answer.err


def test_intruders_who_know_neighbours_alone_are_an_option(evomask, graph_file, tmp_path):
    masked, key = tmp_path / "masked.gexf", tmp_path / "key.csv"
    evomask("graph", "protect", graph_file, "-k", 2, "--out", masked, "--key", key, "--seed", 1)
    words = ("graph", "measure", graph_file, masked, "--key", key, "--json")
    own = json.loads(evomask(*words).out)["risks"]
    less = json.loads(evomask(*words, "--neighbours-alone").out)["risks"]
    assert all(less[kind] >= own[kind] for kind in own)
    assert less != own
