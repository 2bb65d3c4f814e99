"""A state as one file: arrays and JSON in an uncompressed npz, no pickle.

The same state gives the same bytes; a file appears whole or not at all.
"""

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from evomask.errors import RunError
from evomask.evolution.archive import Archive
from evomask.evolution.individual import G, Individual
from evomask.evolution.ledger import Births, Deaths, Ledger
from evomask.evolution.log import Log
from evomask.evolution.state import State, Summary

T = TypeVar("T")
Arrays: TypeAlias = Mapping[str, NDArray[Any]]
FORMAT = 1
_OLDEST_DATE = (1980, 1, 1, 0, 0, 0)


def save(path: Path, state: State[G], pack: Callable[[G], Arrays]) -> None:
    """Write a state; *pack* turns a genome into named arrays."""
    write_arrays(path, state_as_arrays(state, pack))


def load(path: Path, unpack: Callable[[Arrays], G], archive: Archive[G]) -> State[G]:
    """Read a state; *archive* is an empty one of the kind the run keeps."""
    return read_arrays(path, lambda arrays: state_from_arrays(arrays, unpack, archive))


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


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write named arrays; the file appears whole or not at all."""
    write_whole(path, lambda file: _write_arrays(file, arrays))


def read_arrays(path: Path, understand: Callable[[Arrays], T]) -> T:
    """What a file of named arrays stands for; an error where it is not whole."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        return understand(arrays)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise RunError(f"{path.name} is not a whole state of a run; remove it to go on") from error


def arrays_as_bytes(arrays: Arrays) -> bytes:
    """Named arrays as the bytes of an npz file; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    _write_arrays(buffer, arrays)
    return buffer.getvalue()


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write to a temporary file beside *path*, sync, rename: a reader never sees half a file."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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
    """What was said."""
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
