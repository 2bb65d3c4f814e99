from io import BytesIO

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.checkpoint import StateCodec, read_state, write_state
from evomask.evolution.individual import Individual, ScoreRule
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.state import State
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.evolution.tree import depth
from evomask.execution.local import InProcess
from evomask.masking.randomization.formula_pram import RowRule, parse_equation
from evomask.masking.randomization.pram import Design, Pram, check_transitions, frequency_shift
from evomask.measures.profiles import RiskProfile
from evomask.searches.base import SearchContext
from evomask.searches.equations.genome import (
    CHANGES,
    ROW_DESIGNS,
    SYMBOLS,
    Terminals,
    standard_equations,
)
from evomask.searches.equations.problem import Parsimonious, ShortestFront
from evomask.searches.equations.search import (
    Algorithm,
    EquationsSearch,
    Mutation,
    Parameters,
    Start,
)
from tests.searches.equations.conftest import categories

SMALL = {"population": 10, "children": 8, "climb": 5}


def ready(table, **wanted):
    around = SearchContext(lambda number: draw_stream(1, number))
    return EquationsSearch.setup(table, Parameters(**{**SMALL, **wanted}), around)


def searched(table, until=3, seed=1, **wanted):
    setup = ready(table, **wanted)
    work = InProcess(Worker(setup.problem, seed))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    return setup, evolve(
        state, setup.scheme, work, seed=seed, until=generations(until), cost=setup.cost
    )


def best_of(setup, state):
    return min(state.archive.members, key=lambda member: setup.cost(member.fitness)).genome


def test_without_expectations_the_fitness_is_the_mean_of_drawn_files(table):
    setup, state = searched(table, 1, profile=RiskProfile.PAPERS, expected=False, draws=3)
    best = best_of(setup, state)
    loss = setup.problem.measured.loss
    files = [setup.problem.decode(best, r) for r in range(3)]
    found = min(state.archive.members, key=lambda member: setup.cost(member.fitness)).fitness[0]
    assert found == pytest.approx(np.mean([loss.reading(file) for file in files]))


@pytest.mark.parametrize("algorithm", list(Algorithm))
@pytest.mark.parametrize("profile", list(RiskProfile))
def test_every_algorithm_improves_under_every_profile(table, algorithm, profile):
    _, state = searched(table, 60, algorithm=algorithm, profile=profile)
    bests = [summary.best for summary in state.history]
    assert bests == sorted(bests, reverse=True)
    assert bests[-1] < bests[0]


@pytest.mark.parametrize("joined", list(ScoreRule))
def test_the_score_is_the_mean_or_the_worst_of_loss_and_risk(table, joined):
    setup, state = searched(table, 1, score=joined)
    told = setup.problem.read(best_of(setup, state), 0)
    parts = told["loss"], told["risk"]
    assert told["score"] == (max(parts) if joined is ScoreRule.WORST else sum(parts) / 2)


def test_the_reading_is_that_of_the_decoded_file(table):
    setup, state = searched(table, 1)
    genome = best_of(setup, state)
    told, masked = setup.problem.read(genome, 2), setup.problem.decode(genome, 2)
    judge = setup.problem.measured
    assert (told["loss"], told["risk"]) == (judge.loss.reading(masked), judge.risk.reading(masked))


@pytest.mark.parametrize("rows", list(RowRule))
@pytest.mark.parametrize("start", list(Start))
def test_equations_stay_within_their_levels_and_make_transition_matrices(table, rows, start):
    setup, state = searched(table, 2, rows=rows, start=start, levels=4)
    for member in state.population:
        assert depth(member.genome, SYMBOLS[Terminals.MORE]) <= 4
        for name, matrix in setup.problem.matrices(member.genome).items():
            check_transitions(matrix, name)


@pytest.mark.parametrize("mutation", list(Mutation))
def test_any_mutation_can_be_the_only_one(table, mutation):
    _, state = searched(table, 2, mutation=mutation)
    assert state.generation == 2


def test_equations_of_the_thesis_have_no_more_than_its_symbols(table):
    _, state = searched(table, 20, algorithm=Algorithm.THESIS, population=6)
    symbols = SYMBOLS[Terminals.THESIS]
    assert all(
        set(member.genome) <= {*symbols.functions, *symbols.terminals}
        for member in state.population
    )


def test_rows_that_do_not_sum_to_one_cost_as_much_as_they_lack(table):
    penalised, plain = (
        ready(table, rows=rows).problem for rows in (RowRule.PENALISED, RowRule.NORMALISED)
    )
    half = parse_equation("0.25 * same + 0.25 * freq_j / N")
    costs = zip(penalised.fitness(half), plain.fitness(half), strict=True)
    assert [one - other for one, other in costs] == pytest.approx([50.0, 50.0])


def test_rows_that_sum_to_one_cost_nothing(table):
    penalised, plain = (
        ready(table, rows=rows).problem for rows in (RowRule.PENALISED, RowRule.NORMALISED)
    )
    whole = parse_equation("0.5 * same + 0.5 * freq_j / N")
    assert penalised.fitness(whole) == plain.fitness(whole)


def test_invariant_matrices_keep_the_frequencies(table):
    setup, state = searched(table, 2, invariant=True)
    matrices = setup.problem.matrices(best_of(setup, state))
    counts = setup.problem.draws.frequencies
    assert all(frequency_shift(m, counts[n]) < 1e-12 for n, m in matrices.items())


