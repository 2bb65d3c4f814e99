"""The release record: everything known about a release, as data.

``record.json`` is the internal record; both reports are rendered from it and need nothing else. It
holds no values of records, and no clock time unless the run was bound by time: the same seed and
number of evaluations give the same bytes. The `Statement` on who releases the file, when and why
is entered by a person and stored unchanged.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import msgspec

from evomask.errors import ParameterError, RunError
from evomask.measures.analyses.estimates import AnalysisComparison
from evomask.report.distributions import MINIMUM, Distribution


class Statement(msgspec.Struct, frozen=True):
    """Statement of the person who releases the file, for a data protection assessment.

    Args:
        review: when the release is to be reviewed.
        legal_basis: legal basis of the release.
        recipients: who will receive the file.
        safeguards: obligations of the recipients, such as a contract or a safe room.
        earlier: earlier releases about the same people.
    """

    purpose: str = ""
    reason: str = ""
    by: str = ""
    date: str = ""
    review: str = ""
    legal_basis: str = ""
    recipients: str = ""
    safeguards: str = ""
    earlier: str = ""

    def as_json(self) -> dict[str, str]:
        return msgspec.structs.asdict(self)


NO_STATEMENT = Statement()


def parse_statement(said: Mapping[str, str]) -> Statement:
    """Build a statement from its fields by name; unknown names raise."""
    known = Statement.__struct_fields__
    for name in said:
        if name not in known:
            raise ParameterError(
                f"a statement has no field {name!r}; use one of {', '.join(known)}"
            )
    return Statement(**said)


FORMAT = 1
RECORD = "record.json"


class FileNote(msgspec.Struct, frozen=True):
    """A data file: name without folder, hash and size."""

    name: str
    sha256: str
    records: int
    attributes: int


class ScenarioCheckNote(msgspec.Struct, frozen=True):
    """Privacy models of the released file for the attributes that one scenario knows exactly.

    Args:
        required: required k, l and t by name; empty if none is required.
    """

    name: str
    k: int
    l: int | None = None  # noqa: E741
    t: float | None = None
    required: dict[str, float] = {}


class ScenarioPromiseNote(msgspec.Struct, frozen=True):
    """What is required against the intruder of a scenario.

    Args:
        intruder: who attacks and what they know, in words.
        known: the attributes that are known exactly, in words; empty if there is none.
        required: required k, l and t by name, for the attributes that are known exactly.
        counted: what k counts: records, persons or households.
    """

    name: str
    intruder: str
    known: str
    required: dict[str, float] = {}
    counted: str = "records"


class LimitNote(msgspec.Struct, frozen=True):
    """A limit of the population risk, and the value of the released file."""

    scenario: str
    name: str
    limit: float
    value: float


class CheckNote(msgspec.Struct, frozen=True):
    """Properties of the released file, counted after it was written and read back.

    Args:
        k: size of the smallest equivalence class; with scenarios, of the smallest in any.
        l: fewest distinct values of a confidential attribute in a class, if there is one.
        t: largest distance between such an attribute's distribution in a class and in the file.
        scenarios: the same by scenario.
        limits: limits of the population risk and the values that were computed for them.
    """

    records: int
    columns: int
    k: int
    l: int | None = None  # noqa: E741
    t: float | None = None
    scenarios: tuple[ScenarioCheckNote, ...] = ()
    limits: tuple[LimitNote, ...] = ()


class AttributeNote(msgspec.Struct, frozen=True):
    """An attribute, and how its released cells differ from the original.

    Args:
        changed: percent of the cells that no longer state the original value.
        generalized: percent of the cells that stand for several values.
        suppressed: suppressed cells.
        shift: mean change in percent of the standard deviation; for numbers only.
        lost: categories that no cell states any more, without rare ones.
        lost_rare: number of rare categories that were lost.
        width: median width of released ranges of numbers, to two digits; None without any.
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
    width: float | None = None


class ScenarioNote(msgspec.Struct, frozen=True):
    """Disclosure risk in one scenario, in percent of people.

    Args:
        reidentification: re-identification risk (identity disclosure).
        attribute_disclosure: attribute disclosure risk of masked attributes.
        confidential: attribute disclosure risk of the confidential *attribute* at most risk.
        at_risk: people whose chance of re-identification is above 0.2, and above 0.09.
        intruder: who attacks and what they know, in words.
        intervals: 95 % confidence interval of each component.
        individuals: number of people in the file, or of households.
        counts_households: whether the percentages are of households.
    """

    name: str
    reidentification: float
    attribute_disclosure: float | None
    confidential: float | None
    at_risk: tuple[float, ...] = ()
    attribute: str = ""
    intruder: str = ""
    intervals: dict[str, tuple[float, float]] = {}
    individuals: int = 0
    counts_households: bool = False


