"""Eight public files for studies of judges, and twenty maskings of each.

Six files are there to choose by; two are held out, looked at once when everything is chosen.
Reference data through EVOMASK_DATA.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from evomask.data.frames import Declaration, table_from
from evomask.data.hierarchy import Hierarchy, HierarchyLines, fit_hierarchies
from evomask.data.hierarchy_builders import neighbour_hierarchy
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.hierarchies import read_hierarchies
from evomask.masking.catalogue import method_named
from evomask.masking.composition import InTurn
from evomask.masking.method import MaskingMethod
from evomask.masking.recoding.global_recoding import Generalization

Names = tuple[str, ...]

FEW_VALUES = 10
"""A target of so many values is a category."""

SEED = 7
MOST_RECORDS = 2_000
"""Longer files are read at even steps, so that judges finish in minutes."""


@dataclass(frozen=True, eq=False)
class StudyFile:
    """A public file: what an intruder may know, and what analysts want to foretell.

    Args:
        target: an attribute that nobody masks; none where quasi-identifiers foretell each other.
        lines: value trees as their files hold them.
    """

    name: str
    table: Table
    target: str = ""
    lines: HierarchyLines = field(default_factory=dict)

    @property
    def names(self) -> Names:
        return self.table.schema.quasi_identifiers

    @cached_property
    def numbers(self) -> Names:
        return tuple(n for n in self.names if not self.table.attribute(n).is_categorical)

    @cached_property
    def categories(self) -> Names:
        return tuple(n for n in self.names if self.table.attribute(n).is_categorical)

    @cached_property
    def ordinal(self) -> Names:
        return tuple(n for n in self.names if self.table.attribute(n).kind is Kind.ORDINAL)

    @cached_property
    def trees(self) -> Mapping[str, Hierarchy]:
        """Those that came with the file; of other ordered attributes, neighbours by pairs."""
        made = {n: neighbour_hierarchy(self.table.attribute(n).categories) for n in self.ordinal}
        return {**made, **fit_hierarchies(self.lines, self.table)}


def _file(
    name: str, path: str, kinds: Mapping[Kind, str], target: str = "",
    trees: str = "",
) -> StudyFile:  # fmt: skip
    frame = pl.read_csv(reference_file(path), null_values="?", infer_schema_length=None)
    named = {n: kind for kind, names in kinds.items() for n in names.split()}
    frame = frame.select([*named, *([target] if target else [])]).drop_nulls()
    step = max(1.0, frame.height / MOST_RECORDS)
    frame = frame[(np.arange(int(frame.height / step)) * step).astype(int).tolist()]
    found = {n: str(reference_file(trees.format(n))) if trees else None for n in named}
    declared = {
        n: Declaration(k, Role.QUASI_IDENTIFIER, hierarchy=found[n]) for n, k in named.items()
    }
    if target and frame[target].n_unique() <= FEW_VALUES:
        declared[target] = Declaration(Kind.NOMINAL)
    table = table_from(frame, declared)
    return StudyFile(name, table, target, read_hierarchies(table.schema))


def _adult() -> StudyFile:
    names = "workclass education marital-status occupation race sex native-country"
    kinds = {Kind.ORDINAL: "age", Kind.NOMINAL: names}
    trees = "hierarchies/adult/adult_hierarchy_{}.csv"
    return _file("adult", "uci/adult.csv", kinds, "income", trees=trees)


def _german() -> StudyFile:
    kinds = {
        Kind.CONTINUOUS: "AGE DURATION CREDAMOUNT",
        Kind.ORDINAL: "SAVINGS PRESEMPLOY JOB",
        Kind.NOMINAL: "PURPOSE STATSEX HOUSING PROPERTY",
    }
    return _file("german", "uci/german_credit.csv", kinds, "CLASS")


def _pima() -> StudyFile:
    names = "pregnancies glucose blood_pressure skin_thickness insulin bmi pedigree age"
    return _file("pima", "uci/pima_diabetes.csv", {Kind.CONTINUOUS: names}, "class")


def _solar() -> StudyFile:
    kinds = {
        Kind.ORDINAL: "ACTIVITY EVOLUTION PREVFLARE AREA AREALARGSPOT",
        Kind.NOMINAL: "CLASS LARGSPOT SPOTDIST HISTOCOMP SUNDISK",
    }
    return _file("solar", "uci/solar_flare.csv", kinds, "C-CLASS")


def _census() -> StudyFile:
    names = (
        "AFNLWGT AGI EMCONTRB FEDTAX PTOTVAL STATETAX TAXINC POTHVAL INTVAL PEARNVAL FICA "
        "WSALVAL ERNVAL"
    )
    return _file("census", "casc/census.csv", {Kind.CONTINUOUS: names})


def _tarragona() -> StudyFile:
    names = (
        "FIXED.ASSETS CURRENT.ASSETS TREASURY UNCOMMITTED.FUNDS PAID.UP.CAPITAL "
        "SHORT.TERM.DEBT SALES LABOR.COSTS DEPRECIATION OPERATING.PROFIT FINANCIAL.OUTCOME "
        "GROSS.PROFIT NET.PROFIT"
    )
    return _file("tarragona", "casc/tarragona.csv", {Kind.CONTINUOUS: names})


def _eia() -> StudyFile:
    names = (
        "RESREVENUE RESSALES COMREVENUE COMSALES INDREVENUE INDSALES OTHREVENUE OTHRSALES "
        "TOTREVENUE TOTSALES"
    )
    return _file("eia", "casc/eia.csv", {Kind.CONTINUOUS: names})


def _household() -> StudyFile:
    kinds = {
        Kind.CONTINUOUS: "age expend",
        Kind.NOMINAL: "urbrur roof walls water electcon relat sex hhcivil",
    }
    return _file("household", "sdcmicro/testdata.csv", kinds, "income")


FILES: Mapping[str, Callable[[], StudyFile]] = {
    "adult": _adult,
    "german": _german,
    "pima": _pima,
    "solar": _solar,
    "census": _census,
    "tarragona": _tarragona,
    "eia": _eia,
    "household": _household,
}

HELD_OUT = ("eia", "household")
"""Files that have no say in any choice."""

OF_NUMBERS = (
    "mdav k=3", "mdav k=10", "mdav k=30", "mdav k=100", "vmdav k=5",
    "individual-ranking k=10", "individual-ranking k=50",
    "rank-swapping window=2", "rank-swapping window=8", "rank-swapping window=20",
    "independent-noise percent=5", "independent-noise percent=20", "independent-noise percent=60",
    "correlated-noise percent=20", "mondrian k=5", "mondrian k=25",
    "top-coding percent=10", "bottom-coding percent=25",
    "independent-noise percent=10 + repair k=5", "rank-swapping window=4 + repair k=10",
)  # fmt: skip

OF_CATEGORIES = (
    "mdav-generic k=3", "mdav-generic k=10", "mdav-generic k=30", "mdav-generic k=100",
    "clustered-microaggregation k=20 clusters=5",
    "pram change=0.1", "pram change=0.3", "pram change=0.6", "pram change=0.4 invariant=true",
    "rank-swapping window=10", "rank-swapping window=20",
    "global-recoding merged=2 release=value", "global-recoding merged=4 release=sets",
    "generalization 1", "generalization 2",
    "local-suppression k=3", "local-suppression k=10 matching=category",
    "mondrian k=5", "mondrian k=25", "pram change=0.2 + repair k=5",
)  # fmt: skip

OF_BOTH = (
    "mdav-generic k=3", "mdav-generic k=10", "mdav-generic k=30", "mdav-generic k=100",
    "independent-noise percent=5 + pram change=0.1",
    "independent-noise percent=20 + pram change=0.3",
    "independent-noise percent=60 + pram change=0.6",
    "rank-swapping window=3", "rank-swapping window=10 + pram change=0.2",
    "rank-swapping window=20 + pram change=0.4 invariant=true",
    "individual-ranking k=10 + global-recoding merged=2 release=value",
    "individual-ranking k=50 + global-recoding merged=3 release=sets",
    "mdav k=10 + generalization 1", "mdav k=50 + generalization 2",
    "mdav k=5 + local-suppression k=3", "mdav k=20 + local-suppression k=10 matching=category",
    "mondrian k=5", "mondrian k=25",
    "independent-noise percent=10 + pram change=0.2 + repair k=5", "top-coding percent=10",
)  # fmt: skip


def maskings(file: StudyFile) -> Iterator[tuple[str, Table]]:
    """Twenty masked versions over the catalogue and its strengths, always the same."""
    both = bool(file.numbers) and bool(file.categories)
    titles = OF_BOTH if both else OF_NUMBERS if file.numbers else OF_CATEGORIES
    for place, title in enumerate(titles):
        method = _method(file, title)
        yield title, method.mask(file.table, np.random.default_rng([SEED, place]))


def _method(file: StudyFile, title: str) -> MaskingMethod:
    steps = tuple(step for text in title.split(" + ") if (step := _step(file, text)))
    return steps[0] if len(steps) == 1 else InTurn(steps)


def _step(file: StudyFile, text: str) -> MaskingMethod | None:
    """One method on all attributes it can mask; none where it can mask none."""
    name, *settings = text.split()
    if name == "generalization":
        return _generalization(file, int(settings[0]))
    entry = method_named(name)
    names = tuple(n for n in file.names if file.table.attribute(n).kind in entry.kinds)
    texts = dict(setting.split("=") for setting in settings)
    if "merged" in texts:
        wide = int(texts["merged"])
        names = tuple(n for n in names if file.table.attribute(n).domain_size > wide)
    return entry.build(names, texts) if names else None


def _generalization(file: StudyFile, level: int) -> MaskingMethod | None:
    levels = {n: min(level, tree.height - 1) for n, tree in file.trees.items()}
    chosen = {n: up for n, up in levels.items() if up > 0}
    if not chosen:
        return None
    return Generalization(tuple(chosen), tuple(chosen.values()), file.trees)
