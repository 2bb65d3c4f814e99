"""Columns that are linked to a masked attribute are recoded with it."""

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import Declaration, polars_from, table_from
from evomask.data.hierarchy import hierarchy_from_lines
from evomask.data.schema import Kind, Role
from evomask.errors import SchemaError
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import parse_requirement
from evomask.masking.microaggregation.mdav import Mdav
from evomask.masking.recoding.derived_columns import (
    DerivedColumns,
    without_derived_quasi_identifiers,
)
from evomask.runs.inputs import Input, load
from evomask.runs.mask import MaskJob, mask_file

SCHOOLS = ["none", "primary", "secondary", "college", "university"]
YEARS = dict(zip(SCHOOLS, (0, 6, 10, 13, 17), strict=True))
RNG = np.random.default_rng(1)


def people(n=200, **years):
    schools = RNG.choice(SCHOOLS, n).tolist()
    frame = pl.DataFrame({
        "school": schools, "years": [YEARS[s] for s in schools],
        "age": RNG.integers(20, 80, n), "born": np.zeros(n, dtype=int),
    }).with_columns(born=2000 - pl.col("age"))  # fmt: skip
    declared = {
        "school": Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER, tuple(SCHOOLS)),
        "years": Declaration(linked="school", **years),
        "age": Declaration(role=Role.QUASI_IDENTIFIER),
        "born": Declaration(linked="age"),
    }
    return table_from(frame, declared)


def test_exchanged_categories_take_their_followers_along():
    original = people()
    swapped = original.with_columns({"school": RNG.permutation(original.codes("school"))})
    released = polars_from(DerivedColumns.of(original)(swapped))
    assert released["years"].to_list() == [YEARS[s] for s in released["school"]]


def test_averaged_numbers_take_the_follower_of_the_nearest_number():
    original = people()
    masked = Mdav(("age",), 5).mask(original, np.random.default_rng(0))
    released = polars_from(DerivedColumns.of(original)(masked))
    assert (released["age"] + released["born"] - 2000).abs().max() <= 1


@pytest.mark.parametrize("kind", [Kind.CONTINUOUS, Kind.ORDINAL, Kind.NOMINAL])
def test_generalized_categories_have_all_values_that_belong_to_them(kind):
    original = people(kind=kind)
    tree = hierarchy_from_lines([(s, "low" if s in SCHOOLS[:3] else "high", "*") for s in SCHOOLS])
    from evomask.masking.recoding.global_recoding import Generalization

    masked = Generalization(("school",), (1,), {"school": tree}).mask(original, RNG)
    released = polars_from(DerivedColumns.of(original)(masked))
    shown = dict(zip(released["school"], released["years"], strict=True))
    wanted = {"low": "{0,6,10}", "high": "{13,17}"}
    between = {"low": "[0,10]", "high": "[13,17]"}
    assert shown == (wanted if kind is Kind.NOMINAL else between)


def test_the_guarantees_take_followers_along():
    original = people()
    released = Enforcement.of(original, parse_requirement("k=10"))(original)
    pairs = polars_from(released).group_by("school").agg(pl.col("years").n_unique())
    assert pairs["years"].max() == 1


def test_what_does_not_follow_is_refused():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "b": [5, 5, 6, 7]})
    roles = {"a": Declaration(role=Role.QUASI_IDENTIFIER), "b": Declaration(linked="a")}
    with pytest.raises(SchemaError, match=r"'b' is linked to 'a' but is not determined.* record 4"):
        DerivedColumns.of(table_from(frame, roles))


@pytest.mark.parametrize(("lead", "why"), [("c", "not a column"), ("b", "not masked itself")])
def test_a_source_must_be_a_masked_column(lead, why):
    frame = pl.DataFrame({"a": [1, 2], "b": [5, 6]})
    table = table_from(frame, {"a": Declaration(linked=lead)})
    with pytest.raises(SchemaError, match=why):
        without_derived_quasi_identifiers(table.schema)


def test_a_schema_links_columns(tmp_path):
    table = people()
    polars_from(table).write_csv(tmp_path / "people.csv")
    (tmp_path / "people.toml").write_text(
        '[attributes.school]\nrole = "quasi-identifier"\n'
        '[attributes.years]\nrole = "quasi-identifier"\nlinked = "school"\n'
    )
    source = Input(tmp_path / "people.csv", tmp_path / "people.toml")
    assert load(source).table.schema.quasi_identifiers == ("school",)
    mask_file(MaskJob(source, "pram", tmp_path / "masked.csv", {"change": "0.7"}, seed=1))
    masked = pl.read_csv(tmp_path / "masked.csv")
    assert masked["years"].to_list() == [YEARS[s] for s in masked["school"]]
    assert masked["school"].to_list() != polars_from(table)["school"].to_list()
