"""Population risk: intruders, k-map, and population uniques against known populations."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from evomask.data.population import Population, PopulationTable
from evomask.data.recoding import CategorySets
from evomask.data.scenario import Scenario
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.measures.disclosure.population import (
    cells_of,
    estimate_uniques,
    population_risk,
    population_risks,
)
from evomask.measures.disclosure.population_log_linear import (
    Cells,
    fit_two_way,
    independence,
    interpolated,
    match_probability,
    mean_inverse,
    two_way,
    unique_probability,
)
from evomask.measures.disclosure.population_table import people_like
from evomask.measures.disclosure.population_uniques import (
    ClassSizes,
    dankar,
    pitman,
    slide_negative_binomial,
    zayatz,
)
from evomask.measures.disclosure.record_risk import individual_risk

KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


def nominal(frame, weight=None):
    """A table of nominal quasi-identifiers, and a weight."""
    attributes, columns = [], {}
    for name in frame.columns:
        if name == weight:
            attributes.append(Attribute(name, Kind.CONTINUOUS, Role.WEIGHT))
            columns[name] = frame[name].to_numpy(float)
            continue
        values, codes = np.unique(frame[name].astype(str), return_inverse=True)
        role = Role.QUASI_IDENTIFIER
        attributes.append(Attribute(name, Kind.NOMINAL, role, tuple(map(str, values))))
        columns[name] = codes
    return Table(Schema(tuple(attributes)), columns)


@pytest.fixture(scope="module")
def testdata(reference):
    frame = pd.read_csv(reference("sdcmicro/testdata.csv"))
    return nominal(frame[[*KEYS, "sampling_weight"]], "sampling_weight")


def test_individual_risk_is_that_of_sdcmicro(testdata):
    found = individual_risk(testdata, KEYS, "sampling_weight")
    assert found.risk.mean() == pytest.approx(0.002353340375, rel=1e-8)
    assert found.expected_reidentifications == pytest.approx(10.77829892, rel=1e-8)
    assert found.population.sum() == pytest.approx(27_548_400)


def test_main_effects_and_risks_are_those_of_modrisk(testdata):
    """sdcMicro puts the fitted sample frequency where the population frequency belongs."""
    cells = cells_of(testdata, KEYS)
    shares = [np.bincount(c, cells.counts) / cells.n for c in cells.values.T]
    fitted = cells.n * np.prod([s[c] for s, c in zip(shares, cells.values.T, strict=True)], axis=0)
    is_unique, at_most_5 = cells.counts == 1, np.sum(cells.counts <= 5)
    others = (1 - 0.01) * fitted[is_unique]
    assert unique_probability(others).sum() / at_most_5 == pytest.approx(0.3274643668, rel=1e-8)
    assert match_probability(others).sum() / at_most_5 == pytest.approx(0.4082471113, rel=1e-8)
    ours = independence(cells, 458_000)
    assert ours.tau1 == pytest.approx(unique_probability(others * 100).sum(), rel=1e-9)


def test_two_way_interactions_are_those_of_a_poisson_regression():
    observed = np.random.default_rng(1).poisson(4.0, (3, 4, 2)).astype(float)
    rows = pd.DataFrame(np.argwhere(observed > -1), columns=list("abc")).astype("category")
    rows["n"] = observed.ravel()
    model = sm.GLM.from_formula("n ~ (a + b + c) ** 2", rows, family=sm.families.Poisson())
    assert fit_two_way(observed).ravel() == pytest.approx(model.fit().fittedvalues, rel=1e-5)


def sample_of(values, share, seed):
    """Cells of a random sample, and the population uniques."""
    values = np.asarray(values, dtype=np.int64)
    size = np.unique(values, axis=0, return_inverse=True, return_counts=True)
    rows = np.random.default_rng(seed).random(len(values)) < share
    cells, counts = np.unique(values[rows], axis=0, return_counts=True)
    return Cells(cells, counts.astype(np.int64)), int(np.sum(size[2] == 1))


def test_sums_by_drawn_cells_are_those_over_the_whole_table():
    rng = np.random.default_rng(5)
    values = np.column_stack([rng.integers(0, size, 40_000) for size in (40, 40, 30)])
    cells, _ = sample_of(values, 0.1, 1)
    shares = [np.bincount(c, cells.counts) / cells.n for c in cells.values.T]
    means = 40_000 * np.einsum("i,j,k->ijk", *shares).ravel()
    assert independence(cells, 40_000).uniques == pytest.approx(
        np.sum(means * np.exp(-means)), rel=0.01
    )


def test_the_test_of_fit_is_standard_normal_where_the_model_holds():
    rng = np.random.default_rng(2)
    values = np.column_stack([rng.integers(0, size, 60_000) for size in (50, 30, 20)])
    fits = [independence(sample_of(values, 0.1, seed)[0], 60_000).fit for seed in range(12)]
    assert np.abs(np.mean(fits)) < 1.2
    assert 0.3 < np.std(fits) < 2.0


def test_the_test_of_fit_rejects_independence_of_dependent_attributes():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 50, 60_000)
    second = (first + rng.integers(0, 10, 60_000)) % 50
    cells, truth = sample_of(np.column_stack([first, second, first // 7 * 3]), 0.1, 0)
    assert independence(cells, 60_000).fit > 5
    assert abs(interpolated(cells, 60_000).uniques - truth) < abs(
        independence(cells, 60_000).uniques - truth
    )


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_interpolation_finds_the_uniques_of_adult(reference, share):
    people = pd.read_csv(reference("uci/adult.csv"))
    names = ["age", "sex", "race", "marital-status", "education", "occupation"]
    values = np.column_stack([np.unique(people[n], return_inverse=True)[1] for n in names])
    cells, truth = sample_of(values, share, 7)
    assert interpolated(cells, len(people)).uniques == pytest.approx(truth, rel=0.2)


def test_a_table_that_is_too_large_has_no_fit_of_all_interactions():
    cells = Cells(np.array([[1999, 1999, 9], [0, 0, 0]]), np.array([1, 1]))
    assert two_way(cells, 100) is None


def drawn(sizes, share, seed):
    """Class sizes of a sample of a population with classes of these sizes."""
    found = np.random.default_rng(seed).binomial(sizes, share)
    return ClassSizes.of(found[found > 0], float(sizes.sum()))


def test_zayatz_is_bayes_with_hypergeometric_likelihoods():
    sample = ClassSizes.of(np.array([1, 1, 1, 2, 2, 5]), 100.0)
    chance = {size: hypergeom.pmf(1, 100, size, 12) for size in (1, 2, 5)}
    posterior = 3 * chance[1] / (3 * chance[1] + 2 * chance[2] + chance[5])
    assert zayatz(sample) == pytest.approx(3 * posterior / 0.12, rel=1e-9)


def pitman_classes(people, theta, alpha, seed):
    """Class sizes of people who join one after another, by Pitman's sampling formula."""
    rng = np.random.default_rng(seed)
    sizes, class_of = [], []
    for n in range(people):
        chosen = len(sizes)
        if rng.random() * (theta + n) >= theta + alpha * len(sizes):
            chosen = class_of[rng.integers(n)]
            while rng.random() * sizes[chosen] < alpha:
                chosen = class_of[rng.integers(n)]
        else:
            sizes.append(0)
        sizes[chosen] += 1
        class_of.append(chosen)
    return np.array(sizes)


