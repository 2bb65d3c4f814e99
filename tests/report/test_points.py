"""What users read of a point: what was done, not the name of an operator."""

import msgspec
import numpy as np
import polars as pl
import pytest

from evomask import protect
from evomask.engine.front import ORIGINAL, FrontPoint
from evomask.engine.specialists import Specialist, search_of
from evomask.engine.state import EngineState, Generation
from evomask.masking.enforce.requirement import NOTHING, Requirement
from evomask.masking.provenance import Provenance, Step
from evomask.masking.synthesis import SYNTHESES
from evomask.report.describe import (
    complete_provenance,
    describe_provenance,
    method_text,
    point_fields,
    public_sentences,
)

PEOPLE = 60


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Categories alone, with hierarchies, so that almost all searches take part."""
    rng = np.random.default_rng(4)
    folder = tmp_path_factory.mktemp("trees")
    (folder / "age.csv").write_text(
        "".join(f"{a};{a // 2 * 2}-{a // 2 * 2 + 1};*\n" for a in range(6)), encoding="utf-8"
    )
    (folder / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    frame = pl.DataFrame(
        {"age": rng.integers(0, 6, PEOPLE).astype(str), "sex": rng.choice(["f", "m"], PEOPLE)}
    )
    trees = {name: folder / f"{name}.csv" for name in ("age", "sex")}

    def result(search, evaluations=150):
        return protect(
            frame, quasi=["age", "sex"], ordinal=["age"], nominal=["sex"], hierarchies=trees,
            searches=[search], evaluations=evaluations, seed=3,
        )  # fmt: skip

    return result


def files_of(result, search):
    """Files that a search made, without those of the initial design."""
    found = tuple(one for one in result.protection.state.candidates if one.search == search)
    assert found
    return found


SEARCHES = ("partition", "clustered", "pram", "equations", "generalization", "files", "recipes")
PLACES = set("{}[]")


@pytest.fixture(scope="module")
def numbers():
    """Numbers alone, which can be grouped by attributes."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.normal(size=40) for name in "abc"})
    result = protect(frame, searches=["grouping"], evaluations=80, seed=1, accept_proposal=True)
    return files_of(result, "grouping")


@pytest.fixture(scope="module", params=[*SEARCHES, "grouping"])
def made(request, answers):
    """Files that a search made."""
    if request.param == "grouping":
        return request.getfixturevalue("numbers")
    return files_of(answers(request.param), request.param)


class TestEverySearch:
    def test_tells_what_it_did_and_that_it_did_it(self, made):
        names = {name for one in made for step in one.making.steps for name in step.attributes}
        assert names in ({"age", "sex"}, {"a", "b", "c"})
        assert all(one.making.search in (one.search, "recipes") for one in made)
        assert all(one.making.operator == one.operator for one in made)

    def test_fills_every_place_of_its_clause(self, made):
        heading = search_of(Specialist(made[0].search)).about.title
        for one in made:
            words = describe_provenance(one.making)
            assert words != heading
            assert not PLACES & set(words)

    def test_has_sentences_for_the_public_without_a_number(self, made):
        for one in made:
            text = " ".join(public_sentences(one.making))
            assert text.endswith(".")
            assert not any(character.isdigit() or character in PLACES for character in text)

    def test_is_the_same_after_it_was_written_and_read(self, made):
        for one in made:
            assert (
                msgspec.json.decode(msgspec.json.encode(one.making), type=Provenance) == one.making
            )

    def test_is_called_in_its_words_as_in_the_catalogue(self, made):
        search = search_of(Specialist(made[0].search))
        assert search.about.name == search.name == made[0].search


@pytest.mark.parametrize(
    ("search", "begins"),
    [
        ("partition", "records put into "),
        ("clustered", "clustered "),
        ("pram", "age: PRAM with given transition matrices"),
        ("equations", "age: PRAM with given transition matrices"),
        ("generalization", ""),
        ("files", "cells changed one by one: "),
    ],
)
def test_words_tell_what_a_search_did(answers, search, begins):
    words = [describe_provenance(one.making) for one in files_of(answers(search), search)]
    assert all(text.startswith(begins) for text in words)


def test_the_share_of_changed_cells_is_that_of_the_file(answers):
    done = answers("files").protection
    own = {one.number for one in files_of(answers("files"), "files")}
    for one in (one for one in done.front if one.number in own):
        masked = done.files(one.number).masked
        (step,) = one.making.steps
        for name, changed in step.parameters["changed"].items():
            assert changed == pytest.approx(100 * np.mean(masked[name] != done.table[name]))


def test_attributes_that_are_grouped_apart_are_named(numbers):
    for one in numbers:
        assert sorted(name for step in one.making.steps for name in step.attributes) == [*"abc"]
        groups = " | ".join(", ".join(step.attributes) for step in one.making.steps)
        assert len(one.making.steps) == 1 or groups in describe_provenance(one.making)


def test_what_repairing_did_is_told():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    result = protect(
        frame, require="k=4", searches=["recipes"], evaluations=30, seed=1, accept_proposal=True
    )
    ungrouped = {"independent-noise", "correlated-noise", "rank-swapping", *SYNTHESES}
    noisy = [
        one.making
        for one in result.protection.front
        if ungrouped >= {step.method for step in one.making.steps}
    ]
    assert noisy
    assert all(making.required == "k=4" and making.repaired > 0 for making in noisy)
    assert result.front["method"].to_list() == [
        describe_provenance(one.making) for one in result.protection.front
    ]


SWAPS = Step("rank-swapping", {"window": 5.0}, ("age",))
PRAM = Step("pram", {"design": "diagonal", "change": 0.1, "invariant": False}, ("sex",))
CELLS = Provenance((Step("files", {"changed": {"age": 4.0}}, ("age",)),), "files")


def test_files_are_told_from_which_protections_they_descend():
    grid = FrontPoint(0, Provenance((SWAPS, PRAM), "design"), 1.0, 2.0)
    trees = FrontPoint(1, Provenance((Step("generalization"),)), 1.0, 2.0, "generalization")
    child = FrontPoint(2, CELLS, 1.0, 2.0, "files", "files-front")
    state = EngineState(
        candidates=EngineState().candidates.plus([grid, trees, child]),
        generations={"files-front": Generation(adopted=frozenset([0, 1]))},
    )
    making = complete_provenance(child, state, None, NOTHING).making
    assert making.origins == ("rank-swapping", "pram")
    assert describe_provenance(making).endswith("went on from files made by rank swapping and PRAM")
    assert complete_provenance(grid, state, None, NOTHING) == grid


def test_a_point_that_nobody_looked_at_may_have_been_repaired():
    one = FrontPoint(0, Provenance((SWAPS,)), 1.0, 2.0)
    words = method_text(complete_provenance(one, EngineState(), None, Requirement(k=3)))
    assert words.endswith("; then similar records made alike where k = 3 needs it")


def test_a_point_is_known_by_its_number_and_what_was_done():
    point = point_fields(FrontPoint(4, CELLS, 1.0, 2.0, "files", "files-front", "polish", point=2))
    assert point == {
        "point": 2,
        "search": "files",
        "method": "cells changed one by one: 4 % differ",
        "operator": "polish",
        "file": 4,
        "loss": 1.0,
        "risk": 2.0,
        "score": 2.0,
    }


def test_the_original_is_called_so():
    assert method_text(FrontPoint(ORIGINAL, Provenance(), 0.0, 9.0)) == "the original file"
