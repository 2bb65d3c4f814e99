"""Dates as numbers of days: shifts, rounding and ages, in files of several formats."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from dateutil.relativedelta import relativedelta

import evomask
from evomask.data.dates import ages_at, format_day, parse_dates
from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.errors import DataError, SchemaError
from evomask.masking.dates import DateRounding, DateShift, Period
from evomask.masking.enforce.requirement import Requirement
from evomask.measures.attacks.date_intervals import DateIntervals
from evomask.runs.inputs import Input
from evomask.runs.mask import MaskJob, mask_file
from evomask.runs.protect import ProtectJob, protect_file
from evomask.runs.store.verify import verify

FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%Y%m%d")
SCHEMA = """
[attributes.patient]
role = "person"

[attributes.admission]
kind = "date"
role = "quasi-identifier"

[attributes.discharge]
kind = "date"
role = "quasi-identifier"

[attributes.birth]
role = "identifier"

[attributes.surgery]
role = "quasi-identifier"
since = "birth"

[attributes.illness]
role = "confidential"

[rules]
edits = ["admission <= discharge", "admission >= 2019-01-01"]
"""


def stays(patients=60, each=3, seed=5, form="%Y-%m-%d"):
    rng = np.random.default_rng(seed)
    rows = []
    for patient in range(patients):
        birth = date(1950, 1, 1) + timedelta(days=int(rng.integers(18_000)))
        for _ in range(each):
            first = date(2020, 1, 1) + timedelta(days=int(rng.integers(700)))
            last = first + timedelta(days=int(rng.integers(30)))
            illness = str(rng.choice(["flu", "cold", "none"]))
            dates = (first, last, birth, first)
            rows.append([patient, *(day.strftime(form) for day in dates), illness])
    names = ("patient", "admission", "discharge", "birth", "surgery", "illness")
    return pl.DataFrame(rows, schema=names, orient="row")


def table_of(frame, **more):
    dates = {n: Declaration(Kind.DATE, Role.QUASI_IDENTIFIER) for n in ("admission", "discharge")}
    return table_from(frame, {"patient": Declaration(role=Role.PERSON), **dates, **more})


@pytest.mark.parametrize("form", FORMATS)
def test_dates_are_days_and_are_written_as_they_were(form):
    frame = stays(form=form)
    table = table_of(frame)
    days = [(date.fromisoformat(d) - date(1970, 1, 1)).days for d in stays()["admission"]]
    assert table.values("admission").tolist() == days
    written = pl.DataFrame({n: [format_day(d, form) for d in days] for n in ("admission",)})
    assert written["admission"].to_list() == frame["admission"].to_list()


def test_a_column_without_a_common_format_is_refused_with_its_record():
    frame = stays().with_columns(
        pl.when(pl.int_range(pl.len()) == 7)
        .then(pl.lit("soon"))
        .otherwise("admission")
        .alias("admission")
    )
    with pytest.raises(SchemaError, match="'admission' is declared a date, and record 8 has none"):
        table_of(frame)
    assert parse_dates(pl.Series(["2024-02-30"])) is None
    assert parse_dates(pl.Series(["13/01/2024", None]))[1] == "%d/%m/%Y"


def test_a_shift_keeps_the_days_between_all_dates_of_a_person_and_their_order():
    table = table_of(stays())
    shifted = DateShift(("admission", "discharge"), 30).mask(table, np.random.default_rng(1))
    moves = shifted.matrix(("admission", "discharge")) - table.matrix(("admission", "discharge"))
    patients = table.values("patient")
    for patient in np.unique(patients):
        own = moves[patients == patient]
        assert len(np.unique(own)) == 1
        assert 1 <= abs(own[0, 0]) <= 30
    assert len(np.unique(moves)) > 20


@pytest.mark.parametrize(
    ("period", "every"), [("week", "1w"), ("month", "1mo"), ("quarter", "1q"), ("year", "1y")]
)
def test_rounding_is_that_of_polars_and_keeps_the_order_of_events(period, every):
    table = table_of(stays())
    rounded = DateRounding(("admission",), Period(period)).mask(table, np.random.default_rng(0))
    expected = stays()["admission"].str.to_date().dt.truncate(every).cast(pl.Int32).to_list()
    assert rounded.values("admission").tolist() == expected
    order = np.argsort(table.values("admission"), kind="stable")
    assert (np.diff(rounded.values("admission")[order]) >= 0).all()


def test_an_age_is_the_number_of_completed_years():
    rng = np.random.default_rng(3)
    births = [date(1940, 1, 1) + timedelta(days=int(d)) for d in rng.integers(20_000, size=500)]
    events = [b + timedelta(days=int(d)) for b, d in zip(births, rng.integers(30_000, size=500),
                                                         strict=True)]  # fmt: skip
    found = ages_at(pl.Series("event", events), pl.Series("birth", births)).to_list()
    assert found == [relativedelta(e, b).years for e, b in zip(events, births, strict=True)]
    with pytest.raises(DataError, match="in record 1, 'event' is before 'birth'"):
        ages_at(pl.Series("event", births[:1]), pl.Series("birth", events[:1]))


def test_what_a_shift_leaves_is_attacked_and_rounding_takes_it_away():
    table = table_of(stays(patients=100, each=4))
    names = ("admission", "discharge")
    attack = DateIntervals(names).against(table)
    shifted = attack(DateShift(names).mask(table, np.random.default_rng(1)))
    assert shifted.success > 95
    assert shifted.control == 1.0
    years = attack(DateRounding(names, Period.YEAR).mask(table, np.random.default_rng(1)))
    assert years.success < 20


@pytest.mark.parametrize("form", FORMATS[:2])
def test_a_protected_file_has_dates_ages_and_the_order_of_events(tmp_path, form):
    frame = stays(form=form)
    frame.write_csv(tmp_path / "stays.csv")
    (tmp_path / "stays.toml").write_text(SCHEMA, encoding="utf-8")
    source = Input(tmp_path / "stays.csv", tmp_path / "stays.toml")
    done = protect_file(
        ProtectJob(source, tmp_path / "run", Requirement(k=3), evaluations=25, seed=7)
    )
    released = pl.read_csv(done.written.path, infer_schema=False)
    assert verify(done.folder).holds
    assert "birth" not in released.columns
    plain = released.filter(~pl.col("admission").str.contains(r"[\[*boa]"))
    plain = plain.filter(~pl.col("discharge").str.contains(r"[\[*boa]"))
    parsed = plain.select(pl.col("admission", "discharge").str.to_date(form))
    assert (parsed["admission"] <= parsed["discharge"]).all()
    assert (parsed["admission"] >= date(2019, 1, 1)).all()
    ages = set(frame["surgery"].to_list())
    assert not ages & set(released["surgery"].to_list())


def test_mask_shifts_the_dates_of_a_file(tmp_path):
    frame = stays()
    frame.write_csv(tmp_path / "stays.csv")
    (tmp_path / "stays.toml").write_text(SCHEMA, encoding="utf-8")
    source = Input(tmp_path / "stays.csv", tmp_path / "stays.toml")
    mask_file(MaskJob(source, "date-shift", tmp_path / "out.csv", {"days": "10"}, seed=2**40))
    out = pl.read_csv(tmp_path / "out.csv", try_parse_dates=True)
    before = frame.select(pl.col("admission", "discharge").str.to_date())
    moved = (out["admission"] - before["admission"]).dt.total_days()
    assert moved.abs().is_between(1, 10).all()
    assert (out["discharge"] - out["admission"]).equals(before["discharge"] - before["admission"])
    assert out["surgery"].dtype == pl.Int64
    job = MaskJob(source, "date-shift", tmp_path / "no.csv", {}, attributes=("illness",))
    with pytest.raises(SchemaError, match="is no date"):
        mask_file(job)


def test_frames_have_dates_too():
    people = stays().with_columns(pl.col("admission", "discharge").str.to_date())
    schema = evomask.Schema(
        quasi=["admission", "surgery"], dates=["admission"], since={"surgery": "birth"},
        drop=["patient", "birth"], confidential=["illness"],
    )  # fmt: skip
    masked = evomask.mask(people, evomask.MdavGeneric(("admission",), k=5), schema=schema, seed=1)
    assert masked["admission"].dtype == pl.Date
    assert masked.group_by("admission").len()["len"].min() >= 5
    assert masked["surgery"].dtype == pl.Int64
