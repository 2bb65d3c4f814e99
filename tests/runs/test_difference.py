"""Several releases together, counted by loops over people; nested releases."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from evomask.data.scenario import Scenario
from evomask.engine.state import EngineCodec
from evomask.errors import DataError, ParameterError, RunError, UnmetError
from evomask.masking.enforce.nesting import Nesting
from evomask.masking.enforce.scenarios import KnownAttributes
from evomask.measures.attacks.combined_release import combine_releases
from evomask.measures.attacks.several_releases import ReleaseOfPeople, intersect_in_scenarios
from evomask.report.protection import point_file
from evomask.runs.difference import DifferenceJob, difference
from evomask.runs.inputs import Input
from evomask.runs.protect import choose, protect_file
from evomask.runs.saved_release import load_context
from evomask.runs.store.run_folder import RunFolder
from tests.runs.test_protect import job_for, write_town

SCENARIOS = (
    Scenario(name="register", knows=("age", "school")),
    Scenario(name="employer", knows=("income",)),
    Scenario(name="neighbour", knows=(), any=2, of=("age", "income", "school")),
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of which a point was released, its front as masked tables in the original's order."""
    parent = tmp_path_factory.mktemp("town")
    write_town(parent)
    searches = ("recipes", "generalization")
    done = protect_file(job_for(parent, "run", searches=searches, evaluations=90))
    context = load_context(RunFolder(done.folder).plan())[1]
    state = RunFolder(done.folder).newest_state(EngineCodec(context))
    files = {p.number: point_file(context, state, p.number).masked for p in state.front}
    return done, files


def cells(table, name):
    if table.is_recoded(name) or table.attribute(name).is_categorical:
        return [table.labels(name)[code] for code in table[name]]
    return table.values(name).tolist()


def slow_counts(tables, names):
    """Number of people with the same cells in all tables as each person, by loops."""
    rows = [list(zip(*(cells(t, n) for n in names), strict=True)) for t in tables]
    people = range(len(tables[0]))
    return [sum(all(own[i] == own[j] for own in rows) for j in people) for i in people]


def pairs_of(files, count, seed):
    """Pairs of different points; some with records left out."""
    numbers, rng = sorted(files), np.random.default_rng(seed)
    pairs = list(combinations(numbers, 2))
    return [pairs[i] for i in rng.choice(len(pairs), count, replace=len(pairs) < count)]


def test_k_of_two_releases_together_is_that_of_a_loop_over_people_in_50_of_50_pairs(run):
    _, files = run
    people = np.arange(80)
    equal = 0
    for one, other in pairs_of(files, 50, seed=1):
        tables = [files[one], files[other]]
        released = [ReleaseOfPeople(str(i), t, people) for i, t in enumerate(tables)]
        found = intersect_in_scenarios(released, SCENARIOS, {"register": 3})
        slow = {
            scenario.name: [slow_counts(tables, v.knows) for v in scenario.variants()]
            for scenario in SCENARIOS
        }
        equal += all(
            own.k == min(min(counts) for counts in slow[own.name])
            and own.unique
            == max(sum(c == 1 for c in counts) for counts in slow[own.name] if min(counts) == own.k)
            for own in found
            if own.name != "neighbour"
        ) and found[2].k == min(min(counts) for counts in slow["neighbour"])
        (alone,) = slow["register"]
        each = [slow_counts([t], ("age", "school")) for t in tables]
        below = sum(c < 3 and min(a, b) >= 3 for c, a, b in zip(alone, *each, strict=True))
        assert found[0].below == below
    assert equal == 50


def test_a_nested_file_keeps_k_together_with_the_release_in_50_of_50_pairs(run):
    _, files = run
    names = ("age", "income", "school")
    known = (KnownAttributes(names, 3), KnownAttributes(("age", "school"), 3))
    kept = 0
    for one, other in pairs_of(files, 50, seed=2):
        nested = Nesting((files[one],), known)(files[other])
        kept += all(min(slow_counts([files[one], nested], n.names)) >= 3 for n in known)
    assert kept == 50


def test_a_disclosed_value_is_one_that_all_candidates_share(run):
    _, files = run
    one, other = list(files)[:2]
    tables = [files[one], files[other]]
    released = [ReleaseOfPeople(str(i), t, np.arange(80)) for i, t in enumerate(tables)]
    (found,) = intersect_in_scenarios(released, SCENARIOS[:1], {})
    rows = [list(zip(cells(t, "age"), cells(t, "school"), strict=True)) for t in tables]
    values = cells(tables[0], "illness")

    def shared(person, used):
        return {values[j] for j in range(80) if all(rows[r][j] == rows[r][person] for r in used)}

    disclosed = found.disclosed[0]
    assert disclosed.attribute == "illness"
    assert disclosed.together == sum(len(shared(i, (0, 1))) == 1 for i in range(80))
    assert disclosed.alone == max(sum(len(shared(i, (r,))) == 1 for i in range(80)) for r in (0, 1))
    without = sum(len(shared(i, (0,)) & shared(i, (1,))) == 1 for i in range(80))
    assert disclosed.without_link == without


def test_points_of_a_run_are_compared_by_their_numbers(run):
    done, files = run
    found = difference(DifferenceJob((f"{done.folder}:1", f"{done.folder}:2")))
    by_point = {p.point: p.number for p in done.protection.front}
    names = ("age", "income", "school")
    slow = slow_counts([files[by_point[1]], files[by_point[2]]], names)
    assert found.scenarios[0].k == min(slow)
    assert found.scenarios[0].required == 3
    assert found.holds == (min(slow) >= 3)
    assert json.dumps(found.as_json())


