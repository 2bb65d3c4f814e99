"""The release record: all that is known of a release, as data.

``record.json`` is the internal record; both reports are written from it and need nothing else.
It holds no record's values, and no time of the clock unless the run was bound by time: the same
seed and number of evaluations give the same bytes. Who
releases the file, when and why is said by a person (`Statement`) and stays as said.
"""

from typing import Any

import msgspec

from evomask.errors import RunError
from evomask.measures.keeping.estimates import KeptStatistic
from evomask.record.associations import Associations
from evomask.record.spreads import MINIMUM, Spread
from evomask.record.statement import NOTHING_SAID, Statement

FORMAT = 1
RECORD = "record.json"


class FileNote(msgspec.Struct, frozen=True):
    """A data file by its name, not its place."""

    name: str
    sha256: str
    records: int
    attributes: int


class CheckNote(msgspec.Struct, frozen=True):
    """What the released file turned out to be when it was read back after writing.

    Args:
        k: records in the smallest class of look-alikes in the file.
        l: fewest distinct values of a confidential attribute in a class, where there is one.
        t: how far, at most, such an attribute is spread otherwise in a class than in the file.
    """

    records: int
    columns: int
    k: int
    l: int | None = None  # noqa: E741
    t: float | None = None


class AttributeNote(msgspec.Struct, frozen=True):
    """What an attribute is, and what became of its released cells.

    Args:
        changed: percent of the cells that no longer say the original value.
        generalized: percent of the cells that say less than one value.
        suppressed: cells that say nothing.
        shift: mean change in percent of the standard deviation; of numbers alone.
        lost: categories that no cell names any more, those that few records had not named.
        lost_rare: how many more there are.
    """

    name: str
    label: str
    kind: str
    role: str
    released: bool
    changed: float = 0.0
    generalized: float = 0.0
    suppressed: int = 0
    shift: float | None = None
    lost: tuple[str, ...] = ()
    lost_rare: int = 0


class RiskNote(msgspec.Struct, frozen=True):
    """The parts of a risk, in percent of people.

    Args:
        linked, read, confidential: what the most successful attacker of each kind achieves.
        largest: which of them is the risk.
        attacker: what that attacker does, in words.
        error: standard error of the risk; 0 where everybody was attacked.
        people: how many were attacked.
        expected: how many people it gets right.
    """

    linked: float
    read: float | None
    confidential: float | None
    largest: str
    attacker: str
    error: float
    people: int
    expected: float


class PointNote(msgspec.Struct, frozen=True):
    """A masked file on offer: how it was made, and its loss and risk in percent.

    Args:
        point: its number on the front, from 1 by loss; 0 beside the front.
        table_error, model_error: the largest of the statistics that must survive, in percent;
            none where nothing was named, or beside the front.
        file: its number in the order of making, which it keeps while the front changes; none in
            records of earlier versions, where *point* is that number.
    """

    point: int
    search: str
    method: str
    loss: float
    risk: float
    parts: RiskNote | None = None
    table_error: float | None = None
    model_error: float | None = None
    file: int | None = None

    @property
    def score(self) -> float:
        """The larger of loss and risk."""
        return max(self.loss, self.risk)


class PointsNote(msgspec.Struct, frozen=True):
    """All points of the map of loss and risk.

    Args:
        others: measured files beside the front, those that would lie on one another left out.
        simple: the best of simple methods alone, for comparison.
        tried: how many files were measured.
        baselines: what could be released instead, for comparison; nobody can choose them.
    """

    original: PointNote
    chosen: PointNote
    front: tuple[PointNote, ...]
    others: tuple[PointNote, ...]
    simple: tuple[PointNote, ...]
    tried: int
    baselines: tuple[PointNote, ...] = ()


class MeasureNote(msgspec.Struct, frozen=True):
    """A measure of the released file, with what it says."""

    name: str
    title: str
    side: str
    direction: str
    meaning: str
    value: float


class RiskCell(msgspec.Struct, frozen=True):
    """How many records have a risk above *low* and up to *high* percent."""

    low: float
    high: float
    records: int


class HouseholdNote(msgspec.Struct, frozen=True):
    """The risk that any member of a household is identified; its cells count households.

    Args:
        average: mean over households, in percent.
        expected: in how many households somebody is expected to be identified.
        of_records: mean over records of the risk of their households, in percent.
    """

    households: int
    average: float
    expected: float
    of_records: float
    cells: tuple[RiskCell, ...]


class SpecialNote(msgspec.Struct, frozen=True):
    """Records that are unique on few attributes (SUDA2).

    Args:
        records: how many are unique on some attributes.
        sets: at place s - 1 the number of minimal sets of s attributes.
        contributions: part of each attribute in all scores, in percent.
        average: mean chance of a right match in percent (DIS), with its *cells*.
        expected: how many right matches are expected.
        fraction: share of the population that is taken to be in the file.
        largest: sets of more attributes were not looked at.
    """

    records: int
    sets: tuple[int, ...]
    contributions: dict[str, float]
    average: float
    expected: float
    fraction: float
    largest: int
    cells: tuple[RiskCell, ...]


class ModelNote(msgspec.Struct, frozen=True):
    """Privacy models and the risk of single records of one file.

    Args:
        record_risk: mean chance in percent that a record is identified, with its *cells*.
        expected: how many records are expected to be identified.
    """

    k: int
    uniques: int
    l: int | None  # noqa: E741
    t: float | None
    record_risk: float
    cells: tuple[RiskCell, ...]
    expected: float | None = None
    households: HouseholdNote | None = None
    special: SpecialNote | None = None


