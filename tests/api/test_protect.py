"""evomask.protect for Python users."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evomask
from evomask.errors import ParameterError

QUASI = ["age", "income", "school"]


@pytest.fixture(scope="module")
def people():
    """Eighty people."""
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(80)],
            "age": rng.integers(20, 70, 80),
            "school": rng.choice(["a", "b", "c"], 80),
            "income": rng.integers(1000, 2000, 80),
        }
    )


def protected(frame, **more):
    return evomask.protect(
        frame,
        quasi=QUASI,
        ordinal=["school"],
        drop=["name"],
        require="k=4",
        evaluations=12,
        seed=1,
        **more,
    )


@pytest.fixture(scope="module")
def result(people):
    return protected(people)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.Table])
def test_the_caller_gets_the_kind_of_frame_it_gave(people, kind):
    frame = {pd.DataFrame: people.to_pandas, pa.Table: people.to_arrow}.get(kind, people.clone)()
    found = protected(frame)
    assert isinstance(found.front, kind)
    assert isinstance(found.masked(), kind)


def test_the_front_tells_loss_and_risk_of_every_point(result):
    front = result.front
    assert {"point", "search", "method", "loss", "risk", "score"} <= set(front.columns)
    assert front["loss"].is_sorted()


def test_every_point_fulfils_the_requirement(result):
    for point in result.front["point"]:
        assert result.masked(point).group_by(QUASI).len()["len"].min() >= 4


def test_identifiers_are_gone_and_columns_keep_order_and_type(result, people):
    masked = result.masked()
    assert masked.columns == ["age", "school", "income"]
    assert masked.schema["age"] == people.schema["age"]


def test_records_are_shuffled_unless_their_order_is_wanted(result, people):
    kept = result.masked(shuffled=False)
    assert sorted(kept.rows()) == sorted(result.masked().rows())
    assert kept.rows() != result.masked().rows()


def test_an_index_that_would_tell_the_order_is_renewed(people):
    masked = protected(people.to_pandas()).masked()
    assert masked.index.tolist() == list(range(80))


def test_the_frame_given_is_left_alone(people):
    frame = people.to_pandas()
    before = frame.copy()
    protected(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_nothing_is_printed(people, capfd):
    protected(people)
    assert capfd.readouterr() == ("", "")


def test_the_same_seed_gives_the_same_result(people, result):
    again = protected(people)
    assert again.masked(shuffled=False).equals(result.masked(shuffled=False))
    assert not again.masked().equals(result.masked())


def test_a_point_that_is_not_there_is_refused(result):
    with pytest.raises(ParameterError, match="no point 999"):
        result.masked(999)


def test_a_point_can_be_found_by_a_wish(result):
    least = result.front["risk"].min()
    point = result.pick(f"max-risk={least + 0.01:.2f}")
    row = result.front.filter(pl.col("point") == point)
    assert row["risk"].item() <= least + 0.01


def test_notebooks_show_the_map(result):
    assert "<svg" in result._repr_html_()


def test_the_text_of_a_result_holds_no_value_of_a_record(result):
    assert repr(result).startswith("<evomask.Result of ")


def test_the_report_is_written(result, tmp_path):
    assert "<html" in result.report(tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_public_report_does_not_tell_the_seed(result, tmp_path):
    pages = [
        result.report(tmp_path / f"{public}.html", public=public).read_text(encoding="utf-8")
        for public in (False, True)
    ]
    assert ["seed" in page for page in pages] == [True, False]


def test_statistics_that_must_survive_are_columns_of_the_front(people):
    found = protected(people, keep_tables=["school: mean income"], keep_models=["income ~ age"])
    assert {"table_error", "model_error"} <= set(found.front.columns)
    table, model = found.kept()
    assert table.text == "school: mean income"
    row = found.front.filter(pl.col("point") == found.chosen)
    assert row["table_error"].item() == table.error
    assert row["model_error"].item() == model.error


def test_a_point_is_picked_within_limits(result):
    front = result.front
    limit = front["risk"].median()
    point = result.pick(max_risk=limit)
    allowed = front.filter(pl.col("risk") <= limit)
    assert front.filter(pl.col("point") == point)["loss"].item() == allowed["loss"].min()


def test_what_cannot_be_kept_is_told_before_the_search(people):
    with pytest.raises(evomask.EvomaskError, match="no column 'scool'"):
        protected(people, keep_tables=["scool"])


@pytest.fixture
def homes(people):
    """The same people, three in each household, and how many each of them stands for."""
    return people.with_columns(
        home=pl.int_range(80) // 3, weight=pl.lit(10.0), school=pl.col("school")
    )


def test_households_are_never_released_and_their_risk_is_reported(homes, tmp_path):
    words = {"quasi": ["school", "age"], "ordinal": ["school"], "drop": ["name", "income"]}
    result = evomask.protect(homes, **words, household="home", evaluations=6, seed=1)
    assert "home" not in result.masked().columns
    page = result.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "chance in percent that any member is identified" in page
    assert "records that are unique on up to 2 attributes" in page


def test_nothing_is_released_where_nobody_named_roles(people):
    with pytest.raises(evomask.RolesNeededError, match="accept_proposal=True") as stopped:
        evomask.protect(people, evaluations=4)
    assert "name" in stopped.value.proposal.schema.drop


def test_a_proposal_that_is_accepted_is_used(people):
    found = evomask.protect(
        people, accept_proposal=True, searches=["recipes"], evaluations=4, seed=1
    )
    assert "name" not in found.masked().columns


def test_what_is_said_by_name_wins_over_the_proposal(people):
    found = evomask.protect(
        people, accept_proposal=True, drop=["income"], searches=["recipes"], evaluations=4, seed=1
    )
    assert "income" not in found.masked().columns


def test_two_candidates_for_the_weight_are_a_question(people):
    frame = people.with_columns(weight=pl.lit(1.5), sampling_weight=pl.lit(2.5))
    with pytest.raises(evomask.EvomaskError, match="which column is the weight"):
        evomask.protect(frame, accept_proposal=True, evaluations=4)
    assert evomask.propose(frame).questions
    assert not evomask.propose(frame, schema=evomask.Schema(weight="weight")).questions


def test_a_schema_built_in_code_protects(people):
    schema = evomask.Schema(quasi=QUASI, drop="name", categories={"school": ["a", "b", "c"]})
    found = evomask.protect(people, schema=schema, require="k=4", evaluations=12, seed=1)
    assert found.masked(shuffled=False).equals(protected(people).masked(shuffled=False))


def test_masked_numbers_have_no_more_digits_than_their_column():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"price": rng.integers(100, 900, 60) / 100, "size": rng.random(60)})
    masked = evomask.mask(frame, evomask.Mdav(("price", "size"), k=3))
    assert (masked["price"].round(2) == masked["price"]).all()
    assert not (masked["size"].round(2) == masked["size"]).all()


def test_the_map_is_a_figure_that_can_be_saved(result, tmp_path):
    result.plot().savefig(tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_a_file_is_protected_as_the_command_does(people, tmp_path):
    people.write_csv(tmp_path / "people.csv")
    run = evomask.protect_file(
        tmp_path / "people.csv", tmp_path / "release", quasi=QUASI, drop=["name"],
        require="k=4", searches=["recipes"], evaluations=6, seed=1,
        accept_risk=True, accept_loss=True,
    )  # fmt: skip
    assert run.masked().group_by(QUASI).len()["len"].min() >= 4


def test_a_file_without_roles_is_not_protected(people, tmp_path):
    people.write_csv(tmp_path / "people.csv")
    with pytest.raises(evomask.RolesNeededError):
        evomask.protect_file(tmp_path / "people.csv", tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_the_front_of_a_file_without_hierarchies_has_generalized_and_recoded_files():
    rng = np.random.default_rng(5)
    jobs, shares = ["clerk", "nurse", "teacher", "farmer", "smith", "pilot"], [40, 30, 20, 6, 3, 1]
    people = pl.DataFrame(
        {
            "age": rng.integers(18, 80, 160),
            "sex": rng.choice(["f", "m"], 160),
            "job": rng.choice(jobs, 160, p=np.array(shares) / 100),
            "region": rng.choice(["north", "south", "east"], 160, p=[0.5, 0.4, 0.1]),
        }
    )
    found = evomask.protect(
        people,
        quasi=people.columns,
        searches=["recipes", "generalization"],
        evaluations=150,
        seed=3,
    )
    on_front = {
        (point.member, step.method)
        for point in found.protection.front
        for step in point.making.steps
    }
    assert {member for member, _ in on_front} >= {"recipes", "generalization-local"}
    assert "generalization" in {method for _, method in on_front}
    tried = {
        step.method for file in found.protection.state.candidates for step in file.making.steps
    }
    assert "local-suppression" in tried
