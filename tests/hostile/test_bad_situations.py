"""Every bad situation of docs/reliability.md: one sentence, and nothing half-written."""

import hashlib
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import pytest

from tests.hostile.conftest import PEOPLE
from tests.hostile.further import FURTHER
from tests.hostile.situations import HELD, SITUATIONS, crawl

ALL = [*SITUATIONS, *FURTHER]
DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


NOTHING_RELEASED = 3
"""Exit code of a run whose front is shown because no point meets the limits."""


@pytest.mark.parametrize("situation", ALL, ids=lambda situation: situation.title)
def test_a_bad_situation_gets_one_sentence(
    evomask, people, tmp_path, situation, once_protected, monkeypatch
):
    if situation.run:
        shutil.copytree(once_protected, tmp_path / "release")
        move_data(tmp_path / "release", once_protected.parent / "people.csv", people)
    words = situation.words(tmp_path)
    before = contents(tmp_path)
    answer = evomask(*words, *(() if "--explain" in words else ("--quiet",)))
    while HELD:
        HELD.pop().close()
    assert answer.code == situation.code, answer.err
    assert situation.gets in (answer.out if situation.code == NOTHING_RELEASED else answer.err)
    assert "Traceback" not in answer.err
    if situation.code == 1:
        assert answer.err.count("\n") == 1
        assert answer.err.startswith("evomask: ")
        assert not changed_files(before, contents(tmp_path))


def move_data(run, before, now):
    """Let plan and log of a run say that its data are elsewhere, as if it had begun there."""
    plan = (run / "plan.toml").read_text().replace(str(before), str(now))
    (run / "plan.toml").write_text(plan)
    entry = json.loads((run / "log.jsonl").read_text())
    entry["files"]["plan.toml"] = hashlib.sha256(plan.encode()).hexdigest()
    (run / "log.jsonl").write_text(json.dumps(entry) + "\n")


def changed_files(before, after):
    """Files that are new, gone or different; a journal may tell of a failure, a lock is empty."""
    names = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    return {path for path in names if path.name not in ("journal.jsonl", ".lock", "crawl.jsonl")}


def test_the_documentation_lists_the_same_situations():
    rows = [line.split("|") for line in DOCUMENT.read_text().splitlines() if line.startswith("| ")]
    listed = {row[1].strip(): row[2].strip() for row in rows}
    assert f"{len(ALL)} situations" in DOCUMENT.read_text()
    for situation in ALL:
        assert situation.title in listed, situation.title
        assert situation.gets.replace("|", "") in listed[situation.title] or situation.code == 0


@pytest.fixture
def full_disk():
    """A disk that takes so many bytes of a file, and no more."""
    before = getrlimit(RLIMIT_FSIZE)

    def fill(most):
        setrlimit(RLIMIT_FSIZE, (most, before[1]))

    yield fill
    setrlimit(RLIMIT_FSIZE, before)


USER = '{"id": "ann", "following": ["bob"]}\n{"id": "bob"}\n'
WRITING = {
    "mask": lambda f: ("mask", f / "people.csv", "-k", 3, "--out", f / "out.csv"),
    "mask as Parquet": lambda f: ("mask", f / "people.csv", "-k", 3, "--out", f / "o.parquet"),
    "mask as a workbook": lambda f: ("mask", f / "people.csv", "-k", 3, "--out", f / "out.xlsx"),
    "mask as gzip": lambda f: ("mask", f / "people.csv", "-k", 3, "--out", f / "out.csv.gz"),
    "hierarchy": lambda f: ("hierarchy", f / "people.csv", "income", "--out", f / "tree.csv"),
    "mask as SPSS": lambda f: ("mask", f / "people.csv", "-k", 3, "--out", f / "out.sav"),
    "mask as Stata": lambda f: ("mask", f / "people.csv", "-k", 3, "--out", f / "out.dta"),
    "init": lambda f: ("init", f / "people.csv", "--out", f / "schema.toml"),
    "crawl": crawl(USER),
    "crawl with a journal": crawl(USER, "--run", "@kept", "--seed", 1),
    "report": lambda f: ("report", f / "release"),
    "choose": lambda f: ("choose", f / "release"),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk_is_one_sentence_and_nothing_is_half_written(
    evomask, people, protection, tmp_path, full_disk, name
):
    words = WRITING[name](tmp_path)
    before = contents(tmp_path)
    full_disk(70 if name != "crawl with a journal" else 60)
    answer = evomask(*words, "--quiet")
    full_disk(-1)
    assert (answer.code, answer.err.count("\n")) == (1, 1), answer.err
    assert "too large" in answer.err.lower() or "full" in answer.err
    assert not changed_files(before, contents(tmp_path))


def test_a_protection_on_a_full_disk_keeps_no_half_written_file(
    evomask, people, tmp_path, full_disk
):
    words = ("--evaluations", 2, "--searches", "recipes", "--quasi", "age,income", "--seed", 1)
    full_disk(1500)
    answer = evomask("protect", people, *words, "--out", tmp_path / "new", "--quiet")
    full_disk(-1)
    assert (answer.code, answer.err.count("\n")) == (1, 1), answer.err
    left = {path.name for path in (tmp_path / "new").rglob("*") if path.is_file()}
    assert left <= {"plan.toml", "journal.jsonl", ".lock"}
    assert all(
        line.endswith("}") for line in (tmp_path / "new/journal.jsonl").read_text().splitlines()
    )
    again = evomask("resume", tmp_path / "new", "--quiet")
    assert again.code == 0, again.err


@pytest.mark.parametrize("words", [("--json",), ()])
def test_an_answer_that_cannot_be_printed_is_one_sentence(words):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "evomask", "measure", "--explain", "all", *words],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    sentence = "evomask: the result could not be printed: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, sentence)


def test_names_with_line_ends_make_a_schema_that_can_be_read(evomask, tmp_path):
    names = ['"a\nb"', "c", '"[x]\nkind = 1"', '"\x7f"', "e\tf", "`g`"]
    path = tmp_path / "odd\nkind = 'x'.csv"
    rows = "\n".join(f"{i % 9},{i % 7},{i},{'xyz'[i % 3]},{i % 2},{2 * i}" for i in range(60))
    path.write_text(f"{','.join(names)}\n{rows}\n")
    answer = evomask("init", path)
    read = tomllib.loads(answer.out)
    assert list(read["attributes"]) == ["a\nb", "c", "[x]\nkind = 1", "\x7f", "e\tf", "`g`"]
    assert set(read) <= {"attributes", "rules", "file"}


def test_sas_input_says_before_the_search_what_is_written_instead(evomask, tmp_path):
    import polars as pl
    import pyreadstat

    frame = pl.read_csv(PEOPLE.encode())
    pyreadstat.write_xport(frame, tmp_path / "people.xpt")
    few = ("--evaluations", 2, "--searches", "recipes", "--quasi", "age,income")
    answer = evomask("protect", tmp_path / "people.xpt", *few, "--out", tmp_path / "new")
    assert answer.code == 0, answer.err
    note = "SAS files cannot be written: the release of people.xpt is written as people.sav"
    assert note in " ".join(answer.err.splitlines()[:3])
    assert (tmp_path / "new" / "masked" / "people.sav").exists()
