"""Checkpoints: a state as named arrays in an uncompressed npz file, without pickle."""

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
from evomask.evolution.state import Births, Deaths, Ledger, Log, State, Summary

S = TypeVar("S")
Arrays: TypeAlias = Mapping[str, NDArray[Any]]
FORMAT = 1
DAMAGED = (
    OSError, ValueError, LookupError, EOFError, TypeError, AttributeError, OverflowError,
    RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
"""Exceptions that reading a damaged or foreign file may raise."""
_OLDEST_DATE = (1980, 1, 1, 0, 0, 0)


class Codec(Protocol[S]):
    """Conversion of states of one kind to named arrays and back."""

    def save(self, state: S) -> Arrays:
        """Return a state as named arrays."""
        ...

    def load(self, arrays: Arrays) -> S:
        """Return the state that was saved."""
        ...


@dataclass(frozen=True)
class StateCodec(Generic[G]):
    """Codec of the states of one search.

    Args:
        pack: converts a genome to named arrays.
        unpack: converts named arrays to a genome.
        archive: an empty archive of the kind that the run uses.
    """

    pack: Callable[[G], Arrays]
    unpack: Callable[[Arrays], G]
    archive: Archive[G]

    def save(self, state: State[G]) -> Arrays:
        return state_as_arrays(state, self.pack)

    def load(self, arrays: Arrays) -> State[G]:
        return state_from_arrays(arrays, self.unpack, self.archive)


def write_state(file: IO[bytes], state: S, codec: Codec[S]) -> None:
    """Write a state as an npz file; equal states give equal bytes."""
    _write_npz(file, codec.save(state))


def read_state(file: IO[bytes], codec: Codec[S]) -> S:
    """Read a state; raise an error if the file is damaged or holds something else."""
    try:
        _refuse_compressed(file)
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        return codec.load(arrays)
    except DAMAGED as error:
        raise RunError(
            "the checkpoint is damaged or incomplete; remove the file to continue"
        ) from error


def _refuse_compressed(file: IO[bytes]) -> None:
    """Raise ValueError for an npz file that unpacks to more than its size; ours never do."""
    with zipfile.ZipFile(file) as members:
        if any(member.compress_type != zipfile.ZIP_STORED for member in members.infolist()):
            raise ValueError("a state is not compressed")
    file.seek(0)


def state_as_arrays(state: State[G], pack: Callable[[G], Arrays]) -> dict[str, NDArray[Any]]:
    """Return a state as named arrays; *pack* converts a genome."""
    individuals = list({i.serial: i for i in (*state.population, *state.archive.members)}.values())
    births = [row for rows in state.ledger.births.values() for row in rows]
    arrays = {
        **rows_as_arrays("history", state.history, Summary),
        **rows_as_arrays("births", births, Births),
        **rows_as_arrays("deaths", state.ledger.deaths, Deaths),
        "individual.serial": np.array([i.serial for i in individuals], dtype=np.int64),
        "individual.born": np.array([i.born for i in individuals], dtype=np.int64),
        "individual.fitness": np.array([i.fitness for i in individuals], dtype=np.float64),
        **_stack([pack(i.genome) for i in individuals]),
    }
    arrays["state"] = as_bytes(
        {
            "format": FORMAT,
            "generation": state.generation,
            "tasks": state.tasks,
            "evaluations": state.evaluations,
            "population": [i.serial for i in state.population],
            "archive": [i.serial for i in state.archive.members],
            "operators": [i.operator for i in individuals],
            "parents": [i.parents for i in individuals],
            "used": sorted(state.ledger.used),
            "counts": [row.counts for row in births],
        }
    )
    return arrays


def state_from_arrays(
    arrays: Arrays, unpack: Callable[[Arrays], G], archive: Archive[G]
) -> State[G]:
    """Return the state that the arrays hold."""
    meta = from_bytes(arrays["state"])
    if meta["format"] != FORMAT:
        raise RunError(f"this state has format {meta['format']}, this version reads {FORMAT}")
    individuals = _individuals(arrays, meta, unpack)
    return State(
        population=tuple(individuals[serial] for serial in meta["population"]),
        archive=archive.holding(tuple(individuals[serial] for serial in meta["archive"])),
        generation=meta["generation"],
        tasks=meta["tasks"],
        evaluations=meta["evaluations"],
        ledger=_ledger(arrays, meta),
        history=Log(map(Summary, *columns_of("history", arrays, Summary))),
    )


def arrays_as_bytes(arrays: Arrays) -> bytes:
    """Return named arrays as the bytes of an npz file; equal arrays give equal bytes."""
    buffer = io.BytesIO()
    _write_npz(buffer, arrays)
    return buffer.getvalue()


def _write_npz(file: IO[bytes], arrays: Arrays) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", _OLDEST_DATE)
            with archive.open(entry, "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.ascontiguousarray(array), allow_pickle=False)


def as_bytes(value: object) -> NDArray[np.uint8]:
    """Return JSON-serialisable data as an array of bytes."""
    return np.frombuffer(json.dumps(value, separators=(",", ":")).encode(), dtype=np.uint8)


def from_bytes(array: NDArray[np.uint8]) -> Any:  # noqa: ANN401
    """Return the data that `as_bytes` converted."""
    return json.loads(array.tobytes())


def rows_as_arrays(
    name: str, rows: Iterable[Sequence[Any]], kind: type[Any]
) -> dict[str, NDArray[Any]]:
    """Return rows of a named tuple type as one array per field."""
    columns = list(zip(*rows, strict=True)) or [()] * len(kind._fields)
    return {
        f"{name}.{field}": np.array(column, dtype=_DTYPES[kind.__annotations__[field]])
        for field, column in zip(kind._fields, columns, strict=True)
        if field != "counts"
    }


_DTYPES = {int: np.int64, float: np.float64, bool: np.bool_, str: np.str_}


def columns_of(name: str, arrays: Arrays, kind: type[Any]) -> list[list[Any]]:
    """Return the columns that `rows_as_arrays` wrote, in the order of the fields."""
    return [arrays[f"{name}.{field}"].tolist() for field in kind._fields if field != "counts"]


def _stack(genomes: Sequence[Arrays]) -> dict[str, NDArray[Any]]:
    """Stack the arrays of all genomes by name; number them where shapes differ."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in genomes[0] if genomes else ():
        parts = [np.asarray(genome[name]) for genome in genomes]
        if len({(part.shape, part.dtype) for part in parts}) == 1:
            arrays[f"genome.{name}"] = np.stack(parts)
        else:
            arrays.update({f"genome.{name}.{i}": part for i, part in enumerate(parts)})
    return arrays


def _unstack(arrays: Arrays, count: int) -> list[dict[str, NDArray[Any]]]:
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


def _individuals(
    arrays: Arrays, meta: dict[str, Any], unpack: Callable[[Arrays], G]
) -> dict[int, Individual[G]]:
    serials = arrays["individual.serial"].tolist()
    individuals = map(
        Individual,
        map(unpack, _unstack(arrays, len(serials))),
        map(tuple, arrays["individual.fitness"].tolist()),
        serials,
        meta["operators"],
        map(tuple, meta["parents"]),
        arrays["individual.born"].tolist(),
    )
    return {individual.serial: individual for individual in individuals}


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
