"""Request and response models of the HTTP interface; source of its OpenAPI description."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evomask.runs.options import help_of

Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Point = Annotated[int, Field(ge=0, le=10_000_000)]
Text = Annotated[str, Field(max_length=2000, pattern=r"^[^\x00-\x08\x0b\x0c\x0e-\x1f]*$")]
State = Literal[
    "waiting", "starting", "running", "finished", "stopped", "failed", "broken off"
]  # fmt: skip
RoleName = Literal[
    "identifier", "quasi-identifier", "confidential", "other", "weight", "stratum", "household",
    "person",
]  # fmt: skip
KindName = Literal["continuous", "ordinal", "nominal"]


class RequestModel(BaseModel):
    """Base of all request bodies; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """An error: sentence, id of the incident, and the *field* that is wrong."""

    error: str
    id: str
    field: str = ""


class FileView(BaseModel):
    """A data file; *brought* is the time of its upload, 0 for a file in the folder itself."""

    id: str
    name: str
    size: int
    brought: float


class ColumnView(BaseModel):
    """A column without values of single records; *proposed* role and the reasons in *why*."""

    name: str
    label: str
    kind: KindName
    role: RoleName
    proposed: RoleName
    why: list[str]
    distinct: int
    missing: int
    storage: str
    cells: list[tuple[str, float]]
    levels: list[int]
    trouble: str


class FileColumns(BaseModel):
    """A file with an overview of its columns."""

    id: str
    name: str
    records: int
    columns: list[ColumnView]
    edits: list[str]
    notes: list[str]
    can_undo: bool


class ColumnRequest(RequestModel):
    """Kind and role of a column."""

    name: Text
    kind: KindName
    role: RoleName


class SchemaRequest(RequestModel):
    """Kinds and roles of columns, and edit rules."""

    columns: Annotated[list[ColumnRequest], Field(max_length=2000)]
    edits: Annotated[list[Text], Field(max_length=200)] = []


Columns = Annotated[list[Text], Field(max_length=2000)]


class ScenarioRequest(RequestModel):
    """An intruder: what they know exactly and roughly (``20 %``, ``15``), and what is required."""

    name: Annotated[Text, Field(min_length=1, max_length=100)]
    knows: Columns = []
    knows_about: Annotated[dict[Text, Text], Field(max_length=2000)] = {}
    any: Annotated[int, Field(ge=0, le=2000)] = 0
    of: Columns = []
    takes_part: bool = True
    sure: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.5
    unit: Text = ""
    require: Text = ""
    source: Text = ""


class ScenariosRequest(RequestModel):
    """The scenarios of a file; none means that an intruder knows all quasi-identifiers."""

    scenarios: Annotated[list[ScenarioRequest], Field(max_length=50)]


class ScenarioCount(BaseModel):
    """Sample uniques of a scenario and records in classes below the required k.

    None stands for a number below *minimum*; *intruder* is who attacks and what they know.
    """

    records: int
    uniques: int | None
    records_in_small_classes: int | None
    minimum: int
    intruder: str


class ScenarioView(ScenarioCount):
    """A scenario of the schema or a proposal of the library (*origin*), with its reason."""

    name: str
    knows: list[str]
    knows_about: dict[str, str]
    any: int
    of: list[str]
    takes_part: bool
    sure: float
    unit: str
    require: str
    source: str
    reason: str
    beyond: list[str]
    origin: Literal["schema", "library"]


class ScenarioColumn(BaseModel):
    """A quasi-identifier that scenarios may know."""

    name: str
    kind: KindName


class FileScenarios(BaseModel):
    """The scenarios of a file, and the quasi-identifiers that none in the schema knows."""

    scenarios: list[ScenarioView]
    columns: list[ScenarioColumn]
    known_to_nobody: list[str]
    can_undo: bool


class UniquesRequest(RequestModel):
    """Columns that define the equivalence classes."""

    columns: Annotated[list[Text], Field(max_length=2000)]


class Uniques(BaseModel):
    """Number of sample uniques, sizes of equivalence classes, and the effect of each column."""

    records: int
    uniques: int
    k: int
    sizes: dict[str, int]
    adds: dict[str, int]


class HierarchyRequest(RequestModel):
    """A hierarchy by a rule, such as ``intervals=5,10``, or as lines of text."""

    by: Annotated[str, Field(max_length=200)] = "suiting"
    text: Annotated[str, Field(max_length=1_500_000)] = ""
    keep: bool = False


class HierarchyView(BaseModel):
    """A hierarchy: number of groups at each level, and its first lines."""

    levels: list[int]
    lines: list[list[str]]


class TaskState(BaseModel):
    """State of a background task, with its *result*, or the *error* if it failed."""

    state: Literal["none", "working", "done", "failed"]
    error: str = ""
    result: dict[str, Any] | None = None


