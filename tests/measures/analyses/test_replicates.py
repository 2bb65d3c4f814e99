"""Intervals by replicate weights and by units, against formulas written out."""

import numpy as np
import pytest
from scipy import stats

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import EvomaskError
from evomask.measures.analyses.analyses import AnalysesToPreserve
from tests.measures.analyses.people import people, values_of

Z = 1.959963984540054


def errors_of(table, text, replicates, when="before", masked=None):
    kind = "indicators" if "(" in text else "models" if "~" in text else "tables"
    keep = AnalysesToPreserve(**{kind: (text,)}, replicates=replicates)
    (found,) = keep.against(table).compare(table if masked is None else masked)
    estimates = values_of(found, when)
    return {name: (one.high - one.low) / (2 * Z) for name, one in estimates.items()}


def numbers(n=30, copies=0, seed=1):
    rng = np.random.default_rng(seed)
    names = [f"rep{i}" for i in range(copies)]
    attributes = [Attribute("x", Kind.CONTINUOUS), *(Attribute(r, Kind.CONTINUOUS) for r in names)]
    columns = {"x": rng.normal(10, 3, n), **{r: rng.poisson(1.0, n) + 0.1 for r in names}}
    unit = Attribute("unit", Kind.NOMINAL, Role.OTHER, tuple(f"u{i}" for i in range(n)))
    schema = Schema((*attributes, unit))
    return Table(schema, {**columns, "unit": np.arange(n)})


def test_leaving_out_each_record_in_turn_gives_the_standard_error_of_a_mean():
    table = numbers(30)
    found = errors_of(table, "mean(x)", "units: unit")["all records"]
    assert found == pytest.approx(stats.sem(table["x"]), rel=1e-6)


@pytest.mark.parametrize(
    ("method", "scale"),
    [("bootstrap", 1 / 12), ("brr", 1 / 12), ("fay=0.5", 4 / 12), ("jackknife", 11 / 12)],
)
def test_replicate_weights_are_scaled_by_their_method(method, scale):
    table = numbers(60, copies=12)
    means = [np.average(table["x"], weights=table[f"rep{i}"]) for i in range(12)]
    expected = np.sqrt(scale * np.sum((np.array(means) - table["x"].mean()) ** 2))
    found = errors_of(table, "mean(x)", f"{method}: rep*")["all records"]
    assert found == pytest.approx(expected, rel=1e-6)


def test_the_likeness_of_members_of_a_unit_widens_intervals():
    rng = np.random.default_rng(3)
    effect = rng.normal(0, 5, 60)
    unit = np.repeat(np.arange(60), 5)
    schema = Schema(
        (
            Attribute("x", Kind.CONTINUOUS),
            Attribute("home", Kind.NOMINAL, Role.HOUSEHOLD, tuple(f"h{i}" for i in range(60))),
        )
    )
    table = Table(schema, {"x": 50 + effect[unit] + rng.normal(0, 1, 300), "home": unit})
    means = np.array([table["x"][unit == u].mean() for u in range(60)])
    found = errors_of(table, "mean(x)", "units: home")["all records"]
    assert found == pytest.approx(stats.sem(means), rel=0.25)
    assert found > 1.7 * stats.sem(table["x"])


def test_models_and_tables_have_them_before_and_after():
    table = people(400)
    masked = table.with_columns({"hours": table["hours"] + np.where(table["sex"] == 1, 2.0, 0.0)})
    plain = AnalysesToPreserve(("sex: mean hours",), ("hours ~ age + sex",)).against(table)
    for text, own in zip(
        ("sex: mean hours", "hours ~ age + sex"), plain.compare(masked), strict=True
    ):
        for when in ("before", "after"):
            jackknifed = errors_of(table, text, "units: name", when, masked)
            usual = {n: (e.high - e.low) / (2 * Z) for n, e in values_of(own, when).items()}
            assert jackknifed == pytest.approx(usual, rel=0.5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rep*", "cannot be read: a method"),
        ("boots: rep*", "cannot be read: a method"),
        ("brr: other*", "two or more columns of numbers"),
        ("fay=2: rep*", "0 to below 1"),
        ("fay=x: rep*", "needs a number"),
        ("units: rep*", "need one column of units"),
    ],
)
def test_wrong_replicates_are_refused_in_a_sentence(text, why):
    with pytest.raises(EvomaskError, match=why):
        AnalysesToPreserve(indicators=("mean(x)",), replicates=text).against(numbers(30, copies=4))
