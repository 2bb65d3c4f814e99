"""A tracked value equals the full value after any changes and undos."""

import numpy as np
import pytest

from evomask.errors import DataError, ParameterError
from evomask.kernels.incremental.measures import replay
from evomask.measures.disclosure.relabelling import RelabelledLinkage, Relabelling
from evomask.measures.loss.loss import InformationLoss
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss, EntropyLoss
from evomask.measures.papers.continuous_loss import (
    CorrelationLoss,
    CovarianceLoss,
    MeanLoss,
    ProbabilisticLoss,
    ValueLoss,
    VarianceLoss,
)
from evomask.measures.papers.distance_linkage import DistanceLinkage, unique
from evomask.measures.papers.inference import Inference
from evomask.measures.papers.interval_disclosure import RankInterval
from evomask.measures.profiles import IncrementalRisk, PapersRisk
from evomask.measures.score import Mean, Worst
from evomask.testing import check_tracked
from evomask.testing.measures import TrackingCase
from tests.measures.files import generalized, perturbed
from tests.tables import mixed

TABLE = mixed(60)
NAMES = TABLE.schema.quasi_identifiers
NUMBERS, CATEGORIES = ("age", "income"), ("school", "region")
STEPS = 10_000
NEAR = {"abs": 1e-9, "rel": 0}

OF_NUMBERS = (
    ProbabilisticLoss, ValueLoss, MeanLoss, CovarianceLoss, VarianceLoss, CorrelationLoss,
)  # fmt: skip
OF_CATEGORIES = (ContingencyLoss, EntropyLoss, Relabelling, RelabelledLinkage)
OF_ALL = (DistanceLoss, RankInterval, DistanceLinkage, Inference, InformationLoss)
MEASURES = {
    f"{measure.about.name} of {kind}": measure
    for kind, names, makers in (
        ("numbers", NUMBERS, OF_NUMBERS + OF_ALL),
        ("categories", CATEGORIES, OF_CATEGORIES + OF_ALL),
        ("both", NAMES, OF_ALL),
    )
    for measure in (
        *(maker(names) for maker in makers),
        PapersRisk(names, probabilistic=False),
        IncrementalRisk(names),
    )
}
UNUSUAL = {
    "one number": ProbabilisticLoss(("income",)),
    "tables of one attribute": ContingencyLoss(CATEGORIES, dimension=1),
    "windows of its own": RankInterval(NAMES, 3.0, (20.0, 5.0)),
    "unique links": DistanceLinkage(NAMES, unique),
    "renamed links of all": RelabelledLinkage(NAMES),
}
MEASURES |= UNUSUAL
PERMUTED = TABLE.with_columns(
    {"school": (TABLE["school"] + 1) % 4, "region": (TABLE["region"] + 2) % 4}
)
FILES = {"perturbed": perturbed(TABLE, NAMES), "permuted": PERMUTED}


def random_changes(names, n_steps, seed, table=TABLE):
    """Records, positions of attributes, values from the original, and commit flags."""
    rng = np.random.default_rng(seed)
    records = rng.integers(0, len(table), n_steps)
    attributes = rng.integers(0, len(names), n_steps)
    drawn = rng.integers(0, len(table), n_steps)
    pairs = zip(attributes, drawn, strict=True)
    values = np.array([float(table[names[a]][i]) for a, i in pairs])
    return records, attributes, values, rng.integers(0, 2, n_steps)


def after(masked, names, changes):
    """The file with the committed changes applied."""
    columns = {name: masked[name].copy() for name in names}
    for record, attribute, value, kept in zip(*changes, strict=True):
        if kept:
            columns[names[attribute]][record] = value
    return masked.with_columns(columns)


def test_every_measure_of_a_search_can_be_tracked():
    assert [name for name in MEASURES if not TrackingCase(MEASURES[name], TABLE).is_possible] == []


