"""Statistics that must survive, from the job to the record and the reports."""

import json
from dataclasses import replace

import msgspec
import numpy as np
import polars as pl
import pytest

from evomask.engine.front import Bounds, within
from evomask.engine.offers import likely
from evomask.errors import ParameterError, SchemaError
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.report.public_record import build_public_record
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, choose, protect_file
from evomask.runs.store import preserved_analyses
from evomask.runs.store.journal import EventDispatcher
from evomask.runs.store.preserved_analyses import ERRORS
from evomask.runs.store.run_control import Deadline

KEEP = AnalysesToPreserve(("school: mean income", "school x illness"), ("income ~ age + school",))
SCHEMA = """
[attributes.age]
role = "quasi-identifier"
[attributes.income]
role = "quasi-identifier"
[attributes.school]
kind = "ordinal"
role = "quasi-identifier"
[attributes.name]
role = "identifier"
[keep]
tables = ["school"]
models = ["income ~ age"]
"""


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """A hundred and fifty people whose income depends on age and school."""
    rng = np.random.default_rng(5)
    age, school = rng.integers(20, 70, 150), rng.integers(0, 3, 150)
    frame = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(150)],
            "age": age,
            "income": 1000 + 20 * age + 400 * school + rng.integers(0, 200, 150),
            "school": np.array(["a", "b", "c"])[school],
            "illness": rng.choice(["flu", "cold", "none"], 150),
        }
    )
    folder = tmp_path_factory.mktemp("town")
    frame.write_csv(folder / "town.csv")
    (folder / "town.toml").write_text(SCHEMA, encoding="utf-8")
    return folder


def job_for(town, name, **more):
    source = Input(
        town / "town.csv", None, ("age", "income", "school"), ("illness",), ("name",), ("school",)
    )
    defaults = {
        "evaluations": 20,
        "seed": 7,
        "keep": KEEP,
        "searches": ("recipes",),
    }
    return ProtectJob(**({"source": source, "folder": town / name} | defaults | more))


@pytest.fixture(scope="module")
def once(town):
    """A job that keeps two tables and a model."""
    return protect_file(job_for(town, "run"))


def test_every_point_of_the_front_has_its_errors(once):
    points = json.loads((once.folder / "record.json").read_bytes())["points"]
    assert all(
        0 <= p["table_error"] <= 100 and 0 <= p["model_error"] <= 100 for p in points["front"]
    )
    assert points["original"]["table_error"] == 0
    assert len({p["table_error"] for p in points["front"]}) > 1


def test_the_record_tells_every_statistic_before_and_after(once):
    record = once.record
    assert [statistic.text for statistic in record.kept] == [*KEEP.tables, *KEEP.models]
    largest = max(statistic.error for statistic in record.kept if statistic.kind == "table")
    assert largest == record.chosen.table_error
    assert record.parameters["keep"] == {
        "tables": [*KEEP.tables],
        "models": [*KEEP.models],
        "indicators": [],
        "uses": [],
        "objective": False,
        "replicates": "",
    }


def test_the_internal_report_shows_them_and_the_public_one_only_how_near_they_come(once):
    internal, public = once.reports.internal.read_text(), once.reports.public.read_text()
    (mean, *_) = once.record.kept
    figure = f"{mean.values[0].before.value:,.0f}"
    assert figure in internal
    assert "preserved analyses" in internal
    assert internal.count("intervals before and after") >= len(mean.values)
    assert mean.verdict in {"safe", "with care", "not safe"}
    assert f'<td class="word">{mean.verdict}</td>' in public
    assert mean.text in public
    assert figure not in public


def test_the_public_record_has_no_place_for_a_figure(once):
    kept = build_public_record(once.record).kept
    assert [set(msgspec.to_builtins(each)) for each in kept] == [
        {"text", "kind", "error", "overlap", "verdict"}
    ] * 3
    assert all(isinstance(each.error, int) and isinstance(each.overlap, int) for each in kept)


def test_a_bound_on_errors_moves_the_suggested_point(once, town):
    errors = sorted(point.table_error for point in once.record.points.front)
    limit = errors[0] + 0.01
    done = protect_file(job_for(town, "bounded", bounds=Bounds(table_error=limit)))
    assert done.record.chosen.table_error <= limit
    assert f"a table error of at most {limit:g} %" in done.choice.reason
    assert done.record.bounds == {"table_error": limit}


def test_choosing_again_reads_no_statistic_twice(once, monkeypatch):
    monkeypatch.setattr(preserved_analyses, "errors_of", lambda _: pytest.fail("read once more"))
    choose(once.folder)


def test_under_a_deadline_the_usual_point_is_compared_first_and_the_rest_while_there_is_time(once):
    """A clock that has run out after the first point, and one that allows three."""
    found = once.protection
    front = tuple(replace(point, errors={}) for point in found.state.front)
    unread = replace(found.state, front=front)
    assert len(front) > 3
    for ends, least in ((0.0, 1), (1e9, len(front))):
        deadline = Deadline(lambda: 1.0, ends, measuring=0.1)
        state = preserved_analyses.compare_front(
            found.maker, unread, found.kept, {}, EventDispatcher(), deadline
        )
        compared = [point for point in state.front if point.errors]
        assert len(compared) == least
        assert likely(front).number in [point.number for point in compared]
    assert preserved_analyses.comparison_note(state.front) == ""


