"""Measures on the data of the papers and of sdcMicro: published and measured values."""

import numpy as np
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.io.tables import read_table
from evomask.measures.disclosure.privacy_models import records_below
from evomask.measures.disclosure.record_risk import household_risk, individual_risk, record_risk
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.disclosure.special_uniques import special_uniques
from evomask.measures.papers.inference import Inference
from evomask.measures.profiles import PapersLoss, PapersRisk, classic_loss, classic_risk
from evomask.measures.score import Mean

GERMAN = ("EXISTACC", "SAVINGS", "PRESEMPLOY")
HOUSEHOLD = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
FRANCDAT = ("Key1", "Key2", "Key3", "Key4")


def categories_of(path, names, kind):
    declared = {name: Declaration(kind, Role.QUASI_IDENTIFIER) for name in names}
    return read_table(path, declared)


@pytest.fixture(scope="module")
def german(reference):
    return categories_of(reference("uci/german_credit.csv"), GERMAN, Kind.ORDINAL).only(GERMAN)


@pytest.fixture(scope="module")
def census(reference):
    return read_table(reference("casc/census.csv"))


@pytest.fixture(scope="module")
def household(reference):
    return categories_of(reference("sdcmicro/testdata.csv"), HOUSEHOLD, Kind.NOMINAL)


@pytest.fixture(scope="module")
def francdat(reference):
    table = categories_of(reference("sdcmicro/francdat.csv"), FRANCDAT, Kind.NOMINAL)
    return individual_risk(table, FRANCDAT, "w")


def pram(table, theta, rng):
    """Equations 2.4 and 2.5: the rarest category moves with probability theta."""
    changes = {}
    for name in table.schema.names:
        codes, size = table.codes(name), len(table.attribute(name).categories)
        counts = np.bincount(codes, minlength=size)
        stays = rng.random(len(codes)) < 1 - theta * counts[counts > 0].min() / counts[codes]
        other = (codes + rng.integers(1, size, len(codes))) % size
        changes[name] = np.where(stays, codes, other)
    return table.with_columns(changes)


@pytest.fixture(scope="module")
def draws(german):
    return [pram(german, 0.5, np.random.default_rng(seed)) for seed in range(20)]


class TestGermanCredit:
    def test_loss_of_pram_is_the_published_one(self, german, draws):
        read = PapersLoss(GERMAN).against(german)
        assert np.mean([read(masked) for masked in draws]) == pytest.approx(13.6, abs=1)

    def test_risk_of_pram_is_the_published_one(self, german, draws):
        read = PapersRisk(GERMAN).against(german)
        assert np.mean([read(masked) for masked in draws]) == pytest.approx(45.9, abs=1)

    def test_permuted_categories_are_as_risky_as_the_original(self, german):
        sizes = {name: len(german.attribute(name).categories) for name in GERMAN}
        moved = {n: np.roll(np.arange(s), 2)[german.codes(n)] for n, s in sizes.items()}
        masked = german.with_columns(moved)
        strict = DisclosureRisk(GERMAN).against(german)
        assert strict(masked) == pytest.approx(strict(german), abs=1)
        assert PapersRisk(GERMAN).against(german)(masked) < 10


class TestCensus:
    def test_permuted_rows_are_as_risky_as_the_original(self, census):
        names = census.schema.names
        shuffled = census.take(np.random.default_rng(1).permutation(len(census)))
        strict = DisclosureRisk(names).against(census)
        assert strict(shuffled) == pytest.approx(strict(census), abs=1)
        assert PapersRisk(names).against(census)(shuffled) < 10

    def test_permuted_rows_win_the_classic_score(self, census):
        names = census.schema.names
        shuffled = census.take(np.random.default_rng(1).permutation(len(census)))
        score = Mean((classic_loss(names), classic_risk(names)))
        assert score.against(census)(shuffled) == pytest.approx(8.5, abs=0.5)

    @pytest.mark.parametrize(("deviations", "expected"), [(0.1, 79), (0.3, 36), (1.0, 6)])
    def test_inference_under_noise_has_its_scale(self, census, deviations, expected):
        rng = np.random.default_rng(1)
        names = census.schema.names
        noise = {n: rng.normal(0, deviations * census[n].std(), len(census)) for n in names}
        masked = census.with_columns({n: census[n] + noise[n] for n in names})
        assert Inference(names).against(census)(masked) == pytest.approx(expected, abs=4)


class TestSdcMicro:
    @pytest.mark.parametrize(("k", "records"), [(2, 157), (3, 281), (5, 458)])
    def test_records_with_few_twins(self, household, k, records):
        assert records_below(household, HOUSEHOLD, k) == records

    def test_expected_reidentifications(self, household):
        found = individual_risk(household, HOUSEHOLD, "sampling_weight")
        assert found.expected_reidentifications == pytest.approx(10.7783, abs=5e-5)

    def test_risk_of_records_and_of_their_households(self, reference):
        """As printed in Templ, Kowarik and Meindl (2015): 24.78 (0.54 %), 117.20 (2.56 %)."""
        keys = ("urbrur", "water", "sex", "age")
        table = categories_of(reference("sdcmicro/testdata.csv"), keys, Kind.NOMINAL)
        roles = {"sampling_weight": Role.WEIGHT, "ori_hid": Role.HOUSEHOLD}
        table = table.with_schema(table.schema.assigning(roles))
        records, homes = record_risk(table, keys), household_risk(table, keys)
        assert records.expected == pytest.approx(24.78, abs=5e-3)
        assert records.average == pytest.approx(0.54, abs=5e-3)
        assert homes.of_records * len(table) / 100 == pytest.approx(117.20, abs=5e-3)
        assert homes.of_records == pytest.approx(2.56, abs=5e-3)

    def test_special_uniques(self, household):
        found = special_uniques(household, HOUSEHOLD)
        assert (found.score > 0).sum() == 157
        assert found.risk.sum() == pytest.approx(9.831091, abs=5e-6)
        assert found.risk.max() == pytest.approx(0.6781426, abs=5e-8)

    def test_frequencies_of_francdat(self, francdat):
        assert francdat.sample.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
        assert francdat.population.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]

    def test_individual_risks_of_francdat(self, francdat):
        expected = [
            0.017144262, 0.022042326, 0.022042326, 0.177075834,
            0.011654480, 0.297063077, 0.402359478, 0.017144262,
        ]  # fmt: skip
        assert francdat.risk == pytest.approx(expected, abs=5e-10)
