"""What is promised of a file holds in the file that was written, whoever reads it."""

from contextlib import suppress
from dataclasses import astuple

import numpy as np
import polars as pl
import pyreadstat
import pytest

from evomask.data.hierarchy_builders import automatic_hierarchy
from evomask.errors import DataError, FileError, ParameterError, SchemaError
from evomask.io import formats
from evomask.io.tables import PrivacyRequirements, write_table
from evomask.masking.catalogue import METHODS, method_named
from evomask.masking.composition import within_strata
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.noise import IndependentNoise
from evomask.masking.randomization.pram import Pram
from evomask.runs.inputs import Input, load
from evomask.runs.mask import MaskJob, mask_file
from evomask.runs.protect import ProtectJob, protect_file
from evomask.searches.catalogue import IN_PROTECT
from tests.oracles import PYTHON, answers
from tests.releases import files

MAKERS = (
    *(("method", entry.name) for entry in METHODS),
    *(("search", name) for name in IN_PROTECT),
)
WITHOUT_GUARANTEES = ("pram", "equations")
"""Searches that take part where nothing is required."""
QUASI = dict.fromkeys(("pram", "equations", "clustered"), files.CATEGORIES)
QUASI["grouping"] = files.NUMBERS
"""What searches want that do not take any file."""

FILES, PORTION = 1000, 50
OTHERS = FILES * len(MAKERS) * len(files.ENDINGS)
IMPOSSIBLE = ParameterError, SchemaError, DataError


def released(folder, seed, maker):
    """A random file masked by a method or a search, fulfilling what is asked, and written."""
    rng = np.random.default_rng([seed, 77])
    folder.mkdir()
    ending = files.ENDINGS[seed // len(MAKERS) % len(files.ENDINGS)]
    kind, name = maker
    by_a_search = kind == "search"
    made = files.random_file(folder, rng, ending, QUASI.get(name, ()) if by_a_search else ())
    asked = PrivacyRequirements(
        int(rng.choice([2, 3, 5])), int(rng.choice([1, 2])), float(rng.choice([1, 0.5]))
    )
    if by_a_search and name in WITHOUT_GUARANTEES:
        asked = PrivacyRequirements()
    return made, asked, (by_search if by_a_search else by_method)(made, asked, name, rng)


def by_search(made, asked, name, rng):
    job = ProtectJob(
        Input(made.path, made.schema), made.path.parent / "run", Requirement(*astuple(asked)),
        seed=int(rng.integers(2**62)), evaluations=8, searches=(name,),
    )  # fmt: skip
    return protect_file(job).written


def by_method(made, asked, name, rng):
    loaded = load(Input(made.path, made.schema))
    method = some_method(method_named(name), loaded.table, rng)
    masked = within_strata(method, loaded.table).mask(loaded.table, rng)
    masked = Enforcement.of(loaded.table, Requirement(*astuple(asked)))(masked)
    order = rng.permutation(len(masked))
    return write_table(
        masked.take(order), made.path.with_stem("masked"), dialect=loaded.dialect,
        origin=loaded.origin.shuffled(order), asked=asked,
    )  # fmt: skip


def some_method(entry, table, rng):
    """The method for those of the quasi-identifiers that it can mask."""
    names = [n for n in table.schema.quasi_identifiers if table.attribute(n).kind in entry.kinds]
    if not names:
        raise SchemaError("there is nothing to mask")
    options = {"k": str(rng.choice([2, 3, 5]))} if "k" in [p.name for p in entry.parameters] else {}
    read = {}
    if "matrices" in entry.from_files:
        read["matrices"] = {name: Pram((name,), change=0.3).matrix(table, name) for name in names}
    if "hierarchies" in entry.from_files:
        read["hierarchies"] = {name: automatic_hierarchy(table, name) for name in names}
    return entry.build(names, options, read)


def written_file(folder, number, start):
    """File *number*; what is impossible for a random file is tried with another one."""
    maker = MAKERS[number % len(MAKERS)]
    for attempt in range(60):
        place = folder / f"{number}-{attempt}"
        with suppress(*IMPOSSIBLE):
            return released(place, start + number + attempt * OTHERS, maker)
    raise AssertionError(f"{maker} could make none of sixty files")


def shortcomings(made, asked, written):
    """What a check that shares no code with ours finds wrong."""
    columns = files.cells(written.path)
    assert "person" not in columns
    k = files.smallest_class(columns, made.quasi)
    l, t = files.diversity(columns, made.quasi, "secret", made.ordered, made.key)  # noqa: E741
    assert written.reading.k == k
    assert written.reading.l == l
    assert written.reading.t == pytest.approx(t)
    return k < asked.k or l < asked.l or t > asked.t + 1e-9


def short_by_pycanon(found, folder):
    questions = []
    for made, _, written in found:
        columns = files.cells(written.path)
        secret = files.ranked(columns, "secret", made.key) if made.ordered else columns["secret"]
        shown = {name: columns[name] for name in made.quasi} | {"secret": secret}
        questions.append({"columns": shown, "quasi": list(made.quasi), "confidential": "secret"})
    told = answers("ask_pycanon.py", questions, folder)
    return [
        written.path
        for (_, asked, written), answer in zip(found, told, strict=True)
        if answer["k"] < asked.k or answer["l"] < asked.l or answer["t"] > asked.t + 1e-6
    ]


def check_files(folder, numbers, start=0):
    """Make files and let both judges look at them."""
    found = [written_file(folder, number, start) for number in numbers]
    assert [w.path for made, asked, w in found if shortcomings(made, asked, w)] == []
    if PYTHON.exists():
        assert short_by_pycanon(found, folder) == []
    print(f"{len(found)} of {len(numbers)} files fulfil what is asked")


def test_written_files_fulfil_what_is_asked_by_a_check_of_its_own(tmp_path):
    check_files(tmp_path, [n for n in range(60) if MAKERS[n % len(MAKERS)][0] == "method"])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, FILES, PORTION))