def test_points_that_were_not_compared_are_told_and_keep_no_limit_on_errors(once):
    front = once.protection.state.front
    some = (front[0], *(replace(point, errors={}) for point in front[1:]))
    assert f"of 1 of {len(front)} points" in preserved_analyses.comparison_note(some)
    assert within(some, Bounds(table_error=100)) == some[:1]


def test_errors_that_somebody_changed_are_not_believed(once):
    kept = once.folder / ERRORS
    before = kept.read_bytes()
    changed = {n: {**both, "table_error": 99.0} for n, both in json.loads(before).items()}
    kept.write_text(json.dumps(changed))
    done = choose(once.folder)
    assert json.loads(kept.read_bytes()) == json.loads(before)
    assert any("kept.json was changed or removed" in note for note in done.protection.notes)


def test_choosing_within_a_risk_takes_the_least_loss(once):
    front = once.record.points.front
    limit = max(point.risk for point in front if point.loss > front[0].loss)
    done = choose(once.folder, "suggested", Bounds(risk=limit))
    assert done.chosen.loss == min(point.loss for point in front if point.risk <= limit)
    assert f"the smallest loss within a risk of at most {limit:g} %" in done.choice.reason


def test_a_schema_may_name_what_must_survive(town):
    source = Input(town / "town.csv", town / "town.toml")
    done = protect_file(
        job_for(town, "by-schema", source=source, keep=AnalysesToPreserve(("school",)))
    )
    assert [statistic.text for statistic in done.record.kept] == ["school", "income ~ age"]


@pytest.mark.parametrize(
    ("more", "error", "why"),
    [
        ({"keep": AnalysesToPreserve(("scool",))}, SchemaError, "no column 'scool'"),
        ({"keep": AnalysesToPreserve((), ("income",))}, ParameterError, "cannot be read"),
        (
            {"keep": AnalysesToPreserve(), "bounds": Bounds(model_error=5)},
            ParameterError,
            "--keep-model",
        ),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_made(town, more, error, why):
    with pytest.raises(error, match=why):
        protect_file(job_for(town, "wrong", **more))
    assert not (town / "wrong").exists()


def test_group_means_and_lost_categories_are_always_reported(town):
    done = protect_file(job_for(town, "plain", keep=AnalysesToPreserve()))
    assert done.record.kept == ()
    assert {"mean income by school", "mean age by illness"} & {
        statistic.text for statistic in done.record.group_means
    }
    assert done.record.chosen.table_error is None
    page = done.reports.internal.read_text()
    assert "Group means" in page
    assert "Lost categories and suppressed cells" in page


def test_where_no_point_keeps_a_limit_nothing_is_released_and_the_run_can_be_chosen_from(town):
    keep = AnalysesToPreserve((*KEEP.tables, "school: mean age"))
    job = job_for(town, "strict", keep=keep, bounds=Bounds(table_error=0))
    with pytest.raises(ParameterError, match="no point has a table error of at most 0 %; the near"):
        protect_file(job)
    assert not (town / "strict" / "masked").exists()
    done = choose(town / "strict", "balanced")
    assert done.written.records == 150
    assert done.record.bounds == {}


def test_a_limit_of_one_analysis_steers_and_marks_the_points_that_break_it(once, town):
    text = "school: mean income"
    errors = [one.error for one in once.record.kept if one.text == text]
    limit = round(max(0.5, errors[0] / 2), 2)
    keep = AnalysesToPreserve((f"{text} <= {limit:g} %", "school x illness"))
    done = protect_file(job_for(town, "single", keep=keep))
    reading = f"error of {text}"
    assert done.record.bounds == {reading: limit}
    assert done.record.chosen.errors[reading] <= limit
    assert all(not point.breaks for point in done.record.points.front)
    assert f"{reading} of at most {limit:g} %" in done.choice.reason
    again = choose(done.folder, "knee")
    assert again.record.bounds == {reading: limit}
    by_number = choose(done.folder, "1")
    assert by_number.record.bounds == {}


def test_points_above_a_limit_are_shown_as_such(once):
    front = once.record.points.front
    limit = max(point.risk for point in front if point.loss > front[0].loss)
    done = choose(once.folder, "suggested", Bounds(risk=limit))
    points = done.record.points.front
    assert [bool(point.breaks) for point in points] == [point.risk > limit for point in points]
    assert "breaks the limit of risk" in done.reports.internal.read_text()


def test_a_third_objective_has_a_column_and_a_view_of_the_front(town):
    done = protect_file(job_for(town, "third", keep=replace(KEEP, objective=True)))
    points = done.record.points
    assert {point.point for point in points.view} <= {point.point for point in points.front}
    assert points.chosen.point in {point.point for point in points.view}
    assert all(point.analysis_error is not None for point in points.front)
    assert points.original.analysis_error == 0
    assert "analysis error" in done.reports.internal.read_text()
    again = choose(done.folder, "suggested")
    assert again.record.points.front == points.front


def test_a_third_objective_needs_analyses(town):
    with pytest.raises(ParameterError, match="keep-objective needs analyses"):
        protect_file(job_for(town, "none", keep=AnalysesToPreserve(objective=True)))
