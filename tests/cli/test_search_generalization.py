"""``evomask search generalization`` and ``evomask reproduce``."""

import json

import polars as pl
import pytest

TREES = {
    "age": [f"{age};{age // 2 * 2}-{age // 2 * 2 + 1};*" for age in range(20, 27)],
    "region": ["n;north;*", "s;south;*", "w;south;*"],
}


@pytest.fixture
def trees(tmp_path):
    folder = tmp_path / "trees"
    folder.mkdir()
    for name, lines in TREES.items():
        (folder / f"people_hierarchy_{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def search(evomask, people, trees):
    def call(*more):
        data = ("--quasi", "age,region", "--hierarchies", trees, "--seed", 3, "--json", "--quiet")
        return evomask("search", "generalization", people, *data, *more)

    return call


def test_json_has_the_keys_promised(search):
    found = json.loads(search("--objectives", "k,glm", "--suppression", 10).out)
    assert {"front", "nodes_evaluated", "lattice", "seconds"} <= found.keys()
    assert found["lattice"] == 9
    assert {"point", "search", "k", "glm", "suppressed"} <= found["front"][0].keys()


@pytest.mark.parametrize("how", [("--exhaustive",), ("--algorithm", "pbg-ea"), ()])
def test_a_comparison_adds_both_measures(search, how):
    found = json.loads(search("--compare", *how).out)
    assert found["rr"] == 1.0
    assert found["ce"] == pytest.approx(0.0, abs=1e-9)


def test_every_point_that_can_be_picked_is_listed_for_people(evomask, people, trees):
    words = ("--quasi", "age,region", "--hierarchies", trees, "--exhaustive", "--quiet")
    told = evomask("search", "generalization", people, *words).out.splitlines()
    points = [line for line in told if line.startswith("point ")]
    assert told[0].startswith(f"generalization: {len(points)} points")
    assert points[0].startswith("point 1: k 20, glm 40, suppressed 0, level age 2, level region 2")


def test_nodes_can_be_compared_with_one_of_them(search):
    found = json.loads(search("--objectives", "cover,glm", "--against", "1,1", "--exhaustive").out)
    assert max(point["cover"] for point in found["front"]) == 20
    found = json.loads(search("--objectives", "cover,glm", "--against", "1,1", "--compare").out)
    assert found["rr"] == 1.0
    assert "needs against" in search("--objectives", "gain,glm").err


def test_exhaustive_search_reads_every_node(search):
    assert json.loads(search("--exhaustive").out)["nodes_evaluated"] == 9


def test_a_picked_point_is_written_with_its_k(search, tmp_path):
    out = tmp_path / "masked.csv"
    found = json.loads(search("--suppression", 10, "--point", 2, "--out", out).out)
    sizes = pl.read_csv(out).group_by("age", "region").len()["len"]
    assert sizes.min() == found["front"][1]["k"]
    assert sizes.sum() == 20 - found["front"][1]["suppressed"]


def test_local_recoding_writes_groups_of_k(search, tmp_path):
    out = tmp_path / "masked.csv"
    found = json.loads(search("--local", "-k", "4", "--out", out).out)
    sizes = pl.read_csv(out, infer_schema=False).group_by("age", "region").len()["len"]
    assert sizes.min() >= 4
    assert sizes.sum() == 20
    assert found["front"][0]["granularity"] > 0


def test_a_run_is_resumed_to_the_same_front(search, evomask, tmp_path):
    folder = tmp_path / "run"
    found = json.loads(search("--run", folder, "--generations", 3).out)
    again = json.loads(evomask("resume", folder, "--json", "--quiet").out)
    assert again["front"] == found["front"]


@pytest.mark.parametrize("algorithm", ["pbg-ea", "guided", "exhaustive"])
def test_a_resumed_run_knows_all_nodes_that_were_read(search, evomask, tmp_path, algorithm):
    folder = tmp_path / "run"
    words = ("--algorithm", algorithm, "--compare", "--run", folder, "--generations", 3)
    found = json.loads(search(*words).out)
    again = json.loads(evomask("resume", folder, "--json", "--quiet").out)
    for key in ("nodes_evaluated", "ce", "rr"):
        assert again[key] == found[key]


def test_the_lattice_is_drawn_with_the_front(search, tmp_path):
    found = json.loads(search("--exhaustive", "--figures", tmp_path / "figures").out)
    assert found["figures"] == [str(tmp_path / "figures" / "lattice.svg")]
    assert b"</svg>" in (tmp_path / "figures" / "lattice.svg").read_bytes()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--suppression", 100), "suppression must"),
        (("--objectives", "k,zz"), "no objective is called"),
        (("--objectives", "l"), "needs a sensitive attribute"),
        (("--boxes", "1"), "each of 2 objectives"),
        (("--objectives", "cm"), "needs a label"),
        (("--attributes", "nobody"), "no attribute 'nobody'"),
        (("--local", "-k", "1"), "evomask: k must be at least 2"),
        (("--local", "-k", "5000"), "evomask: k must not exceed"),
        (("--pick", "99"), "no point 99"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(search, more, message):
    answer = search(*more)
    assert answer.code == 1
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_a_quasi_identifier_without_a_tree_is_named(evomask, people, trees):
    answer = evomask("search", "generalization", people, "--hierarchies", trees, "--quiet")
    assert answer.code == 1
    assert "'income'" in answer.err


def test_only_the_attributes_named_are_generalized(evomask, people, trees, tmp_path):
    words = ("--hierarchies", trees, "--attributes", "region", "--exhaustive", "--json")
    out = tmp_path / "masked.csv"
    answer = evomask("search", "generalization", people, *words, "--quiet", "--out", out)
    assert json.loads(answer.out)["lattice"] == 3
    assert pl.read_csv(out)["age"].to_list() == pl.read_csv(people)["age"].to_list()


def test_reproductions_are_listed(evomask):
    assert "generalization-table-1b" in evomask("reproduce", "--list").out


def test_an_unknown_reproduction_is_one_sentence(evomask):
    answer = evomask("reproduce", "nothing")
    assert answer.code == 1
    assert "no reproduction" in answer.err
