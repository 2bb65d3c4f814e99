"""A state as arrays, and as the bytes of an uncompressed npz file: numbers and JSON, no pickle."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from evomask.errors import RunError
from evomask.evolution.archive import Archive
from evomask.evolution.individual import G, Individual
from evomask.evolution.ledger import Births, Deaths, Ledger
from evomask.evolution.log import Log
from evomask.evolution.state import State, Summary

S = TypeVar("S")
Arrays: TypeAlias = Mapping[str, NDArray[Any]]
FORMAT = 1
DAMAGED = (
    OSError, ValueError, LookupError, EOFError, TypeError, AttributeError, OverflowError,
    RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
"""What reading a file that is no whole state may raise."""
_OLDEST_DATE = (1980, 1, 1, 0, 0, 0)


class Codec(Protocol[S]):
    """Turns a state of one kind into named arrays, and arrays into the same state again."""

    def save(self, state: S) -> Arrays:
        """The arrays that a state is kept as."""
        ...

    def load(self, arrays: Arrays) -> S:
        """The state whose arrays were saved."""
        ...


@dataclass(frozen=True)
class StateCodec(Generic[G]):
    """Saves and loads the states of one search.

    Args:
        pack: a genome as named arrays.
        unpack: the genome that was packed.
        archive: an empty one of the kind the run keeps.
    """

    pack: Callable[[G], Arrays]
    unpack: Callable[[Arrays], G]
    archive: Archive[G]

    def save(self, state: State[G]) -> Arrays:
        """The arrays that a state is kept as."""
        return state_as_arrays(state, self.pack)

    def load(self, arrays: Arrays) -> State[G]:
        """The state whose arrays were saved, for the same search."""
        return state_from_arrays(arrays, self.unpack, self.archive)


def write_state(file: IO[bytes], state: S, codec: Codec[S]) -> None:
    """Write a state as an npz file; the same state gives the same bytes."""
    _write_arrays(file, codec.save(state))


def read_state(file: IO[bytes], codec: Codec[S]) -> S:
    """Read a state; an error where the file is not whole or tells of something else."""
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        return codec.load(arrays)
    except DAMAGED as error:
        raise RunError("this is not a whole state of a run; remove its file to go on") from error


def state_as_arrays(state: State[G], pack: Callable[[G], Arrays]) -> dict[str, NDArray[Any]]:
    """A state as named arrays; *pack* turns a genome into some."""
    people = list({i.serial: i for i in (*state.population, *state.archive.members)}.values())
    births = [row for rows in state.ledger.births.values() for row in rows]
    arrays = {
        **rows_as_arrays("history", state.history, Summary),
        **rows_as_arrays("births", births, Births),
        **rows_as_arrays("deaths", state.ledger.deaths, Deaths),
        "individual.serial": np.array([i.serial for i in people], dtype=np.int64),
        "individual.born": np.array([i.born for i in people], dtype=np.int64),
        "individual.fitness": np.array([i.fitness for i in people], dtype=np.float64),
        **_stacked([pack(i.genome) for i in people]),
    }
    arrays["state"] = as_bytes(
        {
            "format": FORMAT,
            "generation": state.generation,
            "tasks": state.tasks,
            "evaluations": state.evaluations,
            "population": [i.serial for i in state.population],
            "archive": [i.serial for i in state.archive.members],
            "operators": [i.operator for i in people],
            "parents": [i.parents for i in people],
            "used": sorted(state.ledger.used),
            "counts": [row.counts for row in births],
        }
    )
    return arrays


def state_from_arrays(
    arrays: Arrays, unpack: Callable[[Arrays], G], archive: Archive[G]
) -> State[G]:
    """The state that the arrays were made of."""
    return _state(arrays, from_bytes(arrays["state"]), unpack, archive)


def arrays_as_bytes(arrays: Arrays) -> bytes:
    """Named arrays as the bytes of an npz file; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    _write_arrays(buffer, arrays)
    return buffer.getvalue()


