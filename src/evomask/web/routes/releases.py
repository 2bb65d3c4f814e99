"""Routes of releases: choose a point, sign, verify, download, repeat the run elsewhere."""

import secrets
import shlex
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from evomask.errors import RunError
from evomask.runs.options import ProtectOptions, risk_limits
from evomask.runs.store.run_summary import (
    INTERNAL,
    MASKED,
    PLAN,
    PUBLIC,
    PUBLIC_RECORD,
    RECORD,
    JsonObject,
)
from evomask.web.processes import evomask_command, job_command
from evomask.web.routes.dependencies import PROBLEMS, Here, RunName, task_state
from evomask.web.schemas import (
    Preview,
    ReleaseRequest,
    ReleaseView,
    StatementRequest,
    TaskState,
)
from evomask.web.server import Served
from evomask.web.workspace import MissingError

router = APIRouter(prefix="/api/runs", tags=["releases"], responses=PROBLEMS)

DEFAULT_MAX_RISK, DEFAULT_LOSS = 10.0, 40.0
"""Risk in percent above which a release needs confirmation, if the goal has no limit."""

What = Literal["masked", "public", "internal", "record", "record-public", "plan"]
Format = Literal["csv", "parquet", "sav", "dta"]
FILES = {
    "public": PUBLIC,
    "internal": INTERNAL,
    "record": RECORD,
    "record-public": PUBLIC_RECORD,
    "plan": PLAN,
}
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups; "
    "frame-ancestors 'none'"
)
"""Content security policy of a displayed report: no scripts, no requests."""


@router.get("/{name}/release")
async def show_release(here: Here, name: RunName) -> ReleaseView:
    """Show the released point, the statement about it, and how to repeat the run."""
    record, plan = here.runs.record(name), here.runs.plan(name)
    limit = here.runs.goal(name).get("max_risk", DEFAULT_MAX_RISK)
    tasks = {
        "verified": task_state(here.commands, f"verify {name}"),
        "choosing": task_state(here.commands, f"choose {name}"),
        "limit": limit,
        "most_loss": DEFAULT_LOSS,
        "command": command_of(plan),
        "python": python_of(plan, record),
    }
    return ReleaseView.model_validate({**_released(here, name, record, limit), **tasks})


def _released(here: Served, name: str, record: JsonObject | None, limit: float) -> dict[str, Any]:
    if record is None:
        nothing: dict[str, Any] = dict.fromkeys(("reason", "file"), "")
        empty: dict[str, Any] = {n: {} for n in ("statement", "required", "achieved")}
        return nothing | empty | {
            "released": False, "point": None, "above": False, "records": 0, "suppressed": 0,
            "method": [],
        }  # fmt: skip
    return {
        "released": True,
        "point": here.runs.points(name).chosen,
        "reason": record["reason"],
        "above": record["chosen"]["risk"] > limit,
        "statement": record["statement"],
        "required": record["required"],
        "achieved": record["achieved"],
        "records": record["output"]["records"],
        "suppressed": record["suppressed_records"],
        "file": record["output"]["name"],
        "method": record["method"],
    }


@router.post("/{name}/choose")
async def choose_point(here: Here, name: RunName, body: ReleaseRequest) -> TaskState:
    """Release a point of the front: write its file, record and reports.

    If its risk or its loss exceeds the limit, *confirm* must repeat them with one decimal.
    """
    points, limit = here.runs.points(name), here.runs.goal(name).get("max_risk", DEFAULT_MAX_RISK)
    chosen = next((point for point in points.front if point.point == body.point), None)
    if chosen is None:
        raise MissingError(f"the front has no point {body.point}; choose another")
    limits = {"risk": (chosen.risk, limit), "loss": (chosen.loss, DEFAULT_LOSS)}
    beyond = {name: both for name, both in limits.items() if both[0] > both[1]}
    wanted = " ".join(f"{value:.1f}" for value, _ in beyond.values())
    if " ".join(body.confirm.split()) != wanted and beyond:
        has = " and ".join(
            f"the {name} of point {body.point} is {value:.1f} %, above the limit of {most:g} %"
            for name, (value, most) in beyond.items()
        )
        raise RunError(f"{has}; to release it anyway, confirm by writing {wanted}")
    _check_idle(here, name)
    home = here.runs.folder_of(name).absolute()
    words = evomask_command(
        "choose",
        home,
        "--pick",
        f"file={chosen.file}",
        "--json",
        "--quiet",
        "--accept-risk",
        "--accept-loss",
    )
    here.commands.forget(f"verify {name}")
    here.commands.begin(f"choose {name}", lambda: here.commands.answer(words))
    return task_state(here.commands, f"choose {name}")


@router.post("/{name}/statement")
async def state(here: Here, name: RunName, body: StatementRequest) -> ReleaseView:
    """Add a statement to the release; record and reports are written again."""
    _record(here, name)
    _check_idle(here, name)
    given = {option: text for option, text in body.model_dump().items() if text.strip()}
    options = [f"--{option.replace('_', '-')}={text}" for option, text in given.items()]
    home = here.runs.folder_of(name).absolute()
    await here.commands.answer(evomask_command("report", home, *options, "--json", "--quiet"))
    return await show_release(here, name)


