"""Two tables with a key, joined to one and split again."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from evomask.errors import DataError, SchemaError
from evomask.io.csv import write_csv
from evomask.io.dialects import Dialect
from evomask.io.files import OWNER_ONLY
from evomask.io.formats import BY_ENDING, ending_of, read_file
from evomask.types import Flags, Floats, Indices

HAS_EVENT = "\0has event"


@dataclass(frozen=True, eq=False)
class JoinedTables:
    """One record for each event, with the values of its person.

    Args:
        frame: records; those of a person follow one another.
        has_event: whether each is an event, and not a person without any.
        persons: number of the person of each record.
    """

    key: str
    frame: pl.DataFrame = field(repr=False)
    person_columns: tuple[str, ...]
    event_columns: tuple[str, ...]
    has_event: Flags = field(repr=False)
    persons: Indices = field(repr=False)

    def write(self, path: Path) -> None:
        """Write the records as text that only its owner can read."""
        path.touch(mode=OWNER_ONLY)
        write_csv(self.frame, path)

    def same_orders(self, before: Floats, after: Floats) -> int:
        """Number of persons no two events of whom changed places in time."""
        order = np.lexsort((before, self.persons))
        persons, then = self.persons[order], after[order]
        same = persons[1:] == persons[:-1]
        earlier = (before[order][1:] > before[order][:-1]) & (then[1:] < then[:-1])
        moved = np.unique(persons[1:][same & earlier])
        return int(self.persons.max(initial=-1)) + 1 - len(moved)


@dataclass(frozen=True)
class SplitTables:
    """What was written of both tables.

    Args:
        smallest: records of the person with the fewest events, and the most.
        same_counts: persons with as many events as in the original.
        inconsistent: columns that differ within a person; there must be none.
    """

    persons: int
    events: int
    same_counts: int
    inconsistent: tuple[str, ...] = ()


def join_tables(persons: Path, events: Path, key: str, dialect: Dialect) -> JoinedTables:
    """Read two tables and join them by their key, which must be complete."""
    one, other = (read_file(path, dialect).columns for path in (persons, events))
    for path, table in ((persons, one), (events, other)):
        if key not in table.columns:
            raise SchemaError(f"{path.name} has no column {key!r}; name the key of both with --key")
    both = [name for name in other.columns if name in one.columns and name != key]
    if both:
        raise SchemaError(f"column {both[0]!r} is in both tables; rename or remove one")
    one, other = (t.with_columns(pl.col(key).cast(pl.String)) for t in (one, other))
    for path, table in ((persons, one), (events, other)):
        missing = table[key].is_null() | (table[key] == "")
        if missing.any():
            record = int(missing.arg_max() or 0) + 1
            raise DataError(f"record {record} of {path.name} has no {key!r}; complete or remove it")
    if one[key].is_duplicated().any():
        record = int(one[key].is_duplicated().arg_max() or 0) + 1
        raise DataError(f"record {record} of {persons.name} has a {key!r} that another one has")
    strangers = ~other[key].is_in(one[key].to_list())
    if strangers.any():
        record = int(strangers.arg_max() or 0) + 1
        raise DataError(
            f"record {record} of {events.name} has a {key!r} that {persons.name} does not have"
        )
    marked = other.with_columns(pl.lit(value=True).alias(HAS_EVENT))
    joined = one.join(marked, on=key, how="left", maintain_order="left_right")
    numbers = joined[key].rank("dense").to_numpy().astype(np.int64) - 1
    return JoinedTables(
        key,
        joined.drop(HAS_EVENT),
        tuple(name for name in one.columns if name != key),
        tuple(name for name in other.columns if name != key),
        joined[HAS_EVENT].fill_null(value=False).to_numpy(),
        numbers,
    )


def split_tables(
    joined: JoinedTables, released: Path, original: Indices, persons: Path, events: Path
) -> SplitTables:
    """Write both tables of a released joined file.

    Args:
        original: record of the joined original of each released record.
    """
    frame = read_file(released, Dialect(",", "utf-8", decimal=".")).columns
    key = joined.key
    columns = [name for name in joined.person_columns if name in frame.columns]
    values = frame.group_by(key).agg(pl.col(columns).n_unique()) if columns else frame
    wrong = tuple(name for name in columns if (values[name].max() or 0) != 1)
    if wrong:
        return SplitTables(0, 0, 0, wrong)
    one = frame.select(key, *columns).unique(key, keep="first", maintain_order=True)
    is_event = joined.has_event[original]
    rest = [name for name in joined.event_columns if name in frame.columns]
    other = frame.filter(pl.Series(is_event)).select(key, *rest)
    for table, path in ((one, persons), (other, events)):
        fmt = BY_ENDING[ending_of(path)]
        if not fmt.is_compressible:
            raise DataError(f"{path.name} is no text file; linked tables are written as text")
        path.touch(mode=OWNER_ONLY)
        write_csv(table, path)
    before = np.bincount(joined.persons, joined.has_event)
    after = np.bincount(joined.persons[original], is_event, len(before))
    return SplitTables(len(one), len(other), int((before == after).sum()))
