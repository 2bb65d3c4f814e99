"""One evaluation of loss and risk, as searches do thousands of: CPU milliseconds.

    python benchmarks/bench_evaluation.py [--profile]

Three files: the example survey (2,000 records, 11 quasi-identifiers, 300 targets and 300 people in
the control group) in two scenarios and in the default one, and half of Adult (16,281 records, 6
quasi-identifiers, 2,000 targets, 1,000 people in the control group). Masked files are read in
turn, no two of them the same.
"""

import argparse
import cProfile
import pstats
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np

from evomask.data.frames import Declaration, table_from
from evomask.data.scenario import Scenario
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file, survey
from evomask.io.tables import read_table
from evomask.masking.method import MaskingMethod
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.group_values import GroupValues
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss

READINGS = 24
"""Readings that are timed, each of another masked file."""

SURVEY = {
    Kind.NOMINAL: "municipality sex marital occupation",
    Kind.ORDINAL: "household_size age education",
    Kind.CONTINUOUS: "area wage other_income income",
}
ADULT = {
    Kind.CONTINUOUS: "age",
    Kind.NOMINAL: "workclass education marital-status race sex",
}
TWO = (
    Scenario(name="register", knows=("municipality", "age", "sex", "household_size")),
    Scenario(name="colleague", knows=("age", "sex", "occupation", "education")),
)


@dataclass(frozen=True, eq=False)
class Case:
    """A file with its control group, and the people who are attacked."""

    title: str
    table: Table
    control: Table
    people: int
    scenarios: tuple[Scenario, ...]
    aim: float

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.schema.quasi_identifiers


def declared(kinds: dict[Kind, str], secret: str) -> dict[str, Declaration]:
    found = {
        name: Declaration(kind, Role.QUASI_IDENTIFIER)
        for kind, names in kinds.items()
        for name in names.split()
    }
    return {**found, secret: Declaration(Kind.NOMINAL, Role.CONFIDENTIAL)}


def cases() -> list[Case]:
    frame = survey()
    people = declared(SURVEY, "health")
    table = table_from(frame.select([*people]), people)
    order = np.random.default_rng(1).permutation(len(table))
    sample, others = (table.take(np.sort(part)) for part in (order[:2_000], order[2_000:2_300]))
    half = declared(ADULT, "occupation")
    adult = read_table(reference_file("uci/adult.csv"), half).only([*half])
    order = np.random.default_rng(1).permutation(len(adult))
    large, rest = (adult.take(np.sort(part)) for part in (order[:16_281], order[16_281:17_281]))
    return [
        Case("survey, two scenarios", sample, others, 300, TWO, 10.0),
        Case("survey, default scenario", sample, others, 300, (), 10.0),
        Case("Adult, default scenario", large, rest, 2_000, (), 50.0),
    ]


def files(case: Case) -> list[Table]:
    """Masked files of several methods; later ones change a few columns of earlier ones."""
    names, table = case.names, case.table
    numbers = tuple(n for n in names if not table.attribute(n).is_categorical)
    nominal = tuple(n for n in names if table.attribute(n).kind is Kind.NOMINAL)
    methods: list[MaskingMethod] = [Mondrian(names, k, release=GroupValues.VALUE) for k in (3, 20)]
    methods += [MdavGeneric(names, k) for k in (3, 20) if len(table) < 5_000]
    methods += [Pram(nominal, Design.DIAGONAL, share) for share in (0.05, 0.4)]
    methods += [RankSwapping(numbers, window) for window in (5, 30)]
    found: list[Table] = []
    while len(found) < READINGS:
        method = methods[len(found) % len(methods)]
        masked = method.mask(table, np.random.default_rng(len(found)))
        order = np.random.default_rng(len(found)).permutation(len(table))[: len(table) // 50]
        column = np.array(masked[names[0]])
        column[order] = column[order[::-1]]
        found.append(masked.with_columns({names[0]: column}))
    return found


def milliseconds(read: Callable[[Table], float], masked: Sequence[Table]) -> tuple[float, float]:
    """CPU milliseconds of a reading after the first ones, and the mean of what is read."""
    for file in masked[:4]:
        read(file)
    start = process_time()
    values = [read(file) for file in masked[4:]]
    return 1000 * (process_time() - start) / len(values), float(np.mean(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--profile", action="store_true")
    profiled = parser.parse_args().profile
    for case in cases():
        masked = files(case)
        loss = InformationLoss(case.names).against(case.table)
        measure = DisclosureRisk(case.names, people=case.people, scenarios=case.scenarios)
        risk = measure.against(case.table, case.control)
        of_loss, mean_loss = milliseconds(loss, masked)
        of_risk, mean_risk = milliseconds(risk, masked)
        whole = of_loss + of_risk
        print(
            f"{case.title:<26} loss {of_loss:6.2f} ms, risk {of_risk:6.2f} ms, both {whole:6.2f} "
            f"ms: {whole / case.aim:.2f} of the aim; means {mean_loss:.4f}, {mean_risk:.4f}"
        )
        if profiled:
            profile = cProfile.Profile()
            profile.runcall(milliseconds, loss, masked)
            profile.runcall(milliseconds, risk, masked)
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
