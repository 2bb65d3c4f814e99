"""Roles are said once, and nothing that looks like a person is released by oversight."""

import polars as pl
import pytest

import evomask
from evomask.errors import ParameterError, SchemaError
from evomask.masking.enforce.requirement import parse_requirement
from evomask.runs.inputs import Input, load
from evomask.runs.mask import MaskJob, mask_file
from evomask.runs.protect import ProtectJob, protect_file
from evomask.runs.search import Limits, SearchJob, search_file


@pytest.fixture
def people(tmp_path):
    rows = {
        "name": [f"Ada {chr(97 + i % 26)}{i}" for i in range(40)],
        "contact": [f"ada{i % 9}@example.org" for i in range(40)],
        "ssn": [100_000 + 37 * i for i in range(40)],
        "motto": [f"to be {i * i} or not" for i in range(40)],
        "x": [i % 7 for i in range(40)],
        "day": [f"2024-01-{1 + i % 28:02d}" for i in range(40)],
        "town": [f"t{i % 5}" for i in range(40)],
    }
    path = tmp_path / "people.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


LOOKING = ("name", "contact", "ssn", "motto")


def mask(people, **said):
    source = Input(people, quasi_identifiers=("x",), **said)
    return mask_file(MaskJob(source, "mdav", people.with_name("masked.csv"), {"k": "3"}))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("name", "looks like names of people"),
        ("contact", "holds e-mail addresses"),
        ("ssn", "looks like a number or name of a person"),
        ("motto", "a different text in nearly every record"),
    ],
)
def test_a_column_that_looks_identifying_is_refused_until_its_role_is_said(people, name, reason):
    others = tuple(other for other in LOOKING if other != name)
    with pytest.raises(SchemaError, match=f"column '{name}' .*{reason}.*--drop.*--keep"):
        mask(people, identifiers=others)
    assert not people.with_name("masked.csv").exists()
    mask(people, identifiers=others, keep=(name,))
    kept = pl.read_csv(people.with_name("masked.csv"))
    assert kept.columns == [name, "x", "day", "town"]
    assert kept[name].equals(pl.read_csv(people)[name])


def test_a_schema_may_say_that_a_column_is_released(people, tmp_path):
    schema = tmp_path / "people.toml"
    roles = {**dict.fromkeys(LOOKING, "other"), "x": "quasi-identifier"}
    schema.write_text("".join(f'[attributes.{n}]\nrole = "{r}"\n' for n, r in roles.items()))
    out = tmp_path / "masked.csv"
    mask_file(MaskJob(Input(people, schema), "mdav", out, {"k": "3"}))
    assert "name" in pl.read_csv(out).columns


def test_protect_and_search_refuse_too(people, tmp_path):
    source = Input(people, quasi_identifiers=("x",))
    with pytest.raises(SchemaError, match="column 'name'"):
        protect_file(ProtectJob(source, tmp_path / "run"))
    with pytest.raises(SchemaError, match="column 'name'"):
        search_file(SearchJob(source, "partition", limits=Limits(evaluations=5)))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("values", [
    [7_919 * (i + 3) ** 2 % 999_999_937 for i in range(40)],
    [round((i * 0.618034) % 1, 6) for i in range(40)],
    [None, *(1.5 * i for i in range(39))],
])  # fmt: skip
def test_numbers_of_their_own_are_refused_until_their_role_is_said(tmp_path, values):
    rows = {"a": values, "pair": [i // 2 for i in range(40)], "x": [i % 7 for i in range(40)]}
    path = tmp_path / "numbers.csv"
    pl.DataFrame(rows).write_csv(path)
    source = Input(path, quasi_identifiers=("x",))
    why = "column 'a' holds a different value in nearly every record"
    with pytest.raises(SchemaError, match=why):
        mask(path)
    with pytest.raises(SchemaError, match=why):
        protect_file(ProtectJob(source, tmp_path / "run"))
    with pytest.raises(SchemaError, match=why):
        search_file(SearchJob(source, "partition", limits=Limits(evaluations=5)))
    mask(path, confidential=("a",))


def test_frames_are_refused_too(people):
    frame = pl.read_csv(people).drop("contact", "ssn", "motto")
    with pytest.raises(SchemaError, match="column 'name'"):
        evomask.protect(frame, quasi=["x"], evaluations=5)
    with pytest.raises(SchemaError, match="column 'name'"):
        evomask.mask(frame, evomask.Mdav(("x",), 3))
    assert "name" in evomask.mask(frame, evomask.Mdav(("x",), 3), keep=["name"]).columns


@pytest.mark.parametrize(
    "said",
    [
        {"identifiers": ("x",), "confidential": ("x",)},
        {"quasi_identifiers": ("x",), "confidential": ("x",)},
        {"identifiers": ("x",), "household": "x"},
        {"identifiers": ("x",), "keep": ("x",)},
    ],
)
def test_two_roles_for_a_column_are_an_error(people, said):
    with pytest.raises(SchemaError, match=r"is declared both .* and .*; choose one role"):
        load(Input(people, **said))


def test_a_column_dropped_by_the_schema_is_not_released_by_name(people, tmp_path):
    schema = tmp_path / "people.toml"
    schema.write_text('[attributes.name]\nrole = "identifier"\n')
    with pytest.raises(SchemaError, match="'name' is identifier in the schema and confidential"):
        load(Input(people, schema, confidential=("name",)))


@pytest.mark.parametrize("role", ["confidential", "strata", "keep"])
def test_a_frame_column_cannot_be_dropped_and_something_else(people, role):
    with pytest.raises(SchemaError, match="column 'town' is declared both"):
        evomask.protect(pl.read_csv(people), quasi=["x"], drop=["town"], **{role: ["town"]})


def test_a_requirement_is_named_once():
    with pytest.raises(ParameterError, match="k is required twice"):
        parse_requirement("k=50,k=2")


@pytest.mark.parametrize("decimals", [400, -1, 16])
def test_absurd_decimals_are_an_error(people, tmp_path, decimals):
    schema = tmp_path / "people.toml"
    schema.write_text(f"[attributes.x]\ndecimals = {decimals}\n")
    with pytest.raises(SchemaError, match=r"from 0 to 15, got -1|at most 15"):
        load(Input(people, schema))


def test_a_small_seed_is_noted_as_fit_for_tests(people):
    source = Input(people, quasi_identifiers=("x",), identifiers=LOOKING)
    for seed, noted in ((2**32 - 1, True), (2**32, False), (None, False)):
        job = MaskJob(source, "mdav", people.with_name("m.csv"), {"k": "3"}, seed=seed, force=True)
        assert any("for tests only" in note for note in mask_file(job).notes) is noted
