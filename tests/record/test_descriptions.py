"""What users read of a point: what was done, not the name of an operator."""

import numpy as np
import polars as pl
import pytest

from evomask.api import protect
from evomask.masking.guarantees.requirement import NOTHING, Requirement
from evomask.portfolio.candidate import Candidate
from evomask.portfolio.state import PortfolioState
from evomask.record.descriptions import described

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

    def result(search, evaluations=12):
        return protect(
            frame, quasi=["age", "sex"], ordinal=["age"], nominal=["sex"], hierarchies=trees,
            searches=[search], evaluations=evaluations, seed=3,
        )  # fmt: skip

    return result


@pytest.mark.parametrize(
    ("search", "begins", "tells"),
    [
        ("partition", "microaggregation of 2 attributes in", "groups of"),
        ("clustered", "", "k = "),
        ("pram", "", "of the cells stay"),
        ("equations", "PRAM by a formula: ", "of the cells stay"),
        ("generalization", "generalization", ""),
        ("files", "cells changed one by one: ", "differ"),
    ],
)
def test_every_search_tells_what_it_did(answers, search, begins, tells):
    told = [one.description for one in answers(search).done.candidates]
    assert told
    assert all(text.startswith(begins) and tells in text for text in told)


def test_the_share_of_changed_cells_is_that_of_the_file(answers):
    done = answers("files").done
    for one in done.front:
        masked = done.masked(one.number)
        unlike = np.mean([masked[n] != done.table[n] for n in ("age", "sex")])
        assert f"{100 * unlike:.0f} % differ" in one.description


def test_attributes_that_are_grouped_apart_are_named():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.normal(size=40) for name in "abc"})
    done = protect(frame, searches=["grouping"], evaluations=10, seed=1).done
    for one in done.front:
        assert one.description.startswith("microaggregation, k = ")
        assert all(name in one.description.rpartition(": ")[2] for name in "abc")


def test_what_repairing_did_is_told():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    result = protect(frame, require="k=4", searches=["grid"], evaluations=30, seed=1)
    done = result.done
    noisy = [one for one in done.front if one.description.startswith(("noise", "rank swapping"))]
    assert noisy
    assert all("of the cells made alike for k = 4" in one.description for one in noisy)
    assert result.front["method"].to_list() == [one.description for one in done.front]


def test_files_are_told_from_which_protections_they_descend():
    grid = Candidate(0, "rank swapping, 5 %; PRAM, diagonal, change 0.1", 1.0, 2.0)
    trees = Candidate(1, "generalization: withheld: sex", 1.0, 2.0, "generalization")
    child = Candidate(2, "cells changed", 1.0, 2.0, "files", "files-front")
    state = PortfolioState(
        candidates=PortfolioState().candidates.plus([grid, trees, child]),
        adopted={"files-front": frozenset([0, 1])},
    )
    told = described(child, None, state, NOTHING).description
    assert told == "cells changed; descends from rank swapping and PRAM"
    assert described(grid, None, state, NOTHING) == grid


def test_a_point_that_nobody_looked_at_may_have_been_repaired():
    one = Candidate(0, "PRAM", 1.0, 2.0)
    told = described(one, None, PortfolioState(), Requirement(k=3)).description
    assert told == "PRAM; then made alike where k = 3 needs it"
