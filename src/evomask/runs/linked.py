"""Linked tables: persons and their events, masked together and written as two tables again.

Both are joined to one record for each event, with the values of the person; a person without
events has one record of missing ones. The key becomes the number of the person, so what a person
has once is masked once, k counts persons, edit rules may name columns of both tables, and a person
is at risk by all records. The release is split again; each person has a new number in both tables.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from evomask.data.schema import Role
from evomask.engine.front import DEFAULT_RELEASE, RELEASE_TYPES
from evomask.errors import DataError, FileError, SchemaError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.linked_tables import JoinedTables, SplitTables, join_tables, split_tables
from evomask.io.schemas import AttributeEntry, SchemaFile, read_schema, schema_file_text
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file
from evomask.runs.release import Release
from evomask.runs.store.journal import EventCallback
from evomask.runs.store.release import ORDER

LARGEST_RISK = RELEASE_TYPES[DEFAULT_RELEASE]
"""Risk in percent above which a release is warned of."""

JOINED, SCHEMA, RUN = "joined.csv", "joined.toml", "run"


@dataclass(frozen=True)
class LinkedJob:
    """Job of `protect_linked`.

    Args:
        persons: table with one record for each person.
        events: table with any number of records for each person.
        key: column of both that tells who a person is.
        schema: schema file of the columns of both tables.
        out: new folder for the run and both released tables.
        protect: job of the search; its source and folder are replaced.
    """

    persons: Path
    events: Path
    key: str
    schema: Path
    out: Path
    protect: ProtectJob


@dataclass(frozen=True, eq=False)
class LinkedRelease:
    """Two released tables, the run that made them, and what was checked.

    Args:
        orders: number of persons whose events keep their order, by each date.
    """

    release: Release
    persons: Path
    events: Path
    counts: SplitTables
    orders: dict[str, int]


def protect_linked(
    job: LinkedJob, *, evaluators: Evaluators = Local(), watch: EventCallback | None = None
) -> LinkedRelease:
    """Mask two tables together and write them to a new folder."""
    schema = read_schema(job.schema)
    entry = schema.attributes.get(job.key, AttributeEntry())
    if entry.role not in (None, Role.PERSON, Role.PSEUDONYM, Role.IDENTIFIER):
        raise SchemaError(
            f"the key {job.key!r} has the role {entry.role}; give it the role person or pseudonym"
        )
    names = job.persons.name, job.events.name
    if names[0] == names[1]:
        raise FileError("both tables have the same name; rename one, since both are released")
    joined = join_tables(job.persons, job.events, job.key, schema.dialect)
    _make_folder(job.out)
    joined.write(job.out / JOINED)
    (job.out / SCHEMA).write_text(_schema_text(schema, job.key), encoding="utf-8")
    source = Input(job.out / JOINED, job.out / SCHEMA)
    search = replace(job.protect, source=source, folder=job.out / RUN, keep_order=True)
    done = protect_file(search, evaluators=evaluators, watch=watch)
    return _split(job, joined, done)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise FileError(f"{path} exists; name a new folder") from None
    except OSError as error:
        raise FileError(f"{path} cannot be made: {error.strerror or error}") from None


def _schema_text(schema: SchemaFile, key: str) -> str:
    """Schema of the joined file: the key is the number of a person, released anew."""
    own = schema.attributes.get(key, AttributeEntry())
    if own.role is not Role.PSEUDONYM:
        own = AttributeEntry(role=Role.PERSON, renumber=True)
    for entry in schema.attributes.values():
        if entry.hierarchy:
            entry.hierarchy = str(Path(entry.hierarchy).absolute())
    if schema.pseudonyms.key:
        schema.pseudonyms.key = str(Path(schema.pseudonyms.key).absolute())
    attributes = {**schema.attributes, key: own}
    changed = msgspec.structs.replace(schema, attributes=attributes)
    changed.file = type(schema.file)(delimiter=",", decimal=".", missing=schema.file.missing)
    return schema_file_text(changed)


def _split(job: LinkedJob, joined: JoinedTables, done: Release) -> LinkedRelease:
    masked = done.protection.files(done.chosen.number).masked
    order = np.load(done.folder / ORDER)
    original = order[~masked.suppressed[order]]
    targets = job.out / job.persons.name, job.out / job.events.name
    counts = split_tables(joined, done.written.path, original, *targets)
    if counts.inconsistent:
        raise DataError(
            f"column {counts.inconsistent[0]!r} of the persons differs within a person; please "
            "report this with the options used"
        )
    table = done.protection.table
    dates = [a.name for a in table.schema if a.is_date and a.name in joined.event_columns]
    orders = {name: joined.same_orders(table.values(name), masked.middles(name)) for name in dates}
    return LinkedRelease(done, *targets, counts, orders)
