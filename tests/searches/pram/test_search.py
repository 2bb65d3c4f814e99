import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import ScoreRule
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.masking.randomization.pram import (
    MatrixPram,
    check_transitions,
    frequency_shift,
)
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from evomask.measures.papers.categorical_loss import BivariateLoss
from evomask.measures.profiles import PapersLoss, RiskProfile
from evomask.searches.base import SearchContext
from evomask.searches.pram.search import (
    Algorithm,
    Parameters,
    PramSearch,
    Target,
)
from evomask_papers.pram.designs import standard_matrices
from tests.measures.files import categories
from tests.tables import mixed, numbers


def table(n_records=120, ordinal=True):
    rng = np.random.default_rng(4)
    a = rng.choice(4, n_records, p=[0.4, 0.3, 0.2, 0.1])
    b = (a + rng.choice(3, n_records, p=[0.7, 0.2, 0.1])) % 5
    c = rng.choice(3, n_records, p=[0.5, 0.3, 0.2])
    return categories(ordinal=ordinal, a=a.tolist(), b=b.tolist(), c=c.tolist())


def ready(original, seed=1, **wanted):
    expected = wanted.get("profile") is RiskProfile.PAPERS and wanted.get("expected", True)
    few = {} if expected else {"draws": 2}
    parameters = Parameters(**{"steps": 60, "population": 6, **few, **wanted})
    return PramSearch.setup(original, parameters, SearchContext(lambda r: draw_stream(seed, r)))


def searched(original, until=3, seed=1, **wanted):
    setup = ready(original, seed, **wanted)
    work = InProcess(Worker(setup.problem, seed))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    state = evolve(state, setup.scheme, work, seed=seed, until=generations(until), cost=setup.cost)
    best = min(state.archive.members, key=lambda member: setup.cost(member.fitness))
    return setup, state, best


@pytest.mark.parametrize("algorithm", list(Algorithm))
@pytest.mark.parametrize("profile", list(RiskProfile))
def test_both_algorithms_improve_both_profiles(algorithm, profile):
    until = 60 if algorithm is Algorithm.THESIS else 4
    _, state, _ = searched(table(), until, algorithm=algorithm, profile=profile)
    assert state.summary.best < next(iter(state.history)).best


def test_the_thesis_keeps_one_set_of_matrices_and_tries_one_child():
    _, state, _ = searched(table(), 20, algorithm=Algorithm.THESIS, profile=RiskProfile.PAPERS)
    assert len(state.population) == 1
    assert state.evaluations == 21


def test_a_released_file_is_what_pram_makes_with_the_matrices():
    setup, _, best = searched(table())
    matrices = setup.problem.matrices(best.genome)
    made = MatrixPram(("a", "b", "c"), matrices).mask(table(), draw_stream(1, 7))
    drawn = setup.problem.decode(best.genome, 7)
    assert all(np.array_equal(drawn[name], made[name]) for name in "abc")


def test_a_point_has_the_reading_of_its_released_draw_and_the_expectation():
    setup, _, best = searched(table())
    told = setup.problem.read(best.genome, 0)
    masked = setup.problem.decode(best.genome, 0)
    names = ("a", "b", "c")
    assert told["loss"] == InformationLoss(names).against(table())(masked)
    assert told["risk"] == DisclosureRisk(names, probabilistic=False).against(table())(masked)
    assert (told["expected_loss"], told["expected_risk"]) == best.fitness
    assert told["score"] == max(told["loss"], told["risk"])


@pytest.mark.parametrize("probabilistic", [True, False])
@pytest.mark.parametrize("joined", list(ScoreRule))
def test_any_score_can_be_sought(joined, probabilistic):
    setup, _, best = searched(table(40), 1, score=joined, probabilistic=probabilistic)
    loss, risk = best.fitness
    assert setup.cost(best.fitness) == (max(loss, risk) if joined == "worst" else (loss + risk) / 2)


def test_without_expectations_papers_are_the_mean_of_drawn_files():
    setup, _, best = searched(table(40), 1, profile=RiskProfile.PAPERS, expected=False)
    files = [setup.problem.decode(best.genome, r) for r in range(2)]
    loss = PapersLoss(("a", "b", "c")).against(table(40))
    assert best.fitness[0] == pytest.approx(np.mean([loss(file) for file in files]))


