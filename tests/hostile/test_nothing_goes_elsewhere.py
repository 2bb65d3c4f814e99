"""Nothing is written onto an input, behind a link, or where the column name like a path."""

import os
from pathlib import Path

import pytest

from evomask.data.chart import Axis, Chart, Series
from evomask.runs.figures import write_charts

GRAPH = {
    "nodes.csv": "node,location,topic1\na,Vienna,music\nb,Vienna,music\nc,Rome,art\nd,Rome,art\n",
    "edges.csv": "source,target\na,b\nc,d\n",
}
SCHEMA = '[attributes.age]\nrole = "quasi-identifier"\nkind = "ordinal"\nhierarchy = "trees.csv"\n'


def same(path):
    return path


def hard_link(path):
    link = path.with_name(f"hard{path.suffix}")
    os.link(path, link)
    return link


def soft_link(path):
    link = path.with_name(f"soft{path.suffix}")
    link.symlink_to(path)
    return link


def roundabout(path):
    (path.parent / "aside").mkdir()
    return path.parent / "aside" / ".." / path.name


BY = pytest.mark.parametrize("by", [same, hard_link, soft_link, roundabout])


def refuses(answer, path, content):
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert "nothing is written onto an input" in answer.err
    assert path.read_bytes() == content


@BY
@pytest.mark.parametrize(
    "words",
    [
        ("mask", "-k", 3, "--quiet", "--force"),
        ("search", "partition", "-k", 3, "--evaluations", 1, "--quiet", "--force"),
        ("init", "--quiet", "--force"),
    ],
    ids=["mask", "search", "init"],
)
def test_no_command_writes_onto_its_data(evomask, people, by, words):
    content, out = people.read_bytes(), by(people)
    verbs = 2 if words[0] == "search" else 1
    answer = evomask(*words[:verbs], people, *words[verbs:], "--out", out)
    refuses(answer, people, content)


def test_a_resumed_search_does_not_either(evomask, people, tmp_path):
    content, run = people.read_bytes(), tmp_path / "run"
    words = ("-k", 3, "--evaluations", 1, "--quiet", "--out", tmp_path / "masked.csv")
    assert evomask("search", "partition", people, *words, "--run", run).code == 0
    plan = (run / "plan.toml").read_text()
    (run / "plan.toml").write_text(plan.replace("masked.csv", "people.csv"))
    refuses(evomask("resume", run, "--quiet"), people, content)


@pytest.mark.parametrize("name", ["schema.toml.csv", "trees.csv"])
def test_a_schema_and_its_trees_are_inputs_too(evomask, people, tmp_path, name):
    (tmp_path / "schema.toml.csv").write_text(SCHEMA)
    (tmp_path / "trees.csv").write_text("".join(f"{age};*\n" for age in range(20, 27)))
    content = (tmp_path / name).read_bytes()
    words = ("--schema", tmp_path / "schema.toml.csv", "--quiet", "--force", "-m", "mdav", "-k", 3)
    answer = evomask("mask", people, *words, "--out", tmp_path / name)
    refuses(answer, tmp_path / name, content)


@pytest.fixture
def graph(tmp_path):
    folder = tmp_path / "graph"
    folder.mkdir()
    for name, text in GRAPH.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("verb", ["protect", "extract"])
@pytest.mark.parametrize("name", GRAPH)
def test_no_command_writes_onto_the_tables_of_a_graph(evomask, graph, verb, name):
    out = graph if verb == "protect" else graph / name
    content = (graph / name).read_bytes()
    answer = evomask("graph", verb, graph, "-k", 2, "--quiet", "--force", "--out", out)
    refuses(answer, graph / name, content)


def test_a_key_is_written_neither_onto_the_graph_nor_onto_its_tables(evomask, graph, tmp_path):
    words = ("graph", "protect", graph, "-k", 2, "--quiet", "--force")
    out = tmp_path / "out.graphml"
    answer = evomask(*words, "--out", out, "--key", out)
    assert "cannot be one file" in answer.err
    content = (graph / "nodes.csv").read_bytes()
    answer = evomask(*words, "--out", out, "--key", graph / "nodes.csv")
    refuses(answer, graph / "nodes.csv", content)
    assert not out.exists()


