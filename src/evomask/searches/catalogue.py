"""The catalogue of searches: ours, and those that installed packages bring along.

A package adds a search by an entry point of the group ``evomask.searches``; see
docs/adding-a-search.md.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, runtime_checkable

from evomask.data.chart import Chart
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.loop import Problem
from evomask.evolution.setup import Setup, Surroundings
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget

GROUP = "evomask.searches"

RELEASED_DRAW = 0
"""Where masking is random, the draw that is measured and released."""

OURS: Mapping[str, str] = {
    "generalization": "evomask.runs.generalization:GENERALIZATION",
    "partition": "evomask.searches.partition.search:PartitionSearch",
    "grouping": "evomask.searches.grouping.search:GroupingSearch",
    "equations": "evomask.searches.equations.search:EquationsSearch",
    "pram": "evomask.searches.pram.search:PramSearch",
    "clustered": "evomask.searches.clustered.search:ClusteredSearch",
    "files": "evomask.searches.files.search:FILES",
}
"""Name and home (module:object) of each search of ours, imported when it is first used."""


class MaskingProblem(Problem[Any], Protocol):
    """A problem whose genomes decode to masked files."""

    def decode(self, genome: Any, draw: int) -> Table:  # noqa: ANN401
        """The masked file; where masking is random, as draw number *draw* makes it."""
        ...

    def read(self, genome: Any, draw: int) -> Mapping[str, float]:  # noqa: ANN401
        """Its measures by name, among them ``loss``, ``risk`` and ``score`` where it has them."""
        ...

    def answer(self, genome: Any) -> Mapping[str, object]:  # noqa: ANN401
        """What this kind of search tells of the chosen genome besides: keys of the JSON answer."""
        ...


@runtime_checkable
class Comparing(Protocol):
    """A problem that tells how its best genome stands beside the best of the first ones."""

    def compared(self, first: int, genome: Any) -> Mapping[str, object]:  # noqa: ANN401
        """Keys of the JSON answer; those under ``warnings`` are told as notes."""
        ...


@runtime_checkable
class OverviewProblem(Protocol):
    """What a masking problem may offer besides: an account of a whole run."""

    def overview(self, state: State[Any]) -> Mapping[str, object]:
        """What the last state tells: further keys of the JSON answer."""
        ...

    def charts(self, state: State[Any]) -> Sequence[Chart]:
        """Figures of the run, drawn where the user asks for them."""
        ...


class Search(Protocol):
    """One kind of search; the first sentence of its docstring describes it to users.

    ``parameters`` is a frozen dataclass whose fields become options, their meanings the
    ``Args`` of its docstring. The problem of the setup is a `MaskingProblem`.
    """

    @property
    def name(self) -> str:
        """Its name on the command line."""
        ...

    @property
    def parameters(self) -> type[Any]:
        """What can be set."""
        ...

    @property
    def budget(self) -> Budget:
        """What a run may spend unless the user says otherwise."""
        ...

    def setup(self, table: Table, parameters: Any, around: Surroundings) -> Setup[Any]:  # noqa: ANN401
        """The search made ready for one table."""
        ...


def search_names() -> tuple[str, ...]:
    """The searches there are, ours first."""
    return (*OURS, *sorted(point.name for point in _brought_along() if point.name not in OURS))


def search_named(name: str) -> Search:
    """The search called *name*."""
    if name in OURS:
        module, _, attribute = OURS[name].partition(":")
        ours: Search = getattr(import_module(module), attribute)
        return ours
    for point in _brought_along():
        if point.name == name:
            found: Search = point.load()
            return found
    known = ", ".join(search_names()) or "none yet"
    raise ParameterError(f"no search is called {name!r}; there are {known}")


def _brought_along() -> list[EntryPoint]:
    return list(entry_points(group=GROUP))
