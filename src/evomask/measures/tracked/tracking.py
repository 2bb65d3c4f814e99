"""Tracked readings: the state of a masked file laid out for the kernels that change it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Indices
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.kernels.bundles import laid
from evomask.kernels.tracked import measures as kernels
from evomask.kernels.tracked.memory import memory_of
from evomask.kernels.tracked.state import (
    STATE,
    Renaming,
    State,
    Wanted,
    begin,
)
from evomask.measures.comparability import categorical, check_masked, check_original, continuous
from evomask.measures.judging.loss import REFERENCE, StrictLoss
from evomask.measures.profiles import FollowedRisk, PapersLoss, PapersRisk
from evomask.measures.tracked.layout import (
    Allocation,
    category_facts,
    category_start,
    inference_facts,
    linkage_facts,
    number_facts,
    number_start,
    version,
)
from evomask.measures.tracked.trackable import Request

MEASURES = {
    StrictLoss.about.name: kernels.LOSS, PapersLoss.about.name: kernels.LOSS,
    PapersRisk.about.name: kernels.PAPERS, FollowedRisk.about.name: kernels.STRICT,
    "pil": kernels.PIL,
    "il1": kernels.IL1, "il2": kernels.IL2, "il3": kernels.IL3,
    "il4": kernels.IL4, "il5": kernels.IL5,
    "dbil": kernels.DBIL, "ctbil": kernels.CTBIL, "ebil": kernels.EBIL, "id": kernels.ID,
    "dbrl": kernels.DBRL, "relabelling": kernels.RELABELLING,
    "dbrl-relabelled": kernels.RELABELLED_DBRL, "inference": kernels.INFERENCE,
}  # fmt: skip
"""The number under which kernels read each measure."""

COSTLY = {
    PapersRisk.about.name: Wanted(linkage=True, renaming=False, inference=False),
    FollowedRisk.about.name: Wanted(linkage=True, renaming=True, inference=True),
    "dbrl": Wanted(linkage=True, renaming=False, inference=False),
    "relabelling": Wanted(linkage=False, renaming=True, inference=False),
    "dbrl-relabelled": Wanted(linkage=True, renaming=True, inference=False),
    "inference": Wanted(linkage=False, renaming=False, inference=True),
}
"""The costly parts of the measures that have any."""

CHEAP = Wanted(linkage=False, renaming=False, inference=False)

STRICT = (StrictLoss.about.name, FollowedRisk.about.name)
"""Measures whose losses are on the scales of the strict profile."""


def request_for(measure: str, names: tuple[str, ...]) -> Request:
    """The request for a measure of a profile; the loss of the same profile comes along."""
    return Request(measure, names, reference=REFERENCE if measure in STRICT else None)


UNKEPT = 16
"""Changes of the costliest kind that can be undone at once."""


@dataclass(frozen=True, eq=False)
class TrackedFile:
    """A masked file whose measures follow single changes.

    ``state`` is what kernels take that try many changes; see ``evomask.kernels.tracked.state``.
    """

    original: Table
    names: tuple[str, ...]
    measure: int
    state: State

    @property
    def value(self) -> float:
        """The measure of the file as it stands."""
        return kernels.read_state(self.state, self.measure)

    def read(self, measure: str) -> float:
        """Another measure of the same file, as long as its parts are followed too."""
        return kernels.read_state(self.state, MEASURES[measure])

    def change(self, record: int, name: str, value: float) -> None:
        """Write a number, or the code of a category, into one cell."""
        if name not in self.names:
            self.original.attribute(name)
            return
        self._check(record, name, value)
        kernels.change_cell(self.state, record, self.names.index(name), float(value))

    def undo(self) -> None:
        """Take back every change since the last ``keep``, or since the beginning."""
        kernels.undo_changes(self.state)

    def keep(self) -> None:
        """Make the changes so far last."""
        kernels.keep_changes(self.state)

    def _check(self, record: int, name: str, value: float) -> None:
        if not 0 <= record < len(self.original):
            raise ParameterError(f"there is no record {record}; the first is 0")
        memory = self.state.memory
        if memory.size[0] + self.state.most > len(memory.places):
            raise ParameterError("too many changes that can be undone; keep or undo some first")
        attribute = self.original.attribute(name)
        if attribute.is_categorical:
            if value not in range(len(attribute.categories)):
                raise ParameterError(f"the value for {name!r} must be the code of a category")
        elif np.isinf(value):
            raise ParameterError(f"the value for {name!r} must not be infinite")


@dataclass(frozen=True, eq=False)
class Tracker:
    """One original and one request, prepared to follow many masked files."""

    original: Table
    request: Request

    @cached_property
    def wanted(self) -> Wanted:
        """The costly parts that this measure needs; without categories none is renamed."""
        wanted = COSTLY.get(self.request.measure, CHEAP)
        renames = wanted.renaming and bool(categorical(self.original.schema, self._names))
        return wanted._replace(renaming=renames)

    @property
    def _names(self) -> tuple[str, ...]:
        return self.request.attributes

    @cached_property
    def _columns(self) -> Indices:
        """For each attribute its row among the numbers, or the complement of one."""
        schema = self.original.schema
        numbers, categories = continuous(schema, self._names), categorical(schema, self._names)
        rows = [numbers.index(n) if n in numbers else ~categories.index(n) for n in self._names]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def _allocation(self) -> Allocation:
        return Allocation()

    @cached_property
    def _blank(self) -> State:
        """The state of every masked file but for its own numbers."""
        check_original(self.original, self._names)
        allocation, original, request = self._allocation, self.original, self.request
        numbers = number_facts(original, request, allocation)
        categories = category_facts(original, request, allocation)
        linkage = linkage_facts(original, request, self.wanted.linkage, numbers.at.values)
        inference = inference_facts(original, request, self.wanted.inference, numbers.at)
        main = version(allocation, linkage, inference, categories.at.codes)
        names = int(categories.sizes.sum())
        renaming = Renaming(
            allocation.wholes_for(names), allocation.wholes_for(len(categories.sizes)),
            allocation.wholes_for(1), allocation.wholes_for(1), main, main,
        )  # fmt: skip
        cells = len(original) * len(categories.sizes) if self.wanted.renaming else 0
        if cells:
            renaming = renaming._replace(
                first=version(allocation, linkage, inference, allocation.wholes_for(cells)),
                second=version(allocation, linkage, inference, allocation.wholes_for(cells)),
            )
        people = int(inference.shares.size * (3 * inference.weights.size + 1))
        d, tables = len(numbers.values), len(categories.tables)
        most = 8 * d + 2 * tables + names + 64 + 2 * people
        return State(
            memory_of(np.empty(0), np.empty(0, np.int64), 0), numbers, categories, linkage,
            inference, main, renaming, self.wanted, np.full(1, 2), self._columns, most,
        )  # fmt: skip

    def begin(self, masked: Table, unkept: int = UNKEPT) -> TrackedFile:
        """Begin to follow changes of *masked*; *unkept* of them can be undone at once."""
        check_masked(self.original, masked, self._names)
        _check_plain(masked, self._names)
        blank = self._blank
        reals, wholes = (
            np.zeros(self._allocation.reals),
            np.zeros(self._allocation.wholes, np.int64),
        )
        number_start(self.original, masked, self._names, blank.numbers, reals, wholes)
        category_start(self.original, masked, self._names, blank.categories, reals, wholes)
        people, n = blank.inference.weights.size, len(self.original)
        inference = blank.inference._replace(
            before=np.empty((2, blank.inference.shares.size * people)),
            people=np.empty(people), records=np.empty(n),
        )  # fmt: skip
        memory = memory_of(reals, wholes, unkept * blank.most)
        state = laid(STATE, blank._replace(memory=memory, inference=inference, depth=np.full(1, 2)))
        begin(state)
        return TrackedFile(self.original, self._names, MEASURES[self.request.measure], state)


def _check_plain(masked: Table, names: tuple[str, ...]) -> None:
    for name in names:
        if masked.is_recoded(name):
            raise DataError(f"column {name!r} is generalized; only plain values can be tracked")
    if masked.suppressed.any():
        raise DataError("the masked file has suppressed records; only whole files can be tracked")
