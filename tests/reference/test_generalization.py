"""ARX's optima on Adult with its own hierarchies: nodes, losses, suppressed records."""

import pytest

from evomask.data.frames import Declaration
from evomask.data.hierarchy_builders import interval_hierarchy, neighbour_hierarchy
from evomask.data.schema import Kind
from evomask.io.tables import read_table
from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.local_recoding import recode_locally
from evomask.searches.generalization.objectives import Reader, index_named
from evomask.searches.generalization.optimum import mean_cell_loss, optimum
from evomask_papers.adult import BANDS, hierarchies
from tests.oracles.anonymity import pycanon_answers
from tests.reference.adult import NINE, arx_tree, complete_adult
from tests.reference.arx import adult_lines, loss_and_suppressed

EIGHT = tuple(name for name in NINE if name != "occupation")

OPTIMA = [
    # nodes of the lattice, distinct values, suppression limit; node, loss and suppressed records
    (12960, 0, 0, (0, 4, 1, 1, 3, 2, 2, 1, 0), 0.57315, 0),
    (12960, 0, 301, (0, 3, 1, 1, 2, 2, 1, 1, 0), 0.362407, 294),
    (12960, 0, 603, (0, 3, 0, 2, 2, 1, 1, 2, 0), 0.313713, 506),
    (12960, 0, 30162, (0, 3, 0, 0, 2, 1, 1, 1, 0), 0.220412, 2553),
    (4320, 2, 0, (0, 4, 1, 2, 3, 2, 0, 0), 0.542211, 0),
    (4320, 0, 301, (0, 3, 0, 2, 3, 1, 1, 0), 0.298833, 233),
    (4320, 2, 301, (0, 3, 0, 2, 3, 1, 1, 0), 0.298833, 233),
    (4320, 0, 603, (0, 3, 0, 2, 2, 1, 1, 0), 0.246477, 506),
    (4320, 2, 603, (0, 3, 0, 2, 2, 1, 1, 0), 0.246477, 506),
    (17920, 2, 0, (0, 6, 1, 2, 3, 3, 3, 0), 0.542022, 0),
    (17920, 0, 301, (0, 4, 0, 2, 3, 3, 1, 0), 0.255200, 296),
    (17920, 2, 301, (0, 4, 0, 2, 3, 3, 1, 0), 0.255200, 296),
    (17920, 0, 603, (0, 4, 0, 2, 2, 3, 1, 0), 0.205107, 570),
    (17920, 2, 603, (0, 4, 0, 2, 2, 3, 1, 0), 0.205107, 570),
]  # fmt: skip


@pytest.fixture(scope="module")
def adult(reference):
    return complete_adult(reference)


@pytest.fixture(scope="module")
def nine(adult, reference):
    return lattice_of(adult, {name: arx_tree(reference, name) for name in NINE})


@pytest.fixture(scope="module")
def eight(adult, reference):
    trees = {name: arx_tree(reference, name) for name in EIGHT}
    return lattice_of(adult, trees, sensitive="occupation")


@pytest.fixture(scope="module")
def lattices(adult, nine, eight):
    """By size; for the largest, ARX read a file of ages that lists 1 to 100."""
    ours = {**hierarchies(), "age": interval_hierarchy([str(age) for age in range(1, 101)], BANDS)}
    trees = {name: ours[name] for name in EIGHT}
    return {12960: nine, 4320: eight, 17920: lattice_of(adult, trees, sensitive="occupation")}


def test_the_lattices_have_the_published_sizes(nine, eight):
    assert (nine.n_records, nine.size, eight.size) == (30162, 12960, 4320)


@pytest.mark.parametrize(("size", "distinct", "limit", "levels", "loss", "suppressed"), OPTIMA)
def test_the_optimum_is_that_of_arx(lattices, size, distinct, limit, levels, loss, suppressed):
    found = optimum(lattices[size], k=5, distinct=distinct, limit=limit)
    assert (found.levels, found.suppressed) == (levels, suppressed)
    assert found.loss == pytest.approx(loss, abs=1e-6)


@pytest.mark.parametrize(
    ("size", "levels"), sorted({(size, node) for size, _, _, node, *_ in OPTIMA})
)
def test_the_loss_of_arxs_optima_is_what_its_formula_gives(lattices, reference, size, levels):
    lattice = lattices[size]
    records = adult_lines(reference("uci/adult.csv"), NINE)
    places = [NINE.index(name) for name in lattice.names]
    trees = [list(zip(*tree.levels, strict=True)) for tree in lattice.trees.values()]
    told = loss_and_suppressed([tuple(r[p] for p in places) for r in records], trees, levels, k=5)
    figures = Reader(lattice, lattice.rule(k=5)).figures(levels)
    assert figures.suppressed[0] == told[1]
    assert index_named("loss").read(figures)[0] == pytest.approx(told[0], abs=1e-9)


def test_as_many_nodes_are_safe_as_arx_counts(nine, eight):
    safe = nine.sweep(nine.rule(k=5)).suppressed <= 301
    fewer = eight.sweep(eight.rule(k=5)).suppressed <= 301
    assert (safe.sum(), fewer.sum()) == (1816, 1066)


def test_local_recoding_keeps_more_than_arx_with_nothing_suppressed(nine):
    recoding = recode_locally(nine, 5)
    assert recoding.granularity > 0.932


def test_another_package_finds_the_k_of_local_recoding(nine):
    masked = recode_locally(nine, 5).applied().only(NINE)
    assert pycanon_answers([masked], NINE)[0]["k"] == 5


OTHERS = {
    "uci/german_credit.csv": ("AGE", "STATSEX", "HOUSING", "JOB", "PRESEMPLOY", "CREDHIST"),
    "uci/solar_flare.csv": ("CLASS", "LARGSPOT", "SPOTDIST", "EVOLUTION", "PREVFLARE"),
    "sdcmicro/testdata.csv": ("urbrur", "roof", "walls", "water", "relat", "sex", "age"),
}


@pytest.fixture(scope="module", params=OTHERS)
def other(request, reference):
    """Files that nothing was tuned on, their values in trees of neighbours."""
    names = OTHERS[request.param]
    kinds = dict.fromkeys(names, Declaration(kind=Kind.ORDINAL))
    table = read_table(reference(request.param), kinds).only(names)
    return lattice_of(
        table, {name: neighbour_hierarchy(table.attribute(name).categories) for name in names}
    )


def test_another_package_finds_k_or_more_in_other_files(other):
    wanted = [2, 3, 5, 10, 20]
    masked = [recode_locally(other, k).applied() for k in wanted]
    found = [answer["k"] for answer in pycanon_answers(masked, other.names)]
    assert all(k >= least for k, least in zip(found, wanted, strict=True))


@pytest.mark.parametrize("k", [2, 5, 20])
def test_local_recoding_loses_less_than_any_node_whatever_is_suppressed(other, k):
    best = optimum(other, k=k, limit=other.n_records, loss=mean_cell_loss)
    assert 1.0 - recode_locally(other, k).granularity < best.loss