@pytest.mark.parametrize("measure", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_measures_with_unusual_parameters_obey_the_laws_of_tracking(measure):
    check_tracked(measure)


@pytest.mark.parametrize("masked", FILES.values(), ids=FILES.keys())
@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES.keys())
def test_a_long_burst_ends_with_the_full_reading(measure, masked):
    reading = measure.against(TABLE)
    tracked = reading.track(masked)
    changes = random_changes(measure.attributes, STEPS, seed=STEPS)
    replay(tracked.state, *changes)
    changed = after(masked, measure.attributes, changes)
    assert tracked.value == pytest.approx(reading(changed), **NEAR)


ORIGINALS = {
    "more people than are attacked": mixed(2_100),
    "an attribute of one value": TABLE.with_columns({"age": np.full(60, 0.1)}),
    "an attribute of one category": TABLE.with_columns({"school": np.zeros(60, dtype=int)}),
    "an attribute without values": TABLE.with_columns({"income": np.full(60, np.nan)}),
    "one record": TABLE.take(np.array([5])),
    "records that are all alike": TABLE.take(np.full(20, 5)),
}


@pytest.mark.parametrize("original", ORIGINALS.values(), ids=ORIGINALS.keys())
@pytest.mark.parametrize("measure", [InformationLoss(NAMES), IncrementalRisk(NAMES)])
def test_unusual_files_are_followed_too(original, measure):
    reading = measure.against(original)
    masked = perturbed(original, NAMES)
    tracked = reading.track(masked)
    changes = random_changes(NAMES, 300, seed=4, table=original)
    replay(tracked.state, *changes)
    assert tracked.value == pytest.approx(reading(after(masked, NAMES, changes)), **NEAR)


def test_the_best_renaming_changes_on_the_way():
    """Otherwise the tests above would not cover a recomputed relabelling."""
    tracked = IncrementalRisk(NAMES).against(TABLE).track(PERMUTED)
    place = tracked.state.renaming.current
    seen = set()
    for part in range(40):
        replay(tracked.state, *random_changes(NAMES, 25, seed=part))
        seen.add(int(tracked.state.memory.wholes[place]))
    assert {1, 2} <= seen


@pytest.mark.parametrize("score", [Mean, Worst])
def test_a_score_follows_its_parts(score):
    reading = score((InformationLoss(NAMES), IncrementalRisk(NAMES))).against(TABLE)
    tracked = reading.track(FILES["perturbed"])
    tracked.change(7, "age", 20.0)
    changed = FILES["perturbed"]["age"].copy()
    changed[7] = 20.0
    expected = reading(FILES["perturbed"].with_columns({"age": changed}))
    assert tracked.value == pytest.approx(expected, **NEAR)


def test_too_many_changes_without_keeping_are_refused():
    tracked = InformationLoss(CATEGORIES).against(TABLE).track(TABLE)
    tracked.state.memory.size[0] = len(tracked.state.memory.places)
    with pytest.raises(ParameterError, match="keep or undo"):
        tracked.change(0, "school", (TABLE["school"][0] + 1) % 4)


def test_generalized_files_are_refused():
    with pytest.raises(DataError, match="generalized"):
        InformationLoss(NAMES).against(TABLE).track(generalized(TABLE, NAMES))


def test_files_with_suppressed_records_are_refused():
    some = np.arange(len(TABLE)) < 3
    with pytest.raises(DataError, match="suppressed"):
        InformationLoss(NAMES).against(TABLE).track(TABLE.suppressing(some))


def test_a_score_with_probabilistic_linkage_cannot_be_tracked():
    reading = Mean((InformationLoss(NAMES), PapersRisk(NAMES))).against(TABLE)
    with pytest.raises(ParameterError, match="cannot be tracked"):
        reading.track(TABLE)


@pytest.mark.parametrize(
    ("record", "name", "value"), [(60, "age", 1.0), (0, "school", 4.0), (0, "age", np.inf)]
)
def test_changes_outside_the_file_are_refused(record, name, value):
    tracked = InformationLoss(NAMES).against(TABLE).track(TABLE)
    with pytest.raises(ParameterError):
        tracked.change(record, name, value)
