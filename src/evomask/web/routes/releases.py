"""Releases: a point chosen, a person's word, checks, reports, and everything to take away."""

import secrets
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from evomask.errors import RunError
from evomask.runs.kept.glance import Plain
from evomask.runs.kept.names import INTERNAL, MASKED, PLAN, PUBLIC, PUBLIC_RECORD, RECORD
from evomask.web.answers import Preview, ReleaseView, ReleaseWish, StatementWish, Work
from evomask.web.commands import words_of
from evomask.web.commands import work_of as process_of
from evomask.web.repeating import command_of, python_of
from evomask.web.routes.served import PROBLEMS, Here, RunName, work_of
from evomask.web.state import Served
from evomask.web.workspace import MissingError

router = APIRouter(prefix="/api/runs", tags=["releases"], responses=PROBLEMS)

USUAL_LIMIT = 10.0
"""The highest risk in percent that needs no confirmation where nobody set a limit."""

What = Literal["masked", "public", "internal", "record", "record-public", "plan"]
Format = Literal["csv", "parquet", "sav", "dta"]
FILES = {
    "public": PUBLIC,
    "internal": INTERNAL,
    "record": RECORD,
    "record-public": PUBLIC_RECORD,
    "plan": PLAN,
}
SHOWN = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups; "
    "frame-ancestors 'none'"
)
"""What a report may do when it is looked at: nothing but be read."""


@router.get("/{name}/release")
async def show_release(here: Here, name: RunName) -> ReleaseView:
    """The released point, what was said of it, and how to repeat the run."""
    record, plan = here.desk.record(name), here.desk.plan(name)
    limit = here.desk.goal(name).get("max_risk", USUAL_LIMIT)
    working = {
        "verified": work_of(here.commands, f"verify {name}"),
        "choosing": work_of(here.commands, f"choose {name}"),
        "limit": limit,
        "command": command_of(plan),
        "python": python_of(plan, record),
    }
    return ReleaseView.model_validate({**_released(here, name, record, limit), **working})


def _released(here: Served, name: str, record: Plain | None, limit: float) -> dict[str, Any]:
    if record is None:
        nothing: dict[str, Any] = dict.fromkeys(("reason", "file"), "")
        empty: dict[str, Any] = {n: {} for n in ("statement", "required", "achieved")}
        return nothing | empty | {
            "released": False, "point": None, "above": False, "records": 0, "suppressed": 0,
            "method": [],
        }  # fmt: skip
    return {
        "released": True,
        "point": here.desk.points(name).chosen,
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
async def choose_point(here: Here, name: RunName, wish: ReleaseWish) -> Work:
    """Release a point of the front: its file is written anew, with record and reports.

    Where its risk is above the limit, *confirm* must repeat the risk with one decimal.
    """
    points, limit = here.desk.points(name), here.desk.goal(name).get("max_risk", USUAL_LIMIT)
    chosen = next((point for point in points.front if point.point == wish.point), None)
    if chosen is None:
        raise MissingError(f"the front has no point {wish.point}; choose another")
    if chosen.risk > limit and wish.confirm.strip() != f"{chosen.risk:.1f}":
        raise RunError(
            f"the risk of point {wish.point} is {chosen.risk:.1f} %, above the limit of "
            f"{limit:g} %; to release it all the same, confirm by writing {chosen.risk:.1f}"
        )
    _at_rest(here, name)
    home = here.desk.home(name).absolute()
    words = words_of("choose", home, "--pick", f"file={chosen.file}", "--json", "--quiet")
    here.commands.forget(f"verify {name}")
    here.commands.begin(f"choose {name}", lambda: here.commands.answer(words))
    return work_of(here.commands, f"choose {name}")


@router.post("/{name}/statement")
async def state(here: Here, name: RunName, wish: StatementWish) -> ReleaseView:
    """What a person says of the release: record and reports are written again with it."""
    _existing(here, name)
    _at_rest(here, name)
    given = {option: text for option, text in wish.model_dump().items() if text.strip()}
    said = [f"--{option.replace('_', '-')}={text}" for option, text in given.items()]
    home = here.desk.home(name).absolute()
    await here.commands.answer(words_of("report", home, *said, "--json", "--quiet"))
    return await show_release(here, name)


@router.post("/{name}/verify")
async def verify(here: Here, name: RunName) -> Work:
    """Check the release again: files, promises, reports, log."""
    _existing(here, name)
    _at_rest(here, name)
    words = words_of("verify", here.desk.home(name).absolute(), "--json", "--quiet")
    here.commands.begin(f"verify {name}", lambda: here.commands.answer(words))
    return work_of(here.commands, f"verify {name}")


@router.get("/{name}/preview")
async def preview(
    here: Here, name: RunName, records: Annotated[int, Query(ge=1, le=50)] = 10
) -> Preview:
    """The first records of the released file, only when asked for; they are kept nowhere."""
    masked = _masked(here, name)
    return Preview(**await here.commands.answer(process_of("preview", masked, records)))


@router.get("/{name}/downloads/{what}", response_class=Response)
async def download(
    here: Here,
    name: RunName,
    what: What,
    format: Format | None = None,  # noqa: A002
    view: bool = False,
) -> Response:
    """Take away the masked file (in any format), the reports, the records, or the plan."""
    _existing(here, name)
    if what == "masked":
        return await _masked_as(here, name, format)
    home = here.desk.home(name)
    path = home / FILES[what]
    if view and path.suffix == ".html":
        return FileResponse(path, headers={"content-security-policy": SHOWN})
    return FileResponse(path, filename=path.name)


async def _masked_as(here: Served, name: str, wanted: str | None) -> Response:
    masked = _masked(here, name)
    if wanted is None or masked.suffix == f".{wanted}":
        return FileResponse(masked, filename=masked.name)
    draft = here.workspace.folder / ".web" / f"{secrets.token_hex(8)}.draft.{wanted}"
    await here.commands.answer(process_of("copy", masked, draft))
    gone = BackgroundTask(draft.unlink, missing_ok=True)
    return FileResponse(draft, filename=f"{masked.stem}.{wanted}", background=gone)


def _existing(here: Served, name: str) -> Plain:
    record = here.desk.record(name)
    if record is None:
        raise MissingError(f"{name} has released nothing yet; wait for its end or stop it")
    return record


def _masked(here: Served, name: str) -> Path:
    path: Path = here.desk.home(name).absolute() / MASKED / _existing(here, name)["output"]["name"]
    if not path.is_file():
        raise MissingError("the released file is gone; release again")
    return path


def _at_rest(here: Served, name: str) -> None:
    """What works on a run must end first."""
    if here.desk.view(name).state in ("waiting", "starting", "running"):
        raise RunError(f"{name} is at work; stop it first or wait for its end")
    if here.commands.state(f"choose {name}") == "working":
        raise RunError(f"a point of {name} is being released; wait for it")