class RiskNote(msgspec.Struct, frozen=True):
    """Components of the disclosure risk, in percent of people.

    Args:
        reidentification: re-identification risk (identity disclosure).
        attribute_disclosure: attribute disclosure risk of masked attributes.
        confidential: attribute disclosure risk of confidential attributes.
        largest: the component that determines the risk.
        attacker: what the most successful attacker does, in words.
        error: standard error of the risk; 0 if all people were attacked.
        people: number of targets.
        expected: expected number of people for whom the attacker is right.
        control: number of people in the control group; 0 if there is none.
        scenarios: risk in each scenario.
        scenario: the scenario that determines the risk.
        attribute: the confidential attribute at most risk.
        interval: 95 % confidence interval of the risk.
    """

    reidentification: float
    attribute_disclosure: float | None
    confidential: float | None
    largest: str
    attacker: str
    error: float
    people: int
    expected: float
    control: int = 0
    scenarios: tuple[ScenarioNote, ...] = ()
    scenario: str = ""
    attribute: str = ""
    interval: tuple[float, float] | None = None


class AttributeLossNote(msgspec.Struct, frozen=True):
    """Information loss of one attribute in its parts, in percent."""

    accuracy: float
    distributions: float
    relations: float


class PairNote(msgspec.Struct, frozen=True):
    """Two attributes: their dependence in the original (0 to 1), and the percentage lost."""

    first: str
    second: str
    association: float
    lost: float


class LossNote(msgspec.Struct, frozen=True):
    """Information loss of the released file in its parts, in percent.

    Args:
        pairs: pairs of attributes that lose most dependence, the largest loss first.
    """

    accuracy: float
    distributions: float
    relations: float
    attributes: dict[str, AttributeLossNote]
    pairs: tuple[PairNote, ...]

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


class PointNote(msgspec.Struct, frozen=True):
    """A candidate: how it was masked, its information loss and disclosure risk in percent.

    Args:
        point: its number on the front, from 1 by loss; 0 for dominated candidates.
        table_error, model_error, indicator_error: largest error of the preserved analyses, in
            percent; None if none was named.
        errors: those of analyses with a limit of their own, by reading.
        breaks: limits that it breaks, by reading.
        analysis_error: mean error of all preserved analyses, if it was an objective.
        file: its number in the order of creation, which does not change with the front; None in
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
    indicator_error: float | None = None
    file: int | None = None
    errors: dict[str, float] = {}
    breaks: tuple[str, ...] = ()
    analysis_error: float | None = None

    @property
    def score(self) -> float:
        return max(self.loss, self.risk)


class OfferNote(msgspec.Struct, frozen=True):
    """One of the three offers of a front: careful, balanced or useful.

    Args:
        file: number of the file of the point, which does not change with the front.
        scenarios: risk in each scenario, in percent.
        sentences: what the strongest intruder finds, and which analyses notice the masking.
        beyond: ``risk`` and ``loss`` where they are beyond the limit of the release, with the
            limit.
        suggested: whether it is the suggested point.
    """

    name: str
    point: int
    file: int
    loss: float
    risk: float
    scenarios: dict[str, float]
    sentences: tuple[str, ...]
    beyond: dict[str, float] = {}
    suggested: bool = False


def _unbeaten(front: Sequence[PointNote], costs: Sequence[float]) -> set[int]:
    """Numbers of the points that no other has both a lower cost and a lower risk than."""
    found, least = set(), inf
    for cost, point in sorted(
        zip(costs, front, strict=True), key=lambda one: (one[1].risk, one[0])
    ):
        if cost < least:
            found.add(point.point)
            least = cost
    return found


class PointsNote(msgspec.Struct, frozen=True):
    """All points of the risk-utility map.

    Args:
        others: dominated candidates, thinned to one per map cell.
        simple: the best candidates of single simple methods, for comparison.
        tried: number of measured candidates.
        baselines: alternative releases for comparison; they cannot be chosen.
    """

    original: PointNote
    chosen: PointNote
    front: tuple[PointNote, ...]
    others: tuple[PointNote, ...]
    simple: tuple[PointNote, ...]
    tried: int
    baselines: tuple[PointNote, ...] = ()

    @property
    def view(self) -> tuple[PointNote, ...]:
        """The front as it is listed: without points that only a third objective keeps there.

        Points that no other beats in risk and loss, or in risk and the error of analyses, and the
        chosen one.
        """
        if self.chosen.analysis_error is None:
            return self.front
        losses = _unbeaten(self.front, [point.loss for point in self.front])
        errors = _unbeaten(self.front, [point.analysis_error or 0.0 for point in self.front])
        seen = losses | errors | {self.chosen.point}
        return tuple(point for point in self.front if point.point in seen)


class MeasureNote(msgspec.Struct, frozen=True):
    """A measure of the released file, with its meaning."""

    name: str
    title: str
    side: str
    direction: str
    meaning: str
    value: float


class RiskCell(msgspec.Struct, frozen=True):
    """Number of records with a risk above *low* and up to *high* percent."""

    low: float
    high: float
    records: int


class HouseholdNote(msgspec.Struct, frozen=True):
    """Risk that any member of a household is re-identified; the cells count households.

    Args:
        average: mean over households, in percent.
        expected: expected number of households with a re-identified member.
        of_records: mean over records of their household's risk, in percent.
        most_exposed: mean over households of the risk of the member at most risk, in percent.
    """

    households: int
    average: float
    expected: float
    of_records: float
    cells: tuple[RiskCell, ...]
    most_exposed: float | None = None


class SpecialNote(msgspec.Struct, frozen=True):
    """Special uniques (SUDA2): records that are unique on few attributes.

    Args:
        records: number of special uniques.
        sets: at index s - 1 the number of minimal sample uniques of s attributes.
        contributions: contribution of each attribute to all scores, in percent.
        average: mean probability of a correct match in percent (DIS), with its *cells*.
        expected: expected number of correct matches.
        fraction: assumed sampling fraction.
        largest: largest number of attributes in a set that was examined.
    """

    records: int
    sets: tuple[int, ...]
    contributions: dict[str, float]
    average: float
    expected: float
    fraction: float
    largest: int
    cells: tuple[RiskCell, ...]


class PopulationNote(msgspec.Struct, frozen=True):
    """Population risk in one scenario.

    Args:
        known: attributes known exactly.
        size: people of the population, *basis* whence it is known.
        k_map: fewest people of the population who fit a class.
        prosecutor, journalist, marketer: risk in percent; the largest and the mean, and of the
            marketer the mean.
        above: records with a journalist's risk above 9 and 20 %, in percent.
        uniques: population uniques, as estimated by the model *chosen* because of *reason*.
    """

    scenario: str
    known: tuple[str, ...]
    takes_part: bool
    size: float
    basis: str
    k_map: float
    prosecutor: tuple[float, float]
    journalist: tuple[float, float]
    marketer: float
    above: tuple[float, ...]
    uniques: float
    chosen: str
    reason: str


class ModelNote(msgspec.Struct, frozen=True):
    """Privacy models and record-level risk of one file.

    Args:
        uniques: number of sample uniques.
        record_risk: mean re-identification risk of a record in percent, with its *cells*.
        expected: expected number of re-identifications.
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
    population: tuple[PopulationNote, ...] = ()