def _write_arrays(file: IO[bytes], arrays: Arrays) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", _OLDEST_DATE)
            with archive.open(entry, "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.ascontiguousarray(array), allow_pickle=False)


def as_bytes(value: object) -> NDArray[np.uint8]:
    """What JSON can say, as an array."""
    return np.frombuffer(json.dumps(value, separators=(",", ":")).encode(), dtype=np.uint8)


def from_bytes(array: NDArray[np.uint8]) -> Any:  # noqa: ANN401
    """The plain data that `as_bytes` turned into an array."""
    return json.loads(array.tobytes())


def rows_as_arrays(
    name: str, rows: Iterable[Sequence[Any]], kind: type[Any]
) -> dict[str, NDArray[Any]]:
    """Rows of one kind of named tuple as an array for each of its fields."""
    columns = list(zip(*rows, strict=True)) or [()] * len(kind._fields)
    return {
        f"{name}.{field}": np.array(column, dtype=_DTYPES[kind.__annotations__[field]])
        for field, column in zip(kind._fields, columns, strict=True)
        if field != "counts"
    }


_DTYPES = {int: np.int64, float: np.float64, bool: np.bool_, str: np.str_}


def columns_of(name: str, arrays: Arrays, kind: type[Any]) -> list[list[Any]]:
    """The columns that rows were written as, in the order of the fields."""
    return [arrays[f"{name}.{field}"].tolist() for field in kind._fields if field != "counts"]


def _stacked(genomes: Sequence[Arrays]) -> dict[str, NDArray[Any]]:
    """All genomes' arrays of one name in one array where they are alike, numbered where not."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in genomes[0] if genomes else ():
        parts = [np.asarray(genome[name]) for genome in genomes]
        if len({(part.shape, part.dtype) for part in parts}) == 1:
            arrays[f"genome.{name}"] = np.stack(parts)
        else:
            arrays.update({f"genome.{name}.{i}": part for i, part in enumerate(parts)})
    return arrays


def _unstacked(arrays: Arrays, count: int) -> list[dict[str, NDArray[Any]]]:
    genomes: list[dict[str, NDArray[Any]]] = [{} for _ in range(count)]
    for key, array in arrays.items():
        part, _, rest = key.partition(".")
        name, _, number = rest.partition(".")
        if part == "genome" and number:
            genomes[int(number)][name] = array
        elif part == "genome":
            for genome, row in zip(genomes, array, strict=True):
                genome[name] = row
    return genomes


def _state(
    arrays: Arrays, meta: dict[str, Any], unpack: Callable[[Arrays], G], archive: Archive[G]
) -> State[G]:
    if meta["format"] != FORMAT:
        raise RunError(f"this state has format {meta['format']}, this version reads {FORMAT}")
    people = _people(arrays, meta, unpack)
    return State(
        population=tuple(people[serial] for serial in meta["population"]),
        archive=archive.holding(tuple(people[serial] for serial in meta["archive"])),
        generation=meta["generation"],
        tasks=meta["tasks"],
        evaluations=meta["evaluations"],
        ledger=_ledger(arrays, meta),
        history=Log(map(Summary, *columns_of("history", arrays, Summary))),
    )


def _people(
    arrays: Arrays, meta: dict[str, Any], unpack: Callable[[Arrays], G]
) -> dict[int, Individual[G]]:
    serials = arrays["individual.serial"].tolist()
    people = map(
        Individual,
        map(unpack, _unstacked(arrays, len(serials))),
        map(tuple, arrays["individual.fitness"].tolist()),
        serials,
        meta["operators"],
        map(tuple, meta["parents"]),
        arrays["individual.born"].tolist(),
    )
    return {individual.serial: individual for individual in people}


def _ledger(arrays: Arrays, meta: dict[str, Any]) -> Ledger:
    births: dict[str, list[Births]] = {}
    counts = [tuple(map(tuple, row)) for row in meta["counts"]]
    for row in map(Births, *columns_of("births", arrays, Births), counts):
        births.setdefault(row.operator, []).append(row)
    return Ledger(
        {operator: Log(rows) for operator, rows in births.items()},
        Log(map(Deaths, *columns_of("deaths", arrays, Deaths))),
        frozenset(meta["used"]),
    )