def test_pitman_finds_the_uniques_of_a_pitman_population():
    sizes = pitman_classes(40_000, 200.0, 0.5, 4)
    assert pitman(drawn(sizes, 0.05, 1)) == pytest.approx(np.sum(sizes == 1), rel=0.15)


def test_slide_negative_binomial_finds_the_uniques_of_its_population():
    sizes = 1 + np.random.default_rng(6).negative_binomial(0.8, 0.1, 8_000)
    truth = np.sum(sizes == 1)
    assert slide_negative_binomial(drawn(sizes, 0.2, 1)) == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("model", [pitman, zayatz, slide_negative_binomial])
def test_a_sample_without_uniques_has_no_population_uniques(model):
    assert model(ClassSizes.of(np.array([2, 3, 3]), 80.0)) == 0


def test_pitman_has_no_maximum_where_everybody_is_unique():
    assert pitman(ClassSizes.of(np.ones(20, dtype=int), 100.0)) is None


@pytest.mark.parametrize(
    ("share", "snb", "chosen"),
    [(0.1, 5.0, "pitman"), (0.2, 5.0, "snb"), (0.2, 50.0, "zayatz"), (0.2, None, "zayatz")],
)
def test_dankars_rule(share, snb, chosen):
    assert dankar(share, {"pitman": 3.0, "zayatz": 10.0, "snb": snb}) == chosen


