from collections import Counter

import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.archive import dominators
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.searches.base import SearchContext
from evomask.searches.generalization.local_recoding import recode_locally
from evomask.searches.generalization.search import GeneralizationSearch, Parameters
from evomask.searches.generalization.uses import Recipe
from tests.searches.generalization.lattices import TREES, small_lattice, small_table

KEEP = AnalysesToPreserve(("sex x town",), ("class = yes ~ sex + age",))
LINES = {
    name: [tuple(level[leaf] for level in tree.levels) for leaf in range(len(tree.categories))]
    for name, tree in TREES.items()
}


def ready(keep=KEEP, table=None, **wanted):
    around = SearchContext(lambda number: draw_stream(1, number), hierarchies=LINES, keep=keep)
    parameters = Parameters(**{"uses": True, "labels": ("illness", "class"), **wanted})
    return GeneralizationSearch.setup(table or small_table(), parameters, around)


def searched(until=4, **wanted):
    setup = ready(**wanted)
    work = InProcess(Worker(setup.problem, 1))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    return setup, evolve(
        state, setup.scheme, work, seed=1, until=generations(until), cost=setup.cost
    )


def test_every_use_is_an_objective():
    assert ready().problem.uses.names == (
        "anonymity", "cells", "label illness", "label class", "table sex x town",
        "model class = yes ~ sex + age",
    )  # fmt: skip


def test_the_original_costs_no_table_and_no_model_anything():
    problem = ready().problem
    setting = problem.read(Recipe((0, 0, 0)), 0)
    assert setting["cells"] == setting["table sex x town"] == 0
    assert setting["model class = yes ~ sex + age"] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("recipe", [Recipe((1, 0, 1)), Recipe(k=4, prices=(1.0, 5.0, 0.2))])
def test_objectives_are_those_of_the_released_table(recipe):
    """The slow obvious twin: classes and majorities counted in the decoded file."""
    problem = ready().problem
    masked, setting = problem.decode(recipe, 0), problem.read(recipe, 0)
    classes = classes_of(masked, ("age", "sex", "town")).labels
    assert setting["anonymity"] == pytest.approx(100 / min(Counter(classes.tolist()).values()))
    for label in ("illness", "class"):
        pairs = Counter(zip(classes.tolist(), masked[label].tolist(), strict=True))
        main = {c: max(n for (d, _), n in pairs.items() if d == c) for c in set(classes.tolist())}
        assert setting[f"label {label}"] == pytest.approx(100 * (1 - sum(main.values()) / 80))


def test_a_suppressed_record_is_misclassified():
    problem = ready(suppression=60.0).problem
    made = problem.made(Recipe((0, 0, 0)))
    assert 0 < (~made.stays).sum() <= 48
    assert problem.read(Recipe((0, 0, 0)), 0)["label class"] >= 100 * (~made.stays).mean()


def test_no_point_of_the_front_is_worse_than_another_everywhere():
    _, state = searched()
    front = np.array([member.fitness for member in state.archive.members])
    assert len(front) > 5
    assert not any(dominators(front, point[None]).any() for point in front)


def test_the_front_has_nodes_and_local_recodings():
    setup, state = searched()
    setting = setup.problem.overview(state)
    assert setting["local_points"] > 0
    assert setting["nodes"] > 0


def test_what_is_dear_is_generalized_less():
    lattice = small_lattice()
    plain = recode_locally(lattice, 5).losses
    dear = recode_locally(lattice, 5, (100.0, 1.0, 1.0)).losses
    assert dear[0] < plain[0]
    assert np.allclose(recode_locally(lattice, 5, (1.0, 1.0, 1.0)).losses, plain)


def test_a_label_stays_as_it_is_and_is_not_generalized():
    setup, state = searched(1, labels=("town",))
    masked = setup.problem.decode(state.archive.members[0].genome, 0)
    assert not masked.is_recoded("town")
    assert setup.problem.lattice.names == ("age", "sex")


def test_the_chart_has_an_axis_for_each_use():
    setup, state = searched(1)
    (chart,) = setup.problem.charts(state)
    assert chart.x.categories == setup.problem.uses.names


def test_a_making_tells_levels_or_the_size_of_groups():
    problem = ready().problem
    assert problem.making(Recipe(k=4, prices=(1.0,) * 3)).steps[0].parameters == {"k": 4}
    assert "levels" in problem.making(Recipe((1, 0, 0))).steps[0].parameters
    assert problem.making(Recipe((0, 0, 0))).steps == ()


def test_uses_without_any_use_are_refused():
    with pytest.raises(ParameterError, match="need a label"):
        ready(AnalysesToPreserve(), labels=())


def test_a_label_that_is_no_attribute_is_refused_by_name():
    with pytest.raises(SchemaError, match="'wage'"):
        ready(labels=("wage",))


@pytest.mark.parametrize(
    "wrong", [{"uses": False}, {"local": True}, {"exhaustive": True}, {"label": "class"}]
)
def test_settings_that_contradict_each_other_are_refused(wrong):
    with pytest.raises(ParameterError):
        ready(**wrong)