def test_columns_called_like_paths_name_no_file(evomask, tmp_path):
    victim = tmp_path / "victim.csv"
    victim.write_text("mine")
    names = ["../victim", str(victim)[:-4]]
    rows = "\n".join(f"{i % 3},{i % 4}" for i in range(40))
    (tmp_path / "bad.csv").write_text(f"{','.join(names)}\n{rows}\n")
    words = ("--nominal", ",".join(names), "--quasi", ",".join(names), "--seed", 1, "--quiet")
    found = tmp_path / "found"
    search = ("search", "pram", tmp_path / "bad.csv", *words, "--evaluations", 2, "--population", 2)
    answer = evomask(*search, "--matrices", found, "--figures", tmp_path / "figures")
    assert answer.code == 0, answer.err
    assert victim.read_text() == "mine"
    assert sorted(path.name for path in found.glob("*.csv")) == ["matrix-1.csv", "matrix-2.csv"]
    out = tmp_path / "masked.csv"
    method = ("-m", "matrix-pram", "--matrices", found, "--out", out)
    assert evomask("mask", tmp_path / "bad.csv", *words, *method).code == 0
    assert set(tmp_path.iterdir()) >= {out, victim}
    assert not list(tmp_path.parent.glob("*.csv"))


def test_charts_called_like_paths_are_numbered(tmp_path):
    points = (Series("s", "line", (1.0, 2.0), (3.0, 4.0)),)
    chart = Chart("../../x", "title", "reading", Axis("x"), Axis("y"), points)
    assert write_charts([chart], tmp_path / "a") == [str(tmp_path / "a" / "chart-1.svg")]


def test_matrices_are_not_written_onto_an_input(evomask, tmp_path):
    folder = tmp_path / "found"
    folder.mkdir()
    path = folder / "matrix-1.csv"
    path.write_text("a\n" + "\n".join("xyz"[i % 3] for i in range(30)) + "\n")
    content = path.read_bytes()
    words = ("--quasi", "a", "--evaluations", 2, "--population", 2, "--matrices", folder, "--quiet")
    refuses(evomask("search", "pram", path, *words), path, content)


LINKED = ["masked", ".lock", "journal.jsonl", "plan.toml", "front.parquet", "stop", "new"]


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("verb", ["resume", "choose"])
def test_a_run_folder_with_a_link_in_it_is_not_opened(evomask, protection, tmp_path, verb, name):
    place, victim = protection / name, tmp_path / "victim"
    if place.is_dir():
        place.rename(victim)
    else:
        victim.write_bytes(place.read_bytes() if place.exists() else b"mine")
        place.unlink(missing_ok=True)
    place.symlink_to(victim)
    before = contents(victim)
    answer = evomask(verb, protection, "--quiet")
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert "is a link, and a run folder must not contain links" in answer.err
    assert contents(victim) == before


def contents(path: Path):
    files = [path] if path.is_file() else sorted(path.iterdir())
    return [file.read_bytes() for file in files]


@pytest.mark.parametrize("verb", ["resume", "choose"])
def test_a_link_to_a_run_folder_is_not_followed(evomask, protection, tmp_path, verb):
    (tmp_path / "latest").symlink_to(protection)
    answer = evomask(verb, tmp_path / "latest", "--quiet")
    assert (answer.code, "give the folder that it points to" in answer.err) == (1, True)


def test_a_new_run_does_not_begin_behind_a_link(evomask, people, tmp_path):
    (tmp_path / "target").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "target")
    answer = evomask("protect", people, "--quasi", "age", "--quiet", "--out", tmp_path / "out")
    assert (answer.code, "is a link" in answer.err) == (1, True)
    assert not list((tmp_path / "target").iterdir())


def test_a_hidden_link_in_an_empty_folder_is_seen(evomask, people, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / ".lock").symlink_to(people)
    content = people.read_bytes()
    answer = evomask("protect", people, "--quasi", "age", "--quiet", "--out", out)
    assert (answer.code, "is a link" in answer.err) == (1, True)
    assert people.read_bytes() == content
