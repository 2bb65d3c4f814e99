"""What a search starts from: recipes, and masked versions of the same records made elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evomask.data.frames import Frame
from evomask.data.table import Table
from evomask.engine.objectives import Objective
from evomask.engine.state import EngineState
from evomask.errors import DataError, EvomaskError, ParameterError
from evomask.io.masked_tables import masked_version
from evomask.io.sources import Source
from evomask.masking.recipe import Recipe
from evomask.measures.attacks.audit import are_in_order
from evomask.runs.inputs import Loaded, counted, load_version
from evomask.runs.recipes import check_steps, read_recipe
from evomask.searches.catalogue import GIVEN

TAKEN = frozenset({"point", "search", "method", "operator", "file", "loss", "risk", "score"})
"""Names of other properties of a point."""

ENDING = ".toml"
"""Ending of the files of recipes."""


@dataclass(frozen=True, eq=False)
class Start:
    """What a search starts from.

    Args:
        files: masked versions of the table.
        paths: of these, where they are files.
        objectives: of the user.
    """

    recipes: tuple[Recipe, ...] = ()
    files: tuple[Table, ...] = ()
    paths: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    objectives: tuple[Objective, ...] = ()


NOTHING_GIVEN = Start()


def load_start(paths: Sequence[Path], loaded: Loaded) -> Start:
    """Load recipes (``.toml``) and masked files for the records of a table."""
    masked = tuple(path for path in paths if path.suffix != ENDING)
    return start_of(
        loaded,
        recipes=[path for path in paths if path.suffix == ENDING],
        versions=[(str(path), load_version(path, loaded)) for path in masked],
        paths=masked,
    )


def start_of(
    loaded: Loaded,
    recipes: Iterable[Path],
    versions: Iterable[tuple[str, Table]],
    paths: tuple[Path, ...] = (),
) -> Start:
    """Check recipes and masked versions of a table.

    Args:
        versions: each with its name for messages.
    """
    named = list(versions)
    order = (
        f"the records of {name} seem to be in another order than the original, but are compared "
        "by position; give the file in the order of the original"
        for name, version in named
        if len(version) == len(loaded.table) and not are_in_order(version, loaded.table)
    )
    return Start(
        tuple(_recipe(path, loaded.table) for path in recipes),
        tuple(_complete(name, version, loaded.table) for name, version in named),
        paths,
        tuple(order),
    )


def version_of(source: Source, loaded: Loaded) -> Table:
    """Return a masked version of a table that is in memory."""
    return masked_version(loaded.table, source, loaded.trees)


def _recipe(path: Path, table: Table) -> Recipe:
    recipe = read_recipe(path).recipe
    try:
        check_steps(recipe, table.schema)
    except EvomaskError as error:
        raise type(error)(f"{path}: {error}") from None
    return recipe


def _complete(name: str, version: Table, table: Table) -> Table:
    """Return a masked version with the columns that it lacks, which no intruder knows."""
    if len(version) != len(table):
        raise DataError(
            f"{name} has {counted(len(version), 'record')}, and the original {len(table):,}; give "
            "every record, in the order of the original"
        )
    columns = {**table.columns, **version.columns}
    return replace(table, columns=columns, recodings=dict(version.recodings))


def objectives_of(given: Mapping[str, Any], frame: Frame) -> tuple[Objective, ...]:
    """Return functions of the user, or pairs of a function and a limit, as objectives."""
    return tuple(_objective(name, one, frame) for name, one in given.items())


def _objective(name: str, given: Any, frame: Frame) -> Objective:  # noqa: ANN401
    function, limit = given if isinstance(given, tuple) else (given, None)
    if not callable(function):
        raise ParameterError(
            f"the objective {name!r} must be a function, or a pair of a function and a limit"
        )
    if name in TAKEN:
        raise ParameterError(f"an objective cannot be called {name!r}; choose another name")
    return Objective(name, function, frame, None if limit is None else float(limit))


def note_on_start(state: EngineState) -> tuple[str, ...]:
    """Say how many recipes and files that were given could not be used."""
    born = [birth.number for birth in state.births if birth.search == GIVEN]
    lost = set(born) - {point.number for point in state.candidates}
    if not lost:
        return ()
    given = counted(len(born), "given masking")
    return (f"{len(lost)} of {given} cannot fulfil the requirement, and did not take part",)