class AttackNote(msgspec.Struct, frozen=True):
    """Success of a held-out attack (not used by any search), in percent."""

    name: str
    title: str
    meaning: str
    value: float
    baseline: float
    unmasked: float


class Associations(msgspec.Struct, frozen=True):
    """Association of every pair of attributes, before and after; 1 on the diagonal."""

    attributes: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]

    @property
    def changes(self) -> tuple[tuple[str, str, float, float], ...]:
        """Pairs of attributes with both values, the largest change first."""
        pairs = [
            (name, other, self.before[i][j], self.after[i][j])
            for i, name in enumerate(self.attributes)
            for j, other in enumerate(self.attributes[:i])
        ]
        return tuple(sorted(pairs, key=lambda pair: -abs(pair[3] - pair[2])))


class MatrixNote(msgspec.Struct, frozen=True):
    """PRAM transition matrix of one attribute.

    Args:
        invariant: whether it preserves expected frequencies, and therefore reveals them.
        designed: whether a known formula derives it from the frequencies, and reveals them.
        rare: which categories have few records; they are not named in public.
        repaired: percent of the cells that enforcement changed afterwards; the probabilities do not
            describe those changes.
    """

    attribute: str
    categories: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    invariant: bool
    rare: tuple[bool, ...]
    repaired: float = 0.0
    designed: bool = False


class OperatorNote(msgspec.Struct, frozen=True):
    """Statistics of one operator of a search: offspring, survivors, improvements."""

    name: str
    children: int
    entered: int
    improved: int