class AttackNote(msgspec.Struct, frozen=True):
    """What an attack that no search has seen achieves, in percent."""

    name: str
    title: str
    meaning: str
    value: float
    baseline: float
    unmasked: float


class MatrixNote(msgspec.Struct, frozen=True):
    """The transition probabilities of one attribute, row by row.

    Args:
        invariant: whether it keeps the expected frequencies, and so tells them.
        designed: whether a known formula makes it from the frequencies, and so tells them.
        rare: which categories have few records; they are not named in public.
        repaired: percent of the attribute's cells that were changed again afterwards, to
            fulfil what is required; of them the probabilities say nothing.
    """

    attribute: str
    categories: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    invariant: bool
    rare: tuple[bool, ...]
    repaired: float = 0.0
    designed: bool = False


class OperatorNote(msgspec.Struct, frozen=True):
    """What one operator of a search brought: children, those who stayed, those better."""

    name: str
    children: int
    entered: int
    improved: int


class SearchNote(msgspec.Struct, frozen=True):
    """One part of the portfolio.

    Args:
        share: of the budget, in percent.
        evolution: evaluations used and the best score by then.
        does: what it does, in a sentence.
        files: how many it had made and measured.
        seconds: how long that took; none where the run was not bound by time.
    """

    name: str
    evaluations: int
    share: float
    points: int
    evolution: tuple[tuple[int, float], ...] = ()
    operators: tuple[OperatorNote, ...] = ()
    does: str = ""
    files: int = 0
    seconds: float | None = None


class ReleaseRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a release record needs; for those who may see the original.

    Args:
        parameters: all that the result depends on besides the input and the seed.
        required: what was asked of every file, in words; *achieved* holds what came of it.
        reason: why this point was chosen, in words.
        rules: edit rules, and how many released records break each.
        dropped: identifiers, which no file has.
        bounds: what the released point may have at most, in percent, by reading.
        kept: tables and models that must survive, before and after.
        group_means: means of numbers by categories before and after, where either was masked.
        checked: what the written file fulfils; none where none was written.
        released_before: numbers of the files that this run released earlier, in their order.
        phases: seconds that each phase took until the file was written; empty where the run was
            not bound by time.
    """

    format: int = FORMAT
    versions: dict[str, str]
    input: FileNote
    output: FileNote
    suppressed_records: int
    seed: int
    profile: str
    parameters: dict[str, Any]
    required: dict[str, float]
    achieved: dict[str, float]
    attributes: tuple[AttributeNote, ...]
    method: tuple[str, ...]
    points: PointsNote
    reason: str
    measures: tuple[MeasureNote, ...]
    before: ModelNote
    after: ModelNote
    attacks: tuple[AttackNote, ...]
    rules: dict[str, int]
    spreads: tuple[Spread, ...]
    associations: Associations | None
    matrices: tuple[MatrixNote, ...]
    searches: tuple[SearchNote, ...]
    notes: tuple[str, ...]
    bounds: dict[str, float] = {}
    kept: tuple[KeptStatistic, ...] = ()
    group_means: tuple[KeptStatistic, ...] = ()
    phases: dict[str, float] = {}
    minimum: int = MINIMUM
    statement: Statement = NOTHING_SAID
    checked: CheckNote | None = None
    released_before: tuple[int, ...] = ()

    @property
    def chosen(self) -> PointNote:
        """The point that was released."""
        return self.points.chosen

    @property
    def dropped(self) -> tuple[str, ...]:
        """Identifiers that were left out."""
        return tuple(attribute.name for attribute in self.attributes if not attribute.released)


def encode_record(record: msgspec.Struct) -> bytes:
    """The record as JSON, one field a line."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def decode_record(text: bytes) -> ReleaseRecord:
    """The internal record in a JSON file of this version."""
    try:
        record = msgspec.json.decode(text, type=ReleaseRecord)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"{RECORD} is not a record this version can read: {error}") from None
    if record.format != FORMAT:
        raise RunError(f"{RECORD} has format {record.format}, this version reads {FORMAT}")
    return msgspec.structs.replace(record, points=_numbered(record.points))


def _numbered(points: PointsNote) -> PointsNote:
    """Points of an earlier version, which were called by their files, with numbers from 1."""
    if points.chosen.file is not None:
        return points
    places = {point.point: place for place, point in enumerate(points.front, 1)}

    def renamed(point: PointNote) -> PointNote:
        place = places.get(point.point, 0)
        return msgspec.structs.replace(point, point=place, file=point.point)

    some = {
        name: tuple(map(renamed, getattr(points, name))) for name in ("front", "others", "simple")
    }
    both = {name: renamed(getattr(points, name)) for name in ("original", "chosen")}
    return msgspec.structs.replace(points, **some, **both)


def still_said(record: ReleaseRecord, before: ReleaseRecord) -> ReleaseRecord:
    """The record with what a person said of an earlier release and what still holds.

    Of another point only what does not hang on the choice.
    """
    statement = before.statement
    if before.chosen.file != record.chosen.file:
        statement = msgspec.structs.replace(statement, reason="", date="")
    return stated(record, statement)


def stated(record: ReleaseRecord, statement: Statement) -> ReleaseRecord:
    """The record with what a person says now; what was said before stays where nothing is new."""
    before = record.statement
    merged = {
        name: getattr(statement, name) or getattr(before, name)
        for name in Statement.__struct_fields__
    }
    return msgspec.structs.replace(record, statement=Statement(**merged))