def test_a_permutation_of_categories_wins_under_papers_and_not_under_strict():
    original = table()
    sizes = {"a": 4, "b": 5, "c": 3}
    permuted = {name: np.roll(np.eye(size), 2, axis=1) for name, size in sizes.items()}
    papers, strict = (
        ready(original, profile=one).problem.measured
        for one in (RiskProfile.PAPERS, RiskProfile.STRICT)
    )
    standard = [one.matrices for one in standard_matrices(original, ("a", "b", "c"))]
    assert sum(papers(permuted)) < min(sum(papers(one)) for one in standard)
    untouched = {name: np.eye(size) for name, size in sizes.items()}
    assert strict(permuted)[1] >= strict(untouched)[1] - 1e-9
    assert max(strict(permuted)) > min(max(strict(one)) for one in standard[::10])


@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_invariance_and_the_range_of_the_diagonal_hold_for_every_point(algorithm):
    wanted = {"invariant": True, "diagonal": (0.55, 0.75), "algorithm": algorithm}
    setup, state, _ = searched(table(), 5, **wanted)
    for member in state.archive.members:
        for name, matrix in setup.problem.matrices(member.genome).items():
            check_transitions(matrix, name)
            assert frequency_shift(matrix, setup.problem.layout.frequencies[name]) < 1e-12
            assert np.diagonal(matrix).min() >= 0.55 - 1e-12
            assert np.diagonal(matrix).max() <= 0.75 + 1e-12


def test_a_range_that_invariance_cannot_keep_is_told_and_widened():
    original = categories(a=[0] * 80 + [1] * 20, b=[0, 1] * 50)
    with pytest.warns(UserWarning, match=r"no invariant matrix of 'a' .* 0.55 to 0.8875"):
        setup = ready(original, invariant=True, diagonal=(0.55, 0.75))
    assert setup.problem.layout.limits["b"].high == 0.75


def test_a_dominant_matrix_rather_stays():
    setup, _, best = searched(table(), dominant=True)
    told = setup.problem.answer(best.genome)["matrices"]
    assert all(one["dominant"] for one in told.values())


def test_a_band_holds_for_ordinal_attributes():
    setup, _, best = searched(table(), band=1)
    matrix = setup.problem.matrices(best.genome)["b"]
    assert not np.triu(matrix, 2).any()
    assert not np.tril(matrix, -2).any()


def test_a_band_means_nothing_to_nominal_attributes():
    setup = ready(table(ordinal=False), band=1)
    assert setup.problem.layout.limits["b"].band is None


@pytest.mark.parametrize("invariant", [False, True])
@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_forbidden_transitions_are_zero_in_what_is_found(algorithm, invariant):
    original = table()
    first, second, *_ = original.attribute("c").categories
    forbidden = (f"c:{first}->{second}", f"b:*->{original.attribute('b').categories[4]}")
    setup, state, _ = searched(
        original, algorithm=algorithm, invariant=invariant, forbidden=forbidden
    )
    for member in state.archive.members:
        matrices = setup.problem.matrices(member.genome)
        assert matrices["c"][0, 1] == 0
        assert not matrices["b"][:4, 4].any()
        assert not invariant or matrices["c"][1, 0] == 0
        for name, matrix in matrices.items():
            check_transitions(matrix, name)
            shift = frequency_shift(matrix, setup.problem.layout.frequencies[name])
            assert not invariant or shift < 1e-9
    assert any(setup.problem.matrices(m.genome)["a"][0, 1:].any() for m in state.archive.members)


def test_categories_stay_below_their_ancestor():
    original = table(ordinal=False)
    lines = [(c, "even" if i % 2 == 0 else "odd", "*")
             for i, c in enumerate(original.attribute("b").categories)]  # fmt: skip
    context = SearchContext(lambda r: draw_stream(1, r), hierarchies={"b": lines})
    parameters = Parameters(attributes=("b",), level=1, steps=20, population=4, draws=2)
    setup = PramSearch.setup(original, parameters, context)
    apart = np.add.outer(range(5), range(5)) % 2 == 1
    state = begin(setup.first, InProcess(Worker(setup.problem, 1)), archive=setup.archive)
    for member in state.archive.members:
        matrix = setup.problem.matrices(member.genome)["b"]
        assert not matrix[apart].any()
        check_transitions(matrix, "b")


@pytest.mark.parametrize(
    ("wanted", "error", "sentence"),
    [
        ({"level": 1}, SchemaError, "level 1 needs a hierarchy of 'a'"),
        ({"forbidden": ("z:x->y",)}, ParameterError, "of none of the masked attributes"),
        ({"forbidden": ("a:x->y",)}, ParameterError, "must name two of its categories"),
        ({"forbidden": ("a",)}, ParameterError, "must be written ATTRIBUTE:FROM->TO"),
        ({"level": -1}, ParameterError, "level must be 0"),
    ],
)
def test_limits_that_cannot_be_used_are_refused(wanted, error, sentence):
    with pytest.raises(error, match=sentence):
        ready(table(), **wanted)


