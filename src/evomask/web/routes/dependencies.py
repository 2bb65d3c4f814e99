"""Dependencies shared by the routes, error responses, and the route ``/api/about``."""

from importlib.metadata import version
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Path, Request

from evomask.web.processes import Commands
from evomask.web.schemas import About, Problem, TaskState
from evomask.web.server import Served


def served(request: Request) -> Served:
    """Return the folder that this server serves."""
    return cast("Served", request.app.state.served)


Here = Annotated[Served, Depends(served)]
FileId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="id of the file")]
RunName = Annotated[str, Path(min_length=1, max_length=120, description="name of the run")]

PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "the request cannot be fulfilled"},
    401: {"model": Problem, "description": "no cookie and no key"},
    403: {"model": Problem, "description": "cross-site request"},
    404: {"model": Problem, "description": "no such file, run or point"},
    413: {"model": Problem, "description": "body too large"},
    422: {"model": Problem, "description": "invalid field"},
    429: {"model": Problem, "description": "too many requests"},
}
"""Error responses of every route."""

router = APIRouter(prefix="/api", tags=["about"], responses=PROBLEMS)


@router.get("/about")
async def show_about(here: Here) -> About:
    """Version, folder, number of concurrent runs, cores, largest upload in bytes."""
    return About(
        version=version("evomask"),
        folder=here.folder.name,
        at_once=here.at_once,
        cores=here.cores,
        upload=here.limits.upload,
    )


def task_state(commands: Commands, name: str) -> TaskState:
    """Return the state of a background task as a response."""
    state = commands.state(name)
    if state in ("", "working"):
        return TaskState(state="working" if state else "none")
    if state == "done":
        result = commands.result(name)
        return TaskState(state="done", result=result if isinstance(result, dict) else None)
    return TaskState(state="failed", error=state)
