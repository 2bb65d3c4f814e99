"""Eight public files for the benchmarks of loss and risk, each with people who are held out.

Loss and risk were chosen on three of them; nobody chose anything on the other five. Reference
data are read through EVOMASK_DATA.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from evomask.data.frames import Declaration, table_from
from evomask.data.hierarchy import HierarchyLines
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.hierarchies import read_hierarchies

Names = tuple[str, ...]

MOST_RECORDS = 2_000
"""Records of a sample, at most, so that outside judges finish in minutes."""

HELD_OUT_SHARE = 0.3
"""Share of a small file that is held out."""

MOST_HELD_OUT = 2_000
SEED = 7


@dataclass(frozen=True, eq=False)
class StudyFile:
    """A public file: what an intruder may know, and what analysts want to predict.

    Args:
        table: the people in the release; one attribute is confidential.
        others: people who are not in the release.
        targets: attributes that analysts predict from the quasi-identifiers.
        lines: value trees as their files hold them.
    """

    name: str
    table: Table
    others: Table
    targets: Names
    lines: HierarchyLines = field(default_factory=dict)

    @property
    def names(self) -> Names:
        """The quasi-identifiers."""
        return self.table.schema.quasi_identifiers

    @cached_property
    def confidential(self) -> str:
        return self.table.schema.with_role(Role.CONFIDENTIAL)[0]

    @cached_property
    def numbers(self) -> Names:
        return tuple(n for n in self.names if not self.table.attribute(n).is_categorical)

    @cached_property
    def categories(self) -> Names:
        return tuple(n for n in self.names if self.table.attribute(n).is_categorical)


def _file(
    name: str, path: str, kinds: Mapping[Kind, str], others: Mapping[Kind, str], targets: str,
    trees: str = "",
) -> StudyFile:  # fmt: skip
    """Read a file: its quasi-identifiers and its *others* by kind.

    The first of the targets is confidential.
    """
    frame = pl.read_csv(reference_file(path), null_values="?", infer_schema_length=None)
    quasi = {n: kind for kind, names in kinds.items() for n in names.split()}
    free = {n: kind for kind, names in others.items() for n in names.split()}
    frame = frame.select([*quasi, *free]).drop_nulls()
    declared = {
        n: Declaration(
            k,
            Role.QUASI_IDENTIFIER,
            hierarchy=str(reference_file(trees.format(n))) if trees else None,
        )
        for n, k in quasi.items()
    }
    first, *_ = wanted = targets.split()
    for n, kind in free.items():
        declared[n] = Declaration(kind, Role.CONFIDENTIAL if n == first else Role.OTHER)
    table = table_from(frame, declared)
    order = np.random.default_rng(SEED).permutation(len(table))
    size = min(MOST_RECORDS, int(len(table) * (1.0 - HELD_OUT_SHARE)))
    sample, rest = order[:size], order[size : size + MOST_HELD_OUT]
    return StudyFile(
        name,
        table.take(np.sort(sample)),
        table.take(np.sort(rest)),
        tuple(wanted),
        read_hierarchies(table.schema),
    )


def _adult() -> StudyFile:
    kinds = {Kind.CONTINUOUS: "age", Kind.NOMINAL: "workclass education marital-status race sex"}
    others = {
        Kind.CONTINUOUS: "capital-gain hours-per-week",
        Kind.NOMINAL: "occupation relationship native-country income",
    }
    targets = "occupation income relationship"
    trees = "hierarchies/adult/adult_hierarchy_{}.csv"
    return _file("adult", "uci/adult.csv", kinds, others, targets, trees)


def _census() -> StudyFile:
    names = "AFNLWGT AGI EMCONTRB FEDTAX PTOTVAL STATETAX TAXINC POTHVAL INTVAL"
    others = {Kind.CONTINUOUS: "PEARNVAL FICA WSALVAL ERNVAL"}
    targets = "PEARNVAL FICA WSALVAL"
    return _file("census", "casc/census.csv", {Kind.CONTINUOUS: names}, others, targets)


def _household() -> StudyFile:
    kinds = {
        Kind.CONTINUOUS: "age expend income",
        Kind.NOMINAL: "urbrur roof water relat sex",
    }
    others = {Kind.CONTINUOUS: "savings", Kind.NOMINAL: "walls electcon hhcivil"}
    targets = "hhcivil walls electcon"
    return _file("household", "sdcmicro/testdata.csv", kinds, others, targets)


def _german() -> StudyFile:
    kinds = {
        Kind.CONTINUOUS: "AGE DURATION CREDAMOUNT",
        Kind.ORDINAL: "PRESEMPLOY JOB",
        Kind.NOMINAL: "PURPOSE STATSEX HOUSING PROPERTY",
    }
    others = {
        Kind.ORDINAL: "INSTALRATE SAVINGS",
        Kind.NOMINAL: "EXISTACC CREDHIST TELEPHONE CLASS",
    }
    targets = "CREDHIST TELEPHONE INSTALRATE"
    return _file("german", "uci/german_credit.csv", kinds, others, targets)


def _solar() -> StudyFile:
    kinds = {
        Kind.ORDINAL: "ACTIVITY EVOLUTION AREA",
        Kind.NOMINAL: "CLASS LARGSPOT SPOTDIST",
    }
    others = {
        Kind.ORDINAL: "PREVFLARE AREALARGSPOT",
        Kind.NOMINAL: "HISTOCOMP SUNDISK C-CLASS",
    }
    targets = "HISTOCOMP AREALARGSPOT C-CLASS"
    return _file("solar", "uci/solar_flare.csv", kinds, others, targets)


def _eia() -> StudyFile:
    names = "RESREVENUE RESSALES COMREVENUE COMSALES INDREVENUE INDSALES MONTH"
    others = {Kind.CONTINUOUS: "OTHREVENUE OTHRSALES TOTREVENUE TOTSALES"}
    targets = "TOTREVENUE TOTSALES OTHREVENUE"
    return _file("eia", "casc/eia.csv", {Kind.CONTINUOUS: names}, others, targets)


def _tarragona() -> StudyFile:
    names = (
        "FIXED.ASSETS CURRENT.ASSETS TREASURY UNCOMMITTED.FUNDS PAID.UP.CAPITAL "
        "SHORT.TERM.DEBT SALES LABOR.COSTS DEPRECIATION"
    )
    others = {Kind.CONTINUOUS: "OPERATING.PROFIT FINANCIAL.OUTCOME GROSS.PROFIT NET.PROFIT"}
    targets = "GROSS.PROFIT FINANCIAL.OUTCOME NET.PROFIT"
    return _file("tarragona", "casc/tarragona.csv", {Kind.CONTINUOUS: names}, others, targets)


def _pima() -> StudyFile:
    names = "pregnancies glucose blood_pressure skin_thickness insulin bmi age"
    others = {Kind.CONTINUOUS: "pedigree", Kind.NOMINAL: "class"}
    return _file("pima", "uci/pima_diabetes.csv", {Kind.CONTINUOUS: names}, others, "class")


FILES: Mapping[str, Callable[[], StudyFile]] = {
    "adult": _adult,
    "census": _census,
    "household": _household,
    "german": _german,
    "solar": _solar,
    "eia": _eia,
    "tarragona": _tarragona,
    "pima": _pima,
}

HELD_OUT = ("german", "solar", "eia", "tarragona", "pima")
"""Files on which nothing was chosen."""
