"""The eight pages; each is filled by its script from ``/api``."""

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, TypeAlias

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from evomask.errors import EvomaskError
from evomask.runs.options import DEFAULT_SECONDS, readable_endings
from evomask.web.routes.dependencies import FileId, Here, RunName

router = APIRouter(include_in_schema=False)
Page: TypeAlias = HTMLResponse

FILE_STEPS = ("columns", "scenarios", "risk", "goal")
RUN_STEPS = ("search", "compare", "release")
TITLES = {
    "runs": "Runs",
    "columns": "Columns",
    "scenarios": "Scenarios",
    "risk": "Baseline risk",
    "goal": "Goal",
    "search": "Search",
    "compare": "Compare",
    "release": "Release",
}

PRELOADED = ("dom", "api", "charts", "map")
"""Scripts of the search page that are preloaded, so that its map appears soon."""


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
    steps = [(step, TITLES[step], _address(step, file, run)) for step in FILE_STEPS + RUN_STEPS]
    context = {"screen": screen, "title": TITLES.get(screen, ""), "file": file, "run": run}
    template = _templates().get_template(f"{screen}.html")
    context["minutes"] = f"{DEFAULT_SECONDS / 60:g}"
    scripts = PRELOADED if screen == "search" else ()
    content = template.render(**context, steps=steps, preloaded=scripts, **more)
    return HTMLResponse(content, status)


def _address(step: str, file: str, run: str) -> str:
    """Return the address of a step; empty without the file or run that it needs."""
    if step in FILE_STEPS:
        return f"/files/{file}/{step}{f'?run={run}' if run else ''}" if file else ""
    return f"/runs/{run}/{step}" if run else ""


def problem_page(_: Request, status: int, body: dict[str, str]) -> Page:
    """Return a page with an error message."""
    return _page("problem", status=status, problem=body)


@router.get("/")
async def show_runs() -> Page:
    """Show all runs, and the upload of files."""
    return _page("runs", endings=readable_endings())


def _file_page(screen: str) -> Callable[..., Awaitable[Page]]:
    async def show(here: Here, file_id: FileId, run: str = "") -> Page:
        file = here.workspace.find(file_id)
        try:
            known = run if run and here.runs.view(run).file_id == file_id else ""
        except EvomaskError:
            known = ""
        return _page(screen, file=file_id, run=known, name=file.name)

    return show


def _run_page(screen: str) -> Callable[..., Awaitable[Page]]:
    async def show(here: Here, name: RunName) -> Page:
        view = here.runs.view(name)
        return _page(screen, file=view.file_id, run=name, name=view.file)

    return show


for _screen in FILE_STEPS:
    router.get(f"/files/{{file_id}}/{_screen}")(_file_page(_screen))
for _screen in RUN_STEPS:
    router.get(f"/runs/{{name}}/{_screen}")(_run_page(_screen))