def test_a_nested_choice_is_counted_in_the_files_that_were_written(run, tmp_path):
    done, _ = run
    first = choose(done.folder, "1", keep_order=True)
    frame = pl.read_csv(first.written.path, infer_schema=False)
    before = frame[np.argsort(np.load(done.folder / "order.npy"))]
    nested = choose(
        done.folder, "max-loss=100", keep_order=True, nested_in=str(done.folder), k_together=3
    )
    other = pl.read_csv(nested.written.path, infer_schema=False)
    after = other[np.argsort(np.load(done.folder / "order.npy"))]
    both = pl.concat(
        [
            before.select("age", "income", "school"),
            after.select(pl.all().name.suffix("_2")).select("age_2", "income_2", "school_2"),
        ],
        how="horizontal",
    )
    assert both.group_by(both.columns).len()["len"].min() >= 3
    assert any("nested in the earlier release" in note for note in nested.protection.notes)
    assert any("together" in note for note in nested.protection.notes)
    assert choose(done.folder, "1").chosen.point == 1


def test_a_file_with_less_k_together_is_refused_and_nothing_changes(run):
    done, _ = run
    choose(done.folder, "1")
    before = (done.folder / "record.json").read_bytes()
    last = len(done.protection.front)
    with pytest.raises(UnmetError, match=r"earlier release\(s\) together.*--nested-in"):
        choose(done.folder, str(last), k_together=40)
    assert (done.folder / "record.json").read_bytes() == before


def test_a_published_table_is_not_linked_with_records(run):
    done, _ = run
    found = difference(DifferenceJob((str(done.folder),), tables=("school x illness",)))
    scenario = found.scenarios[0]
    assert len(scenario.each) == 2
    assert scenario.k == scenario.each[0]
    town = pl.read_csv(done.folder.parent / "town.csv")
    assert scenario.each[1] == town.group_by("school").len()["len"].min()


def test_releases_of_two_years_are_intersected_by_a_key(tmp_path):
    write_town(tmp_path)
    first = protect_file(job_for(tmp_path, "first", evaluations=20))
    town = pl.read_csv(tmp_path / "town.csv").tail(60).sample(60, shuffle=True, seed=3)
    (tmp_path / "next").mkdir()
    town.with_columns(pl.col("age") + 1).write_csv(tmp_path / "next" / "town.csv")
    second = protect_file(job_for(tmp_path / "next", "second", evaluations=20))
    folders = str(first.folder), str(second.folder)
    with pytest.raises(DataError, match=r"different originals.*--key"):
        difference(DifferenceJob(folders))
    with pytest.raises(DataError, match="no column 'nobody'"):
        difference(DifferenceJob(folders, key="nobody"))
    with pytest.raises(DataError, match="does not tell people apart"):
        difference(DifferenceJob(folders, key="school"))
    found = difference(DifferenceJob(folders, key="name"))
    assert found.scenarios[0].people == 80
    assert found.scenarios[0].each[0] >= 3
    with pytest.raises(RunError, match="another original"):
        choose(second.folder, nested_in=str(first.folder))


def test_files_need_their_original_or_a_key(tmp_path):
    frame = pl.DataFrame({"who": ["a", "b", "c", "d"], "age": [1, 1, 2, 2], "sex": list("mmff")})
    frame.write_csv(tmp_path / "one.csv")
    frame.with_columns(pl.Series("age", [1, 2, 1, 2])).write_csv(tmp_path / "two.csv")
    names = str(tmp_path / "one.csv"), str(tmp_path / "two.csv")
    with pytest.raises(ParameterError, match="give its --original, or --key"):
        difference(DifferenceJob(names))
    source = Input(tmp_path / "one.csv", None, ("age",))
    found = difference(DifferenceJob(names, replace(source), key=""))
    assert (found.scenarios[0].k, found.scenarios[0].each) == (1, (2, 2))
    assert (found.linkable, found.link) == (100.0, ("who", "sex"))
    schema = tmp_path / "schema.toml"
    schema.write_text('[attributes.age]\nrole = "quasi-identifier"\n')
    found = difference(DifferenceJob(names, Input(type(tmp_path)(), schema), key="who"))
    assert found.scenarios[0].k == 1


def test_a_combined_cell_is_what_all_releases_allow(run):
    _, files = run
    for one, other in pairs_of(files, 6, seed=3):
        both = combine_releases([files[one], files[other]])
        for name in ("school",):
            for record in range(80):
                allowed = [
                    set(np.flatnonzero(t.recoding(name).leaves[t[name][record]]))
                    for t in (files[one], files[other])
                ]
                found = set(np.flatnonzero(both.recoding(name).leaves[both[name][record]]))
                assert found == (allowed[0] & allowed[1] or allowed[0])
        low, high = both.ends("age")
        ends = [t.ends("age") for t in (files[one], files[other])]
        meets = np.maximum(ends[0][0], ends[1][0]) <= np.minimum(ends[0][1], ends[1][1])
        assert np.array_equal(low[meets], np.maximum(ends[0][0], ends[1][0])[meets])
        assert np.array_equal(high[meets], np.minimum(ends[0][1], ends[1][1])[meets])


def test_two_noisy_files_together_have_more_risk_than_each(tmp_path):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(400, 3)).round(3)
    frame = pl.DataFrame(points, schema=["a", "b", "c"])
    frame.write_csv(tmp_path / "original.csv")
    names = []
    for number in range(4):
        noisy = pl.DataFrame(points + rng.normal(scale=0.5, size=points.shape), frame.columns)
        noisy.write_csv(tmp_path / f"{number}.csv")
        names.append(str(tmp_path / f"{number}.csv"))
    source = Input(tmp_path / "original.csv", None, ("a", "b", "c"))
    found = difference(DifferenceJob(tuple(names), source, measures_risk=True))
    (risk,) = found.risks
    assert risk.together > max(risk.alone) + 5
