"""Files put together by chance, through every command that reads them: only errors of ours.

`make test` tries 200 of them, `make test-slow` 100,000 in portions: `EXAMPLES` says how a portion
is shared out, and `-k "[7]"` tries one of them. Portion 0 is a tenth of a portion.
"""

import io
import json
import shutil
import tomllib

import polars as pl
import pytest
import tomli_w
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.hostile import fuzzing
from tests.hostile.conftest import PEOPLE, protected
from tests.hostile.fuzzing import called, check, edited, files_in, replaced, without_nothing

EXAMPLES = {
    "tables": 500, "masking": 200, "audits": 130, "Parquet": 350, "schemas": 250, "trees": 200,
    "plans": 170, "journals": 130, "records": 12, "crawls": 50, "folders": 8,
}  # fmt: skip
"""How many of each are tried; the cheap ones most often."""

PORTIONS = 50
"""How many portions slow tests try."""

EVERY_PORTION = pytest.mark.parametrize(
    "portion",
    [pytest.param(n, marks=[pytest.mark.slow] if n else []) for n in range(PORTIONS + 1)],
)


def test_a_hundred_thousand_examples_are_tried_by_slow_tests():
    assert sum(EXAMPLES.values()) * PORTIONS == 100_000


def tried(name, portion, *given_by):
    """Try a test with a portion of examples, always the same; the first bad one ends it."""
    return lambda test: settings(
        max_examples=EXAMPLES[name] if portion else -(-EXAMPLES[name] // 10),
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )(seed(portion)(given(*given_by)(test)))()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the people, a tree and a schema that names it."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "tree.csv").write_text("n;*\ns;*\nw;*\n")
    region = 'role = "quasi-identifier"\nkind = "nominal"\nhierarchy = "own.csv"\n'
    (folder / "own.toml").write_text(f"[attributes.region]\n{region}")
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a protection, and a copy to mend it with."""
    home = tmp_path_factory.mktemp("runs")
    folder = protected(home)
    shutil.copytree(folder, home.parent / "whole", dirs_exist_ok=True)
    return folder, home.parent / "whole"


def mended(run):
    """The folder of the protection as it was."""
    folder, whole = run
    shutil.rmtree(folder)
    shutil.copytree(whole, folder)
    return folder


@EVERY_PORTION
def test_any_table_gets_a_schema_or_a_sentence(place, portion):
    @tried("tables", portion, fuzzing.tables())
    def look(content):
        path = place / "table.csv"
        path.write_bytes(content)
        check("init", path, "--json")


METHODS = [("mdav", "-k", 2), ("rank-swapping",), ("noise",), ("local-suppression", "-k", 2),
           ("mondrian", "-k", 2), ("pram",)]  # fmt: skip


@EVERY_PORTION
def test_any_table_is_masked_or_gets_a_sentence(place, portion):
    @tried("masking", portion, fuzzing.tables(), st.sampled_from(METHODS))
    def look(content, method):
        path, out = place / "table.csv", place / "out.csv"
        path.write_bytes(content)
        check("mask", path, "-m", *method, "--quiet", "--force", "--seed", 1, "--out", out)


@EVERY_PORTION
def test_any_table_is_audited_and_read_as_a_graph_or_gets_a_sentence(place, portion):
    @tried("audits", portion, fuzzing.tables(), st.integers(0, 2))
    def look(content, verb):
        path, out = place / "table.csv", place / "out.csv"
        path.write_bytes(content)
        if verb:
            check("audit", path, "--quiet")
        else:
            check("graph", "extract", path, "-k", 2, "--quiet", "--force", "--out", out)


def parquet(compression):
    buffer = io.BytesIO()
    pl.read_csv(PEOPLE.encode()).write_parquet(buffer, compression=compression)
    return buffer.getvalue()


@EVERY_PORTION
def test_any_damaged_parquet_gets_a_schema_or_a_sentence(place, portion):
    whole = [parquet(name) for name in ("uncompressed", "zstd", "snappy")]

    @tried("Parquet", portion, st.sampled_from(whole), fuzzing.edits)
    def look(content, changes):
        path = place / "table.parquet"
        path.write_bytes(edited(content, changes))
        check("init", path, "--json")


@EVERY_PORTION
def test_any_schema_is_used_or_gets_a_sentence(place, portion):
    @tried("schemas", portion, fuzzing.schemas(), st.sampled_from(["mask", "audit", "protect"]))
    def look(content, verb):
        schema, out = place / "any.toml", place / "out.csv"
        schema.write_bytes(content)
        more = {
            "mask": ("-k", 2, "--force", "--out", out),
            "audit": (),
            "protect": ("--searches", "recipes", "--out", place / "people.csv" / "nowhere"),
        }
        check(verb, place / "people.csv", "--schema", schema, "--quiet", *more[verb])


@EVERY_PORTION
def test_any_tree_is_used_or_gets_a_sentence(place, portion):
    @tried("trees", portion, fuzzing.hierarchies())
    def look(content):
        (place / "own.csv").write_bytes(content)
        words = ("--schema", place / "own.toml", "-m", "generalization", "--levels", 1)
        check("mask", place / "people.csv", *words, "--quiet", "--force", "--out", place / "o.csv")


@EVERY_PORTION
def test_any_plan_is_listed_read_or_gets_a_sentence(run, portion):
    plan = tomllib.loads((run[1] / "plan.toml").read_text())

    @tried("plans", portion, fuzzing.walks, fuzzing.json_values, fuzzing.edits, st.booleans())
    def look(walk, value, changes, is_edited):
        changed = without_nothing(replaced(plan, walk, value))
        text = tomli_w.dumps(changed) if isinstance(changed, dict) else ""
        content = edited((run[1] / "plan.toml").read_bytes(), changes)
        (run[0] / "plan.toml").write_bytes(content if is_edited else text.encode())
        check("runs", run[0].parent, "--json")

    mended(run)


@EVERY_PORTION
def test_any_journal_is_listed_or_gets_a_sentence(run, portion):
    from evomask.errors import RunError
    from evomask.runs.store.run_folder import RunFolder

    lines = (run[1] / "journal.jsonl").read_bytes().splitlines()

    @tried("journals", portion, st.integers(0, len(lines) - 1), fuzzing.walks, fuzzing.json_values,
           fuzzing.edits)  # fmt: skip
    def look(line, walk, value, changes):
        changed = json.dumps(replaced(json.loads(lines[line]), walk, value)).encode()
        content = b"\n".join([*lines[:line], changed, *lines[line + 1 :]]) + b"\n"
        (run[0] / "journal.jsonl").write_bytes(edited(content, changes))
        check("runs", run[0].parent, "--json")
        try:
            RunFolder(run[0]).journal()
        except RunError as error:
            assert "is damaged" in str(error)  # noqa: PT017

    mended(run)


@EVERY_PORTION
def test_any_record_is_reported_or_gets_a_sentence(run, portion):
    record = json.loads((run[1] / "record.json").read_text())

    @tried("records", portion, fuzzing.walks, fuzzing.json_values)
    def look(walk, value):
        (run[0] / "record.json").write_text(json.dumps(replaced(record, walk, value)))
        check("report", run[0], "--quiet")

    mended(run)


@EVERY_PORTION
def test_any_crawl_goes_on_or_gets_a_sentence(tmp_path, portion):
    places = tmp_path / "places.csv"
    places.write_text("city,country,continent\nRome,Italy,Europe\n")
    user = {"id": "a", "location": "Rome", "following": ["b"], "posts": ["x", {"text": "football"}]}
    (tmp_path / "users").mkdir()
    (tmp_path / "kept").mkdir()

    @tried("crawls", portion, fuzzing.walks, fuzzing.json_values, fuzzing.edits, st.booleans())
    def look(walk, value, changes, is_journal):
        line = json.dumps(replaced(user, walk, value) if walk[0] % 5 else user).encode()
        (tmp_path / "users" / "a.jsonl").write_bytes(edited(line, changes))
        head = json.dumps({"start": "a", "n_posts": 40, "seed": 1}).encode() + b"\n"
        visit = {"name": "a", "location": "", "topics": [], "following": ["b"], "found": True}
        kept = head + json.dumps(replaced(visit, walk, value)).encode() + b"\n"
        (tmp_path / "kept" / "crawl.jsonl").write_bytes(kept)
        on = ("--run", tmp_path / "kept", "--seed", 1) if is_journal else ()
        words = ("--start", "a", "--places", places, "--force", "--quiet", *on)
        check("graph", "crawl", tmp_path / "users", *words, "--out", tmp_path / "graph")


@EVERY_PORTION
def test_any_run_folder_is_used_or_gets_a_sentence(run, portion):
    """Each of its files gone, a folder, or damaged; budgets stay, so that nothing runs for long."""
    count = len(files_in(run[1]))

    @tried("folders", portion, st.integers(0, count - 1), st.integers(0, 3), fuzzing.edits,
           st.sampled_from(["choose", "resume", "report", "runs", "verify"]))  # fmt: skip
    def look(number, how, changes, verb):
        folder = mended(run)
        path = files_in(folder)[number]
        if path.name == "plan.toml":
            return
        content = path.read_bytes()
        path.unlink()
        if how == 1:
            path.mkdir()
        elif how > 1:
            path.write_bytes(edited(content, changes))
        look_at = called if verb == "verify" else check  # what it finds wrong it prints
        look_at(verb, folder.parent if verb == "runs" else folder, "--quiet")

    mended(run)