def test_a_thousand_written_files_fulfil_what_is_asked(tmp_path, first):
    """Every method and every search, in every format."""
    check_files(tmp_path, range(first, first + PORTION), start=10_000)


def spss(path, values, **options):
    pyreadstat.write_sav(pl.DataFrame({"x": values}), path, **options)
    return path


def masked(source, ending=None, method="repair", k="3", **said):
    out = source.with_name(f"masked{ending or source.suffix}")
    mask_file(MaskJob(Input(source, quasi_identifiers=("x",), **said), method, out, {"k": k}))
    return out


def test_missing_codes_of_spss_are_values_of_their_own(tmp_path):
    values = [1.0, 2.0] * 8 + [-98.0] + [-99.0] * 4
    source = spss(
        tmp_path / "a.sav", values, missing_ranges={"x": [-98.0, -99.0]},
        variable_measure={"x": "scale"},
    )  # fmt: skip
    assert files.smallest_class(files.cells(masked(source)), ["x"]) >= 3


def test_missing_letters_of_stata_are_values_of_their_own(tmp_path):
    source = tmp_path / "a.dta"
    values = pl.Series("x", [1.5, 2.5] * 8 + ["b"] + ["a"] * 4, dtype=pl.Object)
    pyreadstat.write_dta(pl.DataFrame([values]), source, missing_user_values={"x": ["a", "b"]})
    assert files.smallest_class(files.cells(masked(source)), ["x"]) >= 3


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".sav", ".dta"])
def test_a_negative_zero_is_written_as_zero(tmp_path, ending):
    source = tmp_path / "a.parquet"
    pl.DataFrame({"x": [-0.0] + [0.0] * 5 + [1.5] * 6}).write_parquet(source)
    assert set(files.cells(masked(source, ending))["x"]) <= {"0", "0.0", "1.5"}


def test_noise_makes_no_negative_zero(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("x\n" + "\n".join(["0", "1"] * 200), encoding="utf-8")
    loaded = load(Input(source, quasi_identifiers=("x",)))
    noisy = IndependentNoise(("x",), 60).mask(loaded.table, np.random.default_rng(1))
    assert np.signbit(noisy.values("x")[noisy.values("x") == 0]).any()
    write_table(noisy, tmp_path / "b.parquet")
    assert not any("-0" in text.split(".")[0] for text in files.cells(tmp_path / "b.parquet")["x"])


def test_closeness_is_to_the_whole_file_and_not_to_a_stratum(tmp_path):
    rows = [f"{20 + i % 5},{part},{part}{i % 2}" for i in range(40) for part in "ab"]
    source, schema = tmp_path / "a.csv", tmp_path / "a.toml"
    source.write_text("x,part,secret\n" + "\n".join(rows) + "\n", encoding="utf-8")
    roles = {"x": "quasi-identifier", "part": "stratum", "secret": "confidential"}
    schema.write_text("".join(f'[attributes.{n}]\nrole = "{r}"\n' for n, r in roles.items()))
    shifted = source.read_text().replace("24,b", "29,b")
    source.write_text(shifted)
    mask_file(MaskJob(Input(source, schema), "repair", tmp_path / "b.csv", {"k": "3", "t": "0.3"}))
    columns = files.cells(tmp_path / "b.csv")
    assert files.diversity(columns, ["x"], "secret", False, files.place)[1] <= 0.3  # noqa: FBT003


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda frame: frame.head(frame.height - 1), "records instead of"),
        (lambda frame: frame.with_columns(person=pl.col("x")), "holds the identifier 'person'"),
        (lambda frame: frame.with_columns(x=pl.int_range(frame.height)), "it has k = 1"),
        (lambda frame: frame.rename({"x": "y"}), "columns are not those"),
    ],
)
def test_a_file_that_is_not_what_was_promised_is_removed(tmp_path, monkeypatch, spoil, reason):
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("person,x\n" + "\n".join(f"p{i},{i % 4}" for i in range(20)))
    out.write_text("an older file")
    write = formats.write_csv
    monkeypatch.setattr(formats, "write_csv", lambda frame, *rest: write(spoil(frame), *rest))
    said = Input(source, quasi_identifiers=("x",), identifiers=("person",))
    with pytest.raises(FileError, match=reason):
        mask_file(MaskJob(said, "repair", out, {"k": "3"}, force=True))
    assert out.read_text() == "an older file"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "b.csv"]
