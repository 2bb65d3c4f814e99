"""What the interface takes and answers, field by field: the source of its OpenAPI description."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Point = Annotated[int, Field(ge=0, le=10_000_000)]
Text = Annotated[str, Field(max_length=2000, pattern=r"^[^\x00-\x08\x0b\x0c\x0e-\x1f]*$")]
State = Literal[
    "waiting", "starting", "running", "finished", "stopped", "failed", "broken off"
]  # fmt: skip
RoleName = Literal[
    "identifier", "quasi-identifier", "confidential", "other", "weight", "stratum", "household"
]  # fmt: skip
KindName = Literal["continuous", "ordinal", "nominal"]


class Asked(BaseModel):
    """A request; words that nobody knows are refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """What is wrong, in a sentence, with a number to ask about it, and in which *field*."""

    error: str
    id: str
    field: str = ""


class FileView(BaseModel):
    """A data file by its opaque number; *brought* is false for one that lies in the folder."""

    id: str
    name: str
    size: int
    brought: float


class ColumnView(BaseModel):
    """A column without a record's values; see *proposed* and *why* for what is proposed."""

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
    """A file column by column."""

    id: str
    name: str
    records: int
    columns: list[ColumnView]
    edits: list[str]
    notes: list[str]
    can_undo: bool


class ColumnWish(Asked):
    """Kind and role that a person gives a column."""

    name: Text
    kind: KindName
    role: RoleName


class SchemaWish(Asked):
    """Kinds and roles of columns, and the rules that every record obeys."""

    columns: Annotated[list[ColumnWish], Field(max_length=2000)]
    edits: Annotated[list[Text], Field(max_length=200)] = []


class UniquesWish(Asked):
    """Columns by which records may stand out."""

    columns: Annotated[list[Text], Field(max_length=2000)]


class Uniques(BaseModel):
    """How many records stand out, how large groups of look-alikes are, what each column adds."""

    records: int
    uniques: int
    k: int
    sizes: dict[str, int]
    adds: dict[str, int]


class TreeWish(Asked):
    """A value tree by a rule, such as ``intervals=5,10``, or of one's own as lines of text."""

    by: Annotated[str, Field(max_length=200)] = "suiting"
    text: Annotated[str, Field(max_length=1_500_000)] = ""
    keep: bool = False


class Tree(BaseModel):
    """A value tree: groups at each level, and its first lines."""

    levels: list[int]
    lines: list[list[str]]


class Work(BaseModel):
    """How something stands that takes its time; *error* says why where it failed."""

    state: Literal["none", "working", "done", "failed"]
    error: str = ""
    result: dict[str, Any] | None = None


class Goal(Asked):
    """What is asked of a run.

    Limits are in percent; without seconds and files two minutes are searched.
    """

    k: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    l: Annotated[int, Field(ge=1, le=1_000_000)] = 1  # noqa: E741
    t: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1.0
    max_risk: Percent | None = None
    max_loss: Percent | None = None
    seconds: Annotated[float, Field(gt=0, le=604_800, allow_inf_nan=False)] | None = None
    files: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    searches: Annotated[list[Annotated[str, Field(pattern=r"^[a-z]+$", max_length=40)]],
                        Field(max_length=40)] = []  # fmt: skip
    workers: Annotated[int, Field(ge=1, le=256)] = 1
    cluster: Annotated[str, Field(pattern=r"^$|^(tcp|tls)://[\w.-]+:\d{1,5}$", max_length=200)] = ""
    profile: Literal["strict", "papers"] = "strict"


class RunWish(Asked):
    """A run to be started: of which file, and to what end."""

    file: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    goal: Goal = Goal()


class PointView(BaseModel):
    """A masked file on the front: loss and risk in percent, lower is better.

    *point* counts from 1 by loss, so that it may change while a run goes on; *file* stays.
    """

    point: int
    file: int
    search: str
    method: str
    loss: float
    risk: float


class RunView(BaseModel):
    """A run in short.

    *state* is ``waiting`` for its turn, ``running``, ``finished``, ``stopped`` with budget left,
    ``failed`` with a *reason*, or ``broken off`` where its process ended without a word; *signed*
    by whom, where somebody signed the release.
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
    """A run with what was asked of it, its front and its course."""

    goal: dict[str, Any]
    front: list[PointView]
    shares: dict[str, float]
    course: list[tuple[int, float]]
    notes: list[str]
    original: PointView | None
    chosen: PointView | None
    simple: list[PointView]


class RunPoints(BaseModel):
    """Everything on the map of loss and risk; *tried* are pairs of loss and risk."""

    front: list[PointView]
    tried: list[tuple[float, float]]
    simple: list[PointView]
    original: PointView | None
    chosen: PointView | None
    max_risk: float | None
    max_loss: float | None


class More(Asked):
    """How long to search from here on; without seconds what is left of the budget."""

    seconds: Annotated[float, Field(ge=0, le=604_800, allow_inf_nan=False)] | None = None


class CompareWish(Asked):
    """Points to compare, one to four, by their files: their own numbers change in a search."""

    files: Annotated[list[Point], Field(min_length=1, max_length=4)]


class ReleaseWish(Asked):
    """A point to release; where its risk is above the limit, *confirm* repeats the risk."""

    point: Point
    confirm: Annotated[str, Field(max_length=40)] = ""


class StatementWish(Asked):
    """What a person says of the release; what is left empty stays as it was."""

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
    """The release of a run: the chosen point, what a person said, what was checked."""

    released: bool
    point: PointView | None
    reason: str
    limit: float
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
    verified: Work
    choosing: Work


class Preview(BaseModel):
    """The first records of the released file."""

    columns: list[str]
    rows: list[list[str]]


class About(BaseModel):
    """What serves, and how much it bears."""

    version: str
    folder: str
    at_once: int
    cores: int
    upload: int
