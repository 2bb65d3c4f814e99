"""Masked frames measured, compared and audited from Python."""

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import evomask
from evomask.runs.inputs import Input
from evomask.runs.measure import measure_files

QUASI = ["age", "income"]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(80)],
            "age": rng.integers(20, 70, 80),
            "school": rng.choice(["a", "b", "c"], 80),
            "income": rng.integers(1000, 2000, 80),
        }
    )


@pytest.fixture
def homes(people):
    """The same people, three in each household, and how many each of them stands for."""
    return people.with_columns(
        home=pl.int_range(80) // 3, weight=pl.lit(10.0), school=pl.col("school")
    )


WORDS = {"quasi": ["school", "age"], "nominal": ["school"], "weight": "weight", "household": "home"}


@pytest.fixture(scope="module")
def masked(people):
    return evomask.mask(people, evomask.Mdav(tuple(QUASI), k=4), drop=["name"], seed=1)


@pytest.fixture(scope="module")
def measured(people, masked):
    return evomask.measure(people, masked, quasi=QUASI)


def test_any_masked_frame_can_be_compared(people):
    masked = people.with_columns(income=pl.col("income") * 1.1)
    (table,) = evomask.measure_analyses(people, masked, tables=["school: mean income"])
    assert table.error == pytest.approx(10.0)


@pytest.mark.parametrize(
    "kind", [pl.DataFrame.to_pandas, pl.DataFrame.to_arrow, pl.DataFrame.clone]
)
def test_a_frame_is_audited_alone(homes, kind):
    found = evomask.audit(kind(homes), **WORDS)
    assert found.households.households == 27
    assert found.households.average > found.record_risk.average
    assert found.record_risk.weight == "weight"
    assert found.special.records == found.uniques > 0
    assert found.attacks == ()


def test_a_masked_frame_is_audited_with_its_original(homes):
    method = evomask.LocalSuppression(("school",), 3)
    kept = ["name", "income"]
    masked = evomask.mask(homes, method, nominal=["school"], drop=["home"], keep=kept)
    masked = masked.with_columns(school=pl.when(pl.int_range(80) < 4).then(pl.lit("*"))
                                 .otherwise(pl.col("school")))  # fmt: skip
    found = evomask.audit(masked, homes, **WORDS)
    assert found.suppressed == {"school": 4}
    assert found.households.households == 27
    assert found.attacks


def test_a_frame_is_measured_as_its_file_is(people, masked, measured, tmp_path):
    people.write_csv(tmp_path / "people.csv")
    masked.write_csv(tmp_path / "masked.csv")
    source = Input(tmp_path / "people.csv", quasi_identifiers=tuple(QUASI))
    by_file = measure_files(source, tmp_path / "masked.csv")
    assert measured.as_json() == by_file.as_json()


@pytest.mark.parametrize("kind", [pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_every_kind_of_frame_is_measured_alike(people, masked, measured, kind):
    found = evomask.measure(kind(people), kind(masked), quasi=QUASI)
    assert (found.loss, found.risk) == (measured.loss, measured.risk)


def test_the_original_has_no_loss_and_its_own_risk(people):
    found = evomask.measure(people, people, quasi=QUASI)
    assert found.loss == 0
    assert found.risk == found.original_risk > 0


def test_generalized_cells_are_understood_with_their_hierarchy(people):
    tree = evomask.hierarchy(people, "age", "intervals=5,10")
    method = evomask.Generalization(("age",), levels=(1,), hierarchies={"age": tree})
    masked = evomask.mask(people, method, drop=["name"], keep=["income"])
    schema = evomask.Schema(quasi=QUASI, hierarchies={"age": tree})
    found = evomask.measure(people, masked, schema=schema)
    assert 0 < found.losses["age"] < 100
    income = found.loss_parts.attributes["income"]
    assert income.accuracy == income.distributions == 0


def test_records_in_another_order_are_matched_by_a_key(people):
    masked = evomask.mask(people, evomask.Mdav(tuple(QUASI), k=4), keep=["name"], seed=1)
    found = evomask.measure(people, masked.sample(fraction=1.0, shuffle=True, seed=2),
                            quasi=QUASI, key="name")  # fmt: skip
    assert found.loss == pytest.approx(evomask.measure(people, masked, quasi=QUASI).loss)


def test_the_text_of_a_measurement_tells_the_pair(measured):
    assert f"loss {measured.loss:.2f} %, risk {measured.risk:.2f} %" in repr(measured)
    assert "p17" not in repr(measured)


def test_notebooks_show_measurements_as_tables(measured):
    assert measured._repr_html_().count("<table>") == 3


def test_results_have_a_figure(measured, people, masked):
    compared = evomask.compare(people, {"mdav": masked}, quasi=QUASI)
    audited = evomask.audit(masked, people, quasi=QUASI)
    assert all(isinstance(r.plot(), Figure) for r in (measured, compared, audited))


def test_masked_frames_are_compared_smallest_score_first(people, masked):
    copies = {"masked": masked, "original": people}
    found = evomask.compare(people.to_pandas(), copies, quasi=QUASI)
    assert found.best == "masked"
    assert found.table["name"].tolist() == ["masked", "original"]
    assert found.table["loss"].tolist()[1] == 0
    assert "<td>masked</td>" in found._repr_html_()


def test_nothing_cannot_be_compared(people):
    with pytest.raises(evomask.EvomaskError, match="nothing to compare"):
        evomask.compare(people, {})


def test_names_are_escaped_in_notebooks(people):
    found = evomask.compare(people, {"<b>": people}, quasi=QUASI)
    assert "<b>" not in found._repr_html_()


def test_a_release_is_audited_under_the_schema_of_its_original(people):
    schema = evomask.Schema(quasi=["school"], drop=["name"], confidential=["income"])
    found = evomask.audit(people.drop("name"), schema=schema)
    assert found.quasi_identifiers == ("school",)
    assert found.l is not None
    assert "k = " in repr(found)
    assert "<table>" in found._repr_html_()
