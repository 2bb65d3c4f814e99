"""What users add to `evomask.protect`: what to start from, and a function that watches."""

import pytest

import evomask
from evomask.io.datasets import survey

QUASI = ("age", "sex", "income")
RECIPE = """
[[steps]]
method = "mdav-generic"
attributes = ["age", "income"]
k = 6

[[steps]]
method = "pram"
attributes = ["sex"]
change = 0.1
"""


@pytest.fixture(scope="module")
def people():
    return survey(300).select("age", "sex", "education", "income", "health")


def protect(people, **more):
    usual = {"evaluations": 12, "seed": 2**60, "searches": ["recipes"], "require": "k=3"}
    return evomask.protect(people, quasi=QUASI, **(usual | more))


def found(result, search):
    return [one for one in result.protection.state.candidates if one.search == search]


def test_a_given_recipe_is_evaluated_first_as_a_whole_file(people, tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    result = protect(people, start=[path])
    first = result.protection.state.candidates.last(len(result.protection.state.candidates))[0]
    assert (first.search, first.number) == ("given", 0)
    assert [step.method for step in first.making.steps] == ["pram", "mdav-generic"]


def test_a_masked_frame_is_measured_by_the_same_pair_and_credited(people):
    names = (*QUASI,)
    theirs = evomask.mask(people, evomask.MdavGeneric(names, k=5), seed=1)
    result = protect(people, start=[theirs])
    (given,) = found(result, "given")
    # its groups have five records, so only values beside rare missing ones change
    measured = evomask.measure(people, theirs, schema=evomask.Schema(quasi=QUASI))
    assert given.loss == pytest.approx(measured.loss, abs=0.02)
    assert given.member == "given"


def test_a_better_file_of_a_colleague_is_on_the_front(people):
    ours = protect(people, evaluations=60)
    theirs = ours.masked(shuffled=False)
    result = protect(people, start=[theirs], evaluations=3)
    (given,) = [one for one in result.protection.front if one.search == "given"]
    released = result.masked(given.point, shuffled=False)
    assert released.equals(theirs)


def test_what_was_given_breeds(people, tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    result = protect(people, start=[path], evaluations=60)
    births = result.protection.state.births
    assert any(0 in (birth.first, birth.second) for birth in births)


def test_given_frames_reach_worker_processes(people):
    theirs = evomask.mask(people, evomask.MdavGeneric(QUASI, k=5), seed=1)
    one, two = (protect(people, start=[theirs], workers=workers) for workers in (1, 2))
    assert [(p.loss, p.risk) for p in found(one, "given")] == [
        (p.loss, p.risk) for p in found(two, "given")
    ]


def test_a_frame_with_fewer_records_is_refused(people):
    with pytest.raises(evomask.EvomaskError, match="frame 1 has 299 records, and the original 300"):
        protect(people, start=[people.head(299)])


def test_a_frame_in_another_order_is_noted(people):
    theirs = evomask.mask(people, evomask.MdavGeneric(QUASI, k=5), seed=1)
    result = protect(people, start=[theirs.reverse()])
    assert any("frame 1 seem to be in another order" in note for note in result.protection.notes)


def test_a_recipe_for_other_columns_is_refused(people, tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE.replace('"sex"', '"gender"'))
    with pytest.raises(evomask.EvomaskError, match="step 1: no attribute 'gender'"):
        protect(people, start=[path])


def test_the_function_sees_every_block_and_the_front_grow(people):
    seen = []
    result = protect(people, callback=seen.append, evaluations=40)
    assert seen[-1].evaluations <= 40
    assert [one.evaluations for one in seen] == sorted(one.evaluations for one in seen)
    assert len(seen[-1].front) == len(result.protection.front)
    assert seen[-1].best.risk <= 100


def test_the_function_stops_the_search(people):
    seen = []

    def stop_early(progress):
        seen.append(progress)
        return progress.evaluations < 10

    result = protect(people, callback=stop_early, evaluations=2_000)
    assert seen[-1].evaluations >= 10
    assert result.protection.state.evaluations < 200
    assert len(result.masked()) == 300