def test_bivariate_counts_can_be_kept():
    wanted = {"fitness": Target.BIVARIATE, "beside": "c", "diagonal": (0.55, 0.75)}
    setup, state, best = searched(table(), 4, attributes=("a",), invariant=True, **wanted)
    expected = BivariateLoss(("a", "c")).against(table()).expected
    assert best.fitness[0] == expected(setup.problem.matrices(best.genome))
    assert setup.cost(best.fitness) == best.fitness[0]
    assert best.fitness[0] < next(iter(state.history)).best


def test_the_attribute_beside_is_never_masked():
    setup, _, best = searched(table(), 1, fitness=Target.BIVARIATE, beside="c", diagonal=(0.5, 0.7))
    assert np.array_equal(setup.problem.decode(best.genome, 0)["c"], table()["c"])


def test_one_attribute_of_several_is_masked():
    setup, _, best = searched(table(), attributes=("b",))
    masked = setup.problem.decode(best.genome, 0)
    assert setup.problem.matrices(best.genome).keys() == {"b"}
    assert np.array_equal(masked["a"], table()["a"])
    assert setup.problem.guide(best.genome)[0] == pytest.approx(best.fitness[0])


def test_numbers_among_the_quasi_identifiers_stay_and_are_measured():
    setup, _, best = searched(mixed(40), 1, steps=2)
    assert setup.problem.layout.attributes == ("school", "region")
    assert np.array_equal(setup.problem.decode(best.genome, 0)["age"], mixed(40)["age"])


@pytest.mark.parametrize("size", [1, 2, 40])
def test_any_number_of_categories(size):
    rng = np.random.default_rng(3)
    original = mixed(90)
    attribute = original.attribute("school")
    schema = original.schema.replacing(
        [replace(attribute, categories=tuple(f"c{i}" for i in range(size)))]
    ).only(["school", "region"])
    codes = rng.integers(0, size, 90)
    columns = {"school": codes, "region": original["region"]}
    setup, _, best = searched(Table(schema, columns), 2)
    check_transitions(setup.problem.matrices(best.genome)["school"], "school")


def test_an_empty_category_is_never_arrived_at_by_an_invariant_matrix():
    original = categories(a=[0, 2, 3, 3, 2, 0] * 10, b=[0, 1, 1] * 20)
    setup, _, best = searched(original, invariant=True, diagonal=(0.5, 0.8))
    matrix = setup.problem.matrices(best.genome)["a"]
    check_transitions(matrix, "a")
    assert matrix[[0, 2, 3], 1].max() < 1e-12


def test_the_same_seed_finds_the_same_front():
    _, one, _ = searched(table(), 2)
    _, other, _ = searched(table(), 2)
    assert [m.fitness for m in one.archive.members] == [m.fitness for m in other.archive.members]


def test_points_of_the_front_do_not_dominate_one_another():
    _, state, _ = searched(table(), 4)
    points = sorted(member.fitness for member in state.archive.members)
    assert len(points) > 3
    assert all(one[1] > other[1] for one, other in pairwise(points))


def test_a_genome_survives_packing():
    setup, _, best = searched(table(), 1)
    again = setup.problem.unpack(setup.problem.pack(best.genome))
    assert np.array_equal(again, best.genome)


def test_only_numbers_are_refused():
    with pytest.raises(SchemaError, match="PRAM changes categories"):
        ready(numbers(x=[1, 2, 3]))


def test_a_number_among_the_attributes_is_refused_by_name():
    with pytest.raises(SchemaError, match="'age' is continuous"):
        ready(mixed(), attributes=("age",))


@pytest.mark.parametrize(
    "wrong",
    [
        {"diagonal": (0.5,)}, {"diagonal": (0.9, 0.2)}, {"fitness": Target.BIVARIATE},
        {"beside": "c"}, {"population": 0}, {"draws": 0}, {"change": 2.0}, {"band": -1},
    ],
    ids=str,
)  # fmt: skip
def test_parameters_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        Parameters(**wrong)


def test_nothing_is_said_where_the_range_can_be_kept():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ready(table(), invariant=True, diagonal=(0.55, 0.75))


def test_draws_that_change_nothing_are_told():
    with pytest.warns(UserWarning, match="draws change nothing here"):
        ready(table(), profile=RiskProfile.PAPERS, draws=50)


@pytest.mark.parametrize(
    "wanted",
    [
        {"profile": RiskProfile.PAPERS},
        {"profile": RiskProfile.PAPERS, "draws": 3, "expected": False},
        {"profile": RiskProfile.STRICT, "draws": 3},
    ],
)
def test_draws_that_are_used_are_not_told(wanted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ready(table(), **wanted)