class Goal(RequestModel):
    """Requirements, limits (in percent) and budget of a run; *files* counts candidates.

    *max_risk_in* limits the risk in single scenarios, *max_risk* that in all others.
    """

    k: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    l: Annotated[int, Field(ge=1, le=1_000_000)] = 1  # noqa: E741
    t: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1.0
    max_risk: Percent | None = Field(default=None, description=help_of("max_risk"))
    max_risk_in: Annotated[dict[Text, Percent], Field(max_length=50)] = {}
    max_loss: Percent | None = Field(default=None, description=help_of("max_loss"))
    seconds: Annotated[float, Field(gt=0, le=604_800, allow_inf_nan=False)] | None = Field(
        default=None, description=help_of("seconds")
    )
    files: Annotated[int, Field(ge=1, le=10_000_000)] | None = Field(
        default=None, description=help_of("evaluations")
    )
    searches: Annotated[list[Annotated[str, Field(pattern=r"^[a-z]+$", max_length=40)]],
                        Field(max_length=40)] = []  # fmt: skip
    workers: Annotated[int, Field(ge=1, le=256)] = 1
    cluster: Annotated[str, Field(pattern=r"^$|^(tcp|tls)://[\w.-]+:\d{1,5}$", max_length=200)] = ""
    profile: Literal["strict", "papers"] = "strict"


class RunRequest(RequestModel):
    """A run to start: id of the file, and the goal."""

    file: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    goal: Goal = Goal()


class RiskParts(BaseModel):
    """Components of the disclosure risk in percent of people, each the largest of all scenarios.

    *reidentification* is the chance that an intruder finds a person's record;
    *attribute_disclosure* and *confidential* are values of masked and of confidential attributes
    that an intruder infers beyond those of a control group. The *scenario* determines the risk.
    """

    reidentification: float
    attribute_disclosure: float | None = None
    confidential: float | None = None
    scenario: str = ""


class PointView(BaseModel):
    """A point of the Pareto front: loss and risk in percent, lower is better.

    *point* counts from 1 by loss, so that it may change during a run; *file* is permanent. The
    risk is the largest of its *parts*, which the profile ``papers`` does not have.
    """

    point: int
    file: int
    search: str
    method: str
    loss: float
    risk: float
    parts: RiskParts | None = None


class RunView(BaseModel):
    """Summary of a run.

    *state* is ``waiting`` in the queue, ``starting``, ``running``, ``finished``, ``stopped`` with
    budget left, ``failed`` with a *reason*, or ``broken off`` if its process ended unexpectedly.
    *tried* counts candidates; *signed* names the person who signed the release.
    """

    name: str
    file: str
    file_id: str
    search: str
    state: State
    reason: str
    place: int
    phase: str
    text: str
    member: str
    share: float
    seconds: float
    left: float
    tried: int
    points: int
    best: PointView | None
    suggested: int | None
    released: int | None
    signed: str
    checked: tuple[int, int]
    changed: float


class RunDetail(RunView):
    """A run with its goal, front and progress (*course*: best score by candidates)."""

    goal: dict[str, Any]
    front: list[PointView]
    shares: dict[str, float]
    course: list[tuple[int, float]]
    notes: list[str]
    original: PointView | None
    chosen: PointView | None
    simple: list[PointView]


class RunPoints(BaseModel):
    """Points of the map of loss and risk; *tried* has pairs of loss and risk of all candidates."""

    front: list[PointView]
    tried: list[tuple[float, float]]
    simple: list[PointView]
    original: PointView | None
    chosen: PointView | None
    max_risk: float | None
    max_loss: float | None


class ContinueRequest(RequestModel):
    """Seconds to search from now on; by default the rest of the budget."""

    seconds: Annotated[float, Field(ge=0, le=604_800, allow_inf_nan=False)] | None = None


class CompareRequest(RequestModel):
    """One to four points to compare, by their *file*, because their numbers change in a search."""

    files: Annotated[list[Point], Field(min_length=1, max_length=4)]


class ReleaseRequest(RequestModel):
    """A point to release; if risk or loss exceed a limit, *confirm* must repeat them."""

    point: Point
    confirm: Annotated[str, Field(max_length=40)] = ""


class StatementRequest(RequestModel):
    """Statement about the release; empty fields are not changed."""

    purpose: Text = ""
    reason: Text = ""
    by: Text = ""
    date: Text = ""
    review: Text = ""
    legal_basis: Text = ""
    recipients: Text = ""
    safeguards: Text = ""
    earlier: Text = ""


class ReleaseView(BaseModel):
    """The release of a run: chosen point, statement, verification, and how to repeat the run."""

    released: bool
    point: PointView | None
    reason: str
    limit: float
    most_loss: float
    above: bool
    statement: dict[str, str]
    required: dict[str, float]
    achieved: dict[str, float]
    records: int
    suppressed: int
    file: str
    method: list[str]
    command: str
    python: str
    verified: TaskState
    choosing: TaskState


class Preview(BaseModel):
    """The first records of the released file."""

    columns: list[str]
    rows: list[list[str]]


class About(BaseModel):
    """Version and limits of the server."""

    version: str
    folder: str
    at_once: int
    cores: int
    upload: int