@router.post("/{name}/verify")
async def verify(here: Here, name: RunName) -> TaskState:
    """Verify the release again: files, guarantees, reports, log."""
    _record(here, name)
    _check_idle(here, name)
    words = evomask_command("verify", here.runs.folder_of(name).absolute(), "--json", "--quiet")
    here.commands.begin(f"verify {name}", lambda: here.commands.answer(words))
    return task_state(here.commands, f"verify {name}")


@router.get("/{name}/preview")
async def preview(
    here: Here, name: RunName, records: Annotated[int, Query(ge=1, le=50)] = 10
) -> Preview:
    """Show the first records of the released file; they are not stored."""
    masked = _masked(here, name)
    return Preview(**await here.commands.answer(job_command("preview", masked, records)))


@router.get("/{name}/downloads/{what}", response_class=Response)
async def download(
    here: Here,
    name: RunName,
    what: What,
    format: Format | None = None,  # noqa: A002
    view: bool = False,
) -> Response:
    """Download the masked file (in any format), a report, a record, or the plan."""
    _record(here, name)
    if what == "masked":
        return await _masked_as(here, name, format)
    home = here.runs.folder_of(name)
    path = home / FILES[what]
    if view and path.suffix == ".html":
        return FileResponse(path, headers={"content-security-policy": REPORT_POLICY})
    return FileResponse(path, filename=path.name)


async def _masked_as(here: Served, name: str, ending: str | None) -> Response:
    masked = _masked(here, name)
    if ending is None or masked.suffix == f".{ending}":
        return FileResponse(masked, filename=masked.name)
    draft = here.workspace.folder / ".web" / f"{secrets.token_hex(8)}.draft.{ending}"
    await here.commands.answer(job_command("copy", masked, draft))
    delete = BackgroundTask(draft.unlink, missing_ok=True)
    return FileResponse(draft, filename=f"{masked.stem}.{ending}", background=delete)


def _record(here: Served, name: str) -> JsonObject:
    record = here.runs.record(name)
    if record is None:
        raise MissingError(f"{name} has no release yet; wait for its end or stop it")
    return record


def _masked(here: Served, name: str) -> Path:
    path: Path = (
        here.runs.folder_of(name).absolute() / MASKED / _record(here, name)["output"]["name"]
    )
    if not path.is_file():
        raise MissingError("the released file is missing; release again")
    return path


def _check_idle(here: Served, name: str) -> None:
    """Raise an error while a process works on a run."""
    if here.runs.view(name).state in ("waiting", "starting", "running"):
        raise RunError(f"{name} is running; stop it first or wait for its end")
    if here.commands.state(f"choose {name}") == "working":
        raise RunError(f"a point of {name} is being released; wait for it")


def command_of(plan: JsonObject) -> str:
    """Return the command that repeats a run; the seed stays in the plan."""
    source, budget, bounds = plan["input"], plan["budget"], plan.get("bounds", {})
    options = ProtectOptions(
        require=_requirement(plan),
        seconds=budget.get("seconds"),
        evaluations=budget.get("evaluations"),
        pick=plan["pick"] if plan["pick"] != "best" else "suggested",
        max_risk=risk_limits(_max_risk(bounds)),
        **{f"max_{name}": value for name, value in bounds.items() if name in OTHER_BOUNDS},
    )
    schema = PurePath(source.get("schema", "")).name
    data = ["--schema", schema] if schema else []
    words = [_file_name(plan), *data, *options.command_words(), "--out", "release"]
    return shlex.join(["evomask", "protect", *words])


def python_of(plan: JsonObject, record: JsonObject | None) -> str:
    """Return Python code that repeats a run, with the roles as far as they are known."""
    roles = {"quasi": "quasi-identifier", "confidential": "confidential", "drop": "identifier"}
    kinds = {"ordinal": "ordinal", "nominal": "nominal"}
    attributes = record["attributes"] if record else ()
    budget, bounds = plan["budget"], plan.get("bounds", {})
    values = {
        **{key: [a["name"] for a in attributes if a["role"] == r] for key, r in roles.items()},
        **{key: [a["name"] for a in attributes if a["kind"] == k] for key, k in kinds.items()},
        "require": _requirement(plan),
        "seconds": budget.get("seconds"),
        "evaluations": budget.get("evaluations"),
        "max_risk": _max_risk(bounds),
        **{f"max_{name}": value for name, value in bounds.items() if name in OTHER_BOUNDS},
    }
    arguments = "".join(f"    {name}={value!r},\n" for name, value in values.items() if value)
    return (
        f"import evomask\n\nframe = evomask.read({_file_name(plan)!r})\n"
        f"result = evomask.protect(\n    frame,\n{arguments})\nreleased = result.masked()\n"
    )


OTHER_BOUNDS = ("loss", "table_error", "model_error", "indicator_error")


def _max_risk(bounds: JsonObject) -> float | dict[str, float] | None:
    """The limits of the risk: of all scenarios, or of each, the empty name being all others."""
    risk, by_scenario = bounds.get("risk"), dict(bounds.get("risk_in", {}))
    if not by_scenario:
        return risk
    return by_scenario if risk is None else by_scenario | {"": risk}


def _requirement(plan: JsonObject) -> str:
    required = plan["parameters"].get("requirement", {})
    given = {name: required[name] for name in ("k", "l", "t") if required.get(name, 1) != 1}
    return ",".join(f"{name}={value:g}" for name, value in given.items())


def _file_name(plan: JsonObject) -> str:
    return PurePath(plan["input"]["path"]).name