def people(n=600, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.integers(0, 9, n), "b": rng.integers(0, 9, n)})


def test_without_a_population_all_intruders_are_as_the_prosecutor():
    table = nominal(pd.DataFrame({"a": [0, 0, 1, 2, 2, 2]}))
    found = population_risk(table, ("a",))
    assert found.basis == "file"
    assert found.prosecutor == found.journalist
    assert found.prosecutor.largest == 1
    assert found.prosecutor.average == pytest.approx(0.5)
    assert found.prosecutor.above == (1, 1)
    assert (found.k_map, found.uniques) == (1, 1)


def test_the_journalist_chooses_among_the_people_of_the_table():
    table = nominal(pd.DataFrame({"a": [0, 0, 1]}))
    register = PopulationTable({"a": ("0", "1", "2")}, np.array([10.0, 4.0, 7.0]))
    found = population_risk(table, ("a",), Population(table=register))
    assert found.journalist.largest == pytest.approx(1 / 4)
    assert found.marketer == pytest.approx((2 / 10 + 1 / 4) / 3)
    assert (found.k_map, found.size, found.uniques) == (4, 21, 0)


def test_people_of_the_file_count_where_the_table_lacks_them():
    table = nominal(pd.DataFrame({"a": [0, 0, 1]}))
    register = PopulationTable({"a": ("0",)}, np.array([1.0]))
    assert population_risk(table, ("a",), Population(table=register)).k_map == 1


def test_a_population_table_without_a_known_column_is_refused():
    register = PopulationTable({"b": ("0",)}, np.array([1.0]))
    with pytest.raises(DataError, match="no column 'a'"):
        population_risk(nominal(people()[["a"]]), ("a",), Population(table=register))


def test_a_population_smaller_than_the_file_is_refused():
    with pytest.raises(DataError, match="smaller than the file of 600"):
        population_risk(nominal(people()), ("a",), Population(500))
    with pytest.raises(ParameterError, match="at least one person"):
        Population(0)


