"""The seven screens: each a page with an address of its own, filled by its script from ``/api``."""

from functools import cache
from typing import Any, TypeAlias

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from evomask.errors import EvomaskError
from evomask.web.routes.served import FileId, Here, RunName
from evomask.web.state import Served

router = APIRouter(include_in_schema=False)
Page: TypeAlias = HTMLResponse

STEPS = ("columns", "risk", "goal", "search", "compare", "release")
TITLES = {
    "runs": "Runs",
    "columns": "Columns",
    "risk": "Risk today",
    "goal": "Goal",
    "search": "Search",
    "compare": "Compare",
    "release": "Release",
}

PARTS = ("dom", "api", "charts", "map")
"""Scripts of the search that are fetched at once, so that its map is soon there."""


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("evomask.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _page(screen: str, *, status: int = 200, file: str = "", run: str = "", **more: Any) -> Page:  # noqa: ANN401
    steps = [(step, TITLES[step], _address(step, file, run)) for step in STEPS]
    shown = {"screen": screen, "title": TITLES.get(screen, ""), "file": file, "run": run}
    template = _templates().get_template(f"{screen}.html")
    parts = PARTS if screen == "search" else ()
    return HTMLResponse(template.render(**shown, steps=steps, parts=parts, **more), status)


def _address(step: str, file: str, run: str) -> str:
    """Where a step is; nowhere as long as its file or run is not there."""
    if step in STEPS[:3]:
        return f"/files/{file}/{step}{f'?run={run}' if run else ''}" if file else ""
    return f"/runs/{run}/{step}" if run else ""


def problem_page(_: Request, status: int, body: dict[str, str]) -> Page:
    """A page that says what is wrong, and the way back."""
    return _page("problem", status=status, problem=body)


@router.get("/")
async def show_runs() -> Page:
    """All runs, and where a new one begins."""
    return _page("runs")


@router.get("/files/{file_id}/columns")
async def show_columns(here: Here, file_id: FileId, run: str = "") -> Page:
    """What each column is."""
    return _of_file(here, "columns", file_id, run)


@router.get("/files/{file_id}/risk")
async def show_risk(here: Here, file_id: FileId, run: str = "") -> Page:
    """What the file gives away as it is."""
    return _of_file(here, "risk", file_id, run)


@router.get("/files/{file_id}/goal")
async def show_goal(here: Here, file_id: FileId, run: str = "") -> Page:
    """What is asked of a protection."""
    return _of_file(here, "goal", file_id, run)


@router.get("/runs/{name}/search")
async def show_search(here: Here, name: RunName) -> Page:
    """The live map of loss and risk."""
    return _of_run(here, "search", name)


@router.get("/runs/{name}/compare")
async def show_compare(here: Here, name: RunName) -> Page:
    """Points side by side."""
    return _of_run(here, "compare", name)


@router.get("/runs/{name}/release")
async def show_release(here: Here, name: RunName) -> Page:
    """The chosen point, signed, checked, to take away."""
    return _of_run(here, "release", name)


def _of_file(here: Served, screen: str, file_id: str, run: str) -> Page:
    file = here.workspace.find(file_id)
    try:
        known = run if run and here.desk.view(run).file_id == file_id else ""
    except EvomaskError:
        known = ""
    return _page(screen, file=file_id, run=known, name=file.name)


def _of_run(here: Served, screen: str, name: str) -> Page:
    view = here.desk.view(name)
    return _page(screen, file=view.file_id, run=name, name=view.file)