@pytest.mark.parametrize(
    "table_of",
    [
        lambda: categories((2,)),
        lambda: categories((2, 2)),
        lambda: categories((40,), 200),
        lambda: categories((40, 3), 200, Kind.ORDINAL),
        lambda: categories((3, 4), empty=True),
    ],
    ids=["2", "2 and 2", "40", "40 and 3, ordinal", "empty categories"],
)
@pytest.mark.parametrize("profile", list(RiskProfile))
def test_any_number_of_categories(table_of, profile):
    setup, state = searched(table_of(), 1, profile=profile)
    told = setup.problem.read(best_of(setup, state), 0)
    assert 0 <= told["loss"] <= 100
    assert 0 <= told["risk"] <= 100


def test_numbers_stay_and_categories_are_masked():
    whole = categories((4,), 40)
    quasi = Attribute("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER)
    schema = Schema((quasi, *whole.schema.attributes))
    table = Table(schema, {"age": np.arange(40.0), "a0": whole["a0"]})
    setup, state = searched(table, 1, start=Start.HALF_AND_HALF)
    masked = setup.problem.decode(best_of(setup, state), 0)
    assert np.array_equal(masked["age"], table["age"])


def test_only_the_named_attributes_are_masked(table):
    setup, state = searched(table, 1, attributes=("a1",))
    assert setup.problem.matrices(best_of(setup, state)).keys() == {"a1"}


def test_the_answer_has_the_equation_that_makes_its_matrices(table):
    setup, state = searched(table, 4)
    told = setup.problem.answer(best_of(setup, state))
    again = setup.problem.matrices(parse_equation(told["equation"]))
    for name, readable_formula in told["matrices"].items():
        assert np.array(readable_formula["rows"]) == pytest.approx(again[name], abs=1e-6)


def test_a_packed_equation_is_unpacked_as_it_was(table):
    problem = ready(table).problem
    genome = parse_equation("0.25 * same + freq_j / N")
    assert problem.unpack(problem.pack(genome)) == genome


@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_saved_and_loaded_on_the_way_equals_run_straight(table, algorithm):
    setup, straight = searched(table, 6, algorithm=algorithm, profile=RiskProfile.PAPERS)
    _, halfway = searched(table, 3, algorithm=algorithm, profile=RiskProfile.PAPERS)
    codec, file = StateCodec(setup.problem.pack, setup.problem.unpack, setup.archive), BytesIO()
    write_state(file, halfway, codec)
    file.seek(0)
    resumed = read_state(file, codec)
    work = InProcess(Worker(setup.problem, 1))
    after = evolve(resumed, setup.scheme, work, seed=1, until=generations(6), cost=setup.cost)
    assert after == straight
    assert [m.genome for m in after.population] == [m.genome for m in straight.population]


@pytest.mark.parametrize(
    ("name", "design"),
    [
        ("entropy", Design.ENTROPY),
        ("off-diagonal", Design.OFF_DIAGONAL),
        ("diagonal", Design.DIAGONAL),
    ],
)
@pytest.mark.parametrize("rows", list(RowRule))
def test_known_equations_make_the_standard_matrices(table, name, design, rows):
    place = list(ROW_DESIGNS).index(name) + len(ROW_DESIGNS) * CHANGES.index(0.2)
    equation = standard_equations(rows, SYMBOLS[Terminals.MORE], 6)[place]
    method = Pram(("a0",), design, 0.4 if design is Design.DIAGONAL else 0.2)
    made = ready(table, rows=rows).problem.matrices(equation)["a0"]
    assert made == pytest.approx(method.matrix(table, "a0"))


def test_under_a_time_budget_the_clock_decides_how_far_children_climb(table):
    asked = []

    def decide(name, compute):
        asked.append((name, compute()))
        return 33.0

    around = SearchContext(lambda number: draw_stream(1, number), decide)
    setup = EquationsSearch.setup(table, Parameters(), around)
    assert setup.problem.climb == 33
    assert [name for name, value in asked if 20 <= value <= 300] == ["climb"]


def test_a_search_that_improves_no_more_begins_anew(table):
    _, state = searched(table, 12, patience=1, population=4, subset=2, children=2, climb=0)
    assert any(member.operator == "first" and member.born > 0 for member in state.population)


def one(text, fitness, serial):
    return Individual(parse_equation(text), fitness, serial, "mutate", (), 0)


LONG, SHORT, OTHER = (
    one("N + freq_i", (1.0, 2.0), 0),
    one("N", (1.0, 2.0), 1),
    one("size", (3.0, 1.0), 2),
)


def test_of_equally_good_equations_the_front_keeps_the_shortest():
    assert set(ShortestFront().updated([LONG, SHORT, OTHER]).members) == {SHORT, OTHER}
    assert set(ShortestFront().updated([SHORT, LONG, OTHER]).members) == {SHORT, OTHER}


def test_of_equally_good_equations_the_population_keeps_the_shortest():
    state = State(population=(LONG, SHORT))
    assert Parsimonious(max)(state, (), ()) == (SHORT, LONG)


def test_symbols_can_have_a_price():
    state = State(population=(one("N * N / N", (2.0, 2.0), 0), one("N", (2.1, 2.1), 1)))
    assert Parsimonious(max)(state, (), ())[0].serial == 0
    assert Parsimonious(max, 0.1)(state, (), ())[0].serial == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": 1},
        {"levels": 13},
        {"subset": 1},
        {"population": 3},
        {"children": 1},
        {"crossover_rate": 1.5},
        {"climb": -1},
        {"patience": 0},
        {"draws": 0},
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        Parameters(**wrong)


def test_a_table_of_numbers_is_refused():
    table = Table(
        Schema((Attribute("x", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),)), {"x": np.ones(5)}
    )
    with pytest.raises(SchemaError, match="name an ordinal or nominal"):
        ready(table)


def test_a_number_named_to_be_masked_is_refused():
    table = Table(
        Schema((Attribute("x", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),)), {"x": np.ones(5)}
    )
    with pytest.raises(SchemaError, match="'x' is continuous"):
        ready(table, attributes=("x",))
