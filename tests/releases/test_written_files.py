"""What is promised of a file holds in the file that was written, whoever reads it."""

import numpy as np
import polars as pl
import pyreadstat
import pytest

from evomask.errors import EvomaskError, FileError
from evomask.io import tables
from evomask.io.tables import Asked, write_table
from evomask.masking.composition import within_strata
from evomask.masking.grid import first_population
from evomask.masking.guarantees.fulfilment import Guarantees
from evomask.masking.guarantees.requirement import Requirement
from evomask.masking.noise import IndependentNoise
from evomask.runs.inputs import Input, load
from evomask.runs.mask import MaskJob, mask_file
from tests.oracles import PYTHON, answers
from tests.releases import files


def released(folder, seed, ending):
    """A random file masked by a random method, repaired to what is asked, and written."""
    rng = np.random.default_rng([seed, 77])
    folder.mkdir()
    made = files.random_file(folder, rng, ending)
    loaded = load(Input(made.path, made.schema))
    asked = Asked(int(rng.choice([2, 3, 5])), int(rng.choice([1, 2])), float(rng.choice([1, 0.5])))
    methods = [entry.method for entry in first_population(loaded.table)]
    method = methods[int(rng.integers(len(methods)))]
    masked = within_strata(method, loaded.table).mask(loaded.table, rng)
    masked = Guarantees.of(loaded.table, Requirement(asked.k, asked.l, asked.t))(masked)
    order = rng.permutation(len(masked))
    path = folder / f"masked{ending}"
    written = write_table(
        masked.take(order), path, dialect=loaded.dialect, origin=loaded.origin.shuffled(order),
        asked=asked,
    )  # fmt: skip
    return made, asked, path, written


def written_files(folder, count, start=0):
    """So many files that could be made; what is impossible for a random file is passed over."""
    found, seed = [], start
    while len(found) < count:
        try:
            ending = files.ENDINGS[seed % len(files.ENDINGS)]
            found.append(released(folder / str(seed), seed, ending))
        except FileError:
            raise
        except EvomaskError:
            pass
        seed += 1
    assert seed - start < 2 * count
    return found


def shortcomings(made, asked, path, written):
    """What a check that shares no code with ours finds wrong."""
    columns = files.cells(path)
    assert "person" not in columns
    k = files.smallest_class(columns, made.quasi)
    l, t = files.diversity(columns, made.quasi, "secret", made.ordered, made.key)  # noqa: E741
    assert written.reading.k == k
    assert written.reading.l == l
    assert written.reading.t == pytest.approx(t)
    return k < asked.k or l < asked.l or t > asked.t + 1e-9


def short_by_pycanon(found, folder):
    questions = []
    for made, _, path, _ in found:
        columns = files.cells(path)
        secret = files.ranked(columns, "secret", made.key) if made.ordered else columns["secret"]
        shown = {name: columns[name] for name in made.quasi} | {"secret": secret}
        questions.append({"columns": shown, "quasi": list(made.quasi), "confidential": "secret"})
    told = answers("ask_pycanon.py", questions, folder)
    return [
        path
        for (_, asked, path, _), answer in zip(found, told, strict=True)
        if answer["k"] < asked.k or answer["l"] < asked.l or answer["t"] > asked.t + 1e-6
    ]


def test_written_files_fulfil_what_is_asked_by_a_check_of_its_own(tmp_path):
    found = written_files(tmp_path, 48)
    assert [path for made, asked, path, w in found if shortcomings(made, asked, path, w)] == []
    if PYTHON.exists():
        assert short_by_pycanon(found, tmp_path) == []


@pytest.mark.slow
def test_a_thousand_written_files_fulfil_what_is_asked(tmp_path):
    found = written_files(tmp_path, 1000, start=10_000)
    assert [path for made, asked, path, w in found if shortcomings(made, asked, path, w)] == []
    if PYTHON.exists():
        assert short_by_pycanon(found, tmp_path) == []


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
    write = tables.write_csv
    monkeypatch.setattr(tables, "write_csv", lambda frame, *rest: write(spoil(frame), *rest))
    said = Input(source, quasi_identifiers=("x",), identifiers=("person",))
    with pytest.raises(FileError, match=reason):
        mask_file(MaskJob(said, "repair", out, {"k": "3"}, force=True))
    assert out.read_text() == "an older file"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "b.csv"]