@given(st.integers(0, 10_000))
def test_people_who_fit_recoded_classes_are_counted(seed):
    rng = np.random.default_rng(seed)
    leaves = rng.random((5, 4)) < 0.4
    leaves[np.arange(5), rng.integers(0, 4, 5)] = True
    schema = Schema(
        (
            Attribute("a", Kind.NOMINAL, Role.QUASI_IDENTIFIER, tuple("wxyz")),
            Attribute("b", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
        )
    )
    table = Table(
        schema,
        {"a": rng.integers(0, 5, 12), "b": rng.integers(0, 3, 12).astype(float)},
        {"a": CategorySets(tuple("12345"), leaves)},
    )
    letters, numbers = rng.choice(list("wxyz"), 30), rng.integers(0, 3, 30)
    counts = rng.integers(1, 9, 30).astype(float)
    register = PopulationTable({"a": tuple(letters), "b": tuple(map(str, numbers))}, counts)
    labels, found = people_like(register, table, ("a", "b"))
    for record in range(12):
        cell, number = table["a"][record], table["b"][record]
        fitting = [
            count
            for letter, own, count in zip(letters, numbers, counts, strict=True)
            if leaves[cell]["wxyz".index(letter)] and own == number
        ]
        assert found[labels[record]] == sum(fitting)


def test_a_stated_size_takes_the_place_of_the_sum_of_weights():
    frame = people().assign(w=2.0)
    by_weights = population_risk(nominal(frame, "w"), ("a", "b"))
    stated = population_risk(nominal(frame, "w"), ("a", "b"), Population(6_000))
    assert (by_weights.size, by_weights.basis) == (1_200, "weights")
    assert (stated.size, stated.basis) == (6_000, "size")
    assert stated.journalist.average < by_weights.journalist.average < by_weights.prosecutor.average


def test_a_value_that_nobody_else_has_is_not_hidden_by_the_population():
    frame = pd.DataFrame({"a": [*range(50), *[7] * 550]})
    found = population_risk(nominal(frame), ("a",), Population(60_000))
    assert found.journalist.largest == 1
    assert found.journalist.average < 0.1


@pytest.mark.parametrize(("size", "others"), [(1, 0.4), (1, 9.0), (2, 0.4), (2, 3.0), (7, 30.0)])
def test_mean_inverse_is_that_of_poisson_numbers_of_others(size, others):
    drawn_others = np.random.default_rng(8).poisson(others, 400_000)
    found = mean_inverse(np.array([size]), np.array([others]))[0]
    assert found == pytest.approx(np.mean(1 / (size + drawn_others)), rel=0.02)


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_the_journalists_risk_is_about_that_in_adult(reference, share):
    people = pd.read_csv(reference("uci/adult.csv"))
    names = ("age", "sex", "race", "marital-status", "education")
    whole = people.groupby([*names])["age"].transform("size").to_numpy()
    rows = np.random.default_rng(1).random(len(people)) < share
    table = nominal(people.loc[rows, [*names]])
    found = population_risk(table, names, Population(len(people)))
    assert found.marketer == pytest.approx(np.mean(1 / whole[rows]), rel=0.35)


def test_values_of_their_own_leave_the_choice_to_dankars_rule():
    table = nominal(pd.DataFrame({"a": np.arange(300) // 2 * (np.arange(300) > 150)}))
    extended = nominal(pd.DataFrame({"a": np.arange(300)}))
    assert population_risk(table, ("a",), Population(6_000)).chosen == "interpolated"
    found = population_risk(extended, ("a",), Population(6_000))
    assert found.chosen == "zayatz"
    assert "Dankar's rule" in found.reason


def test_every_model_that_has_a_solution_is_reported():
    found = estimate_uniques(cells_of(nominal(people()), ("a", "b")), 6_000.0)
    assert set(found) == {"independence", "two-way", "interpolated", "pitman", "zayatz", "snb"}


def test_scenarios_are_judged_by_what_they_know_exactly():
    table = nominal(people())
    scenarios = (
        Scenario(name="neighbour", knows=("a",)),
        Scenario(name="anybody", any=1, of=("a", "b"), takes_part=False),
    )
    schema = Schema(table.schema.attributes, scenarios=scenarios, population=Population(6_000))
    found = population_risks(table.with_schema(schema))
    assert [(one.scenario, one.takes_part) for one in found] == [
        ("neighbour", True),
        ("anybody", False),
    ]
    assert len(found[1].known) == 1


def test_every_combination_that_an_intruder_may_know_is_judged():
    rng = np.random.default_rng(3)
    names = [f"x{i}" for i in range(9)]
    frame = pd.DataFrame({name: rng.integers(0, 2, 400) for name in names})
    frame[["x5", "x7", "x8"]] = rng.integers(0, 30, (400, 3))
    table = nominal(frame)
    any_three = Scenario(name="press", any=3, of=tuple(names))
    schema = Schema(table.schema.attributes, scenarios=(any_three,))
    (found,) = population_risks(table.with_schema(schema))
    assert found.known == ("x5", "x7", "x8")


def test_persons_with_several_records_are_one_target():
    frame = pd.DataFrame({"a": [0, 0, 0, 1, 1], "p": [1, 1, 1, 2, 3]})
    table = nominal(frame)
    schema = Schema(table.schema.attributes).assigning({"p": Role.PERSON})
    found = population_risks(table.with_schema(schema))[0]
    assert (found.records, found.sample_uniques) == (3, 1)
    assert found.prosecutor.average == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