class SearchNote(msgspec.Struct, frozen=True):
    """One search of `protect`.

    Args:
        share: share of the budget, in percent.
        evolution: evaluations used and the best score by then.
        does: description in a sentence.
        files: candidates created and measured.
        seconds: time used; None if the run was not bound by time.
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


class PaidNote(msgspec.Struct, frozen=True):
    """What a search or an operator cost, and what it found.

    Args:
        cost: share of the cost of all candidates, in percent.
        candidates: number of candidates that it made.
        whole: number of them that were evaluated as whole files.
        points: number of points on the front.
        found: share of the points on the front, in percent.
    """

    name: str
    cost: float
    candidates: int
    whole: int
    points: int
    found: float


class GrowthNote(msgspec.Struct, frozen=True, array_like=True):
    """The front at a moment of the search: number of points, and hypervolume in percent.

    Args:
        seconds: None if the run was not bound by time.
    """

    evaluations: int
    points: int
    volume: float
    seconds: float | None = None


class AncestorNote(msgspec.Struct, frozen=True):
    """A candidate that a point descends from, or the point itself.

    Args:
        loss, risk: of its first evaluation, in percent.
        parents: numbers of the candidates it was made of.
    """

    number: int
    search: str
    operator: str
    loss: float
    risk: float
    parents: tuple[int, ...] = ()


class ExplanationNote(msgspec.Struct, frozen=True):
    """How a point was found.

    Args:
        point: its number on the front.
        sentences: its family in words.
        ancestors: the latest first.
        growth: the front as the search went on.
        searches, operators: what they cost and found.
    """

    point: int
    sentences: tuple[str, ...]
    ancestors: tuple[AncestorNote, ...]
    growth: tuple[GrowthNote, ...]
    searches: tuple[PaidNote, ...]
    operators: tuple[PaidNote, ...]


class ReleaseRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Internal record of a release, for those who may see the original.

    Args:
        parameters: everything that the result depends on besides input and seed.
        required: required privacy models; *achieved* holds the measured values.
        scenarios: what is required in each scenario of the schema, in place of *required*.
        reason: why this point was chosen, in words.
        rules: edit rules, and how many released records violate each.
        dropped: identifiers, which are never released.
        bounds: upper bounds of the released point, in percent, by reading.
        kept: preserved analyses, before and after.
        group_means: means of numbers by categories before and after, if either was masked.
        loss_parts: information loss of the released file in its parts; None under the profile
            ``papers``, and in records of earlier versions.
        checked: properties counted in the written file; None if none was written.
        released_before: numbers of the candidates that this run released earlier, in order.
        released_elsewhere: names of other runs that released files of the same original.
        phases: seconds of each phase until the file was written; empty if the run was not bound by
            time.
        offers: the front as three offers; empty in records of earlier versions.
        explanation: how the chosen point was found; None in records of earlier versions.
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
    spreads: tuple[Distribution, ...]
    associations: Associations | None
    matrices: tuple[MatrixNote, ...]
    searches: tuple[SearchNote, ...]
    notes: tuple[str, ...]
    scenarios: tuple[ScenarioPromiseNote, ...] = ()
    bounds: dict[str, float] = {}
    kept: tuple[AnalysisComparison, ...] = ()
    group_means: tuple[AnalysisComparison, ...] = ()
    phases: dict[str, float] = {}
    loss_parts: LossNote | None = None
    explanation: ExplanationNote | None = None
    offers: tuple[OfferNote, ...] = ()
    minimum: int = MINIMUM
    statement: Statement = NO_STATEMENT
    checked: CheckNote | None = None
    released_before: tuple[int, ...] = ()
    released_elsewhere: tuple[str, ...] = ()

    @property
    def chosen(self) -> PointNote:
        return self.points.chosen

    @property
    def dropped(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes if not attribute.released)


def encode_record(record: msgspec.Struct) -> bytes:
    """Encode a record as JSON, one field per line."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def decode_record(text: bytes) -> ReleaseRecord:
    """Decode an internal record from JSON of this version."""
    try:
        record = msgspec.json.decode(text, type=ReleaseRecord)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"{RECORD} is not a record this version can read: {error}") from None
    if record.format != FORMAT:
        raise RunError(f"{RECORD} has format {record.format}, this version reads {FORMAT}")
    return msgspec.structs.replace(record, points=_number_points(record.points))


def _number_points(points: PointsNote) -> PointsNote:
    """Number the points of an earlier version, which were identified by their files."""
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


def carry_over_statement(record: ReleaseRecord, before: ReleaseRecord) -> ReleaseRecord:
    """Return the record with the statement of an earlier release, as far as it still holds.

    For another point, reason and date are dropped.
    """
    statement = before.statement
    if before.chosen.file != record.chosen.file:
        statement = msgspec.structs.replace(statement, reason="", date="")
    return with_statement(record, statement)


def with_statement(record: ReleaseRecord, statement: Statement) -> ReleaseRecord:
    """Return the record with a new statement; fields left empty keep their old text."""
    before = record.statement
    merged = {
        name: getattr(statement, name) or getattr(before, name)
        for name in Statement.__struct_fields__
    }
    return msgspec.structs.replace(record, statement=Statement(**merged))
