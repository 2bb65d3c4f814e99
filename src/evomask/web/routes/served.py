"""How an answer gets at the folder that is served, and which problems it may tell of."""

from typing import Annotated, Any, cast

from fastapi import Depends, Path, Request

from evomask.web.answers import Problem, Work
from evomask.web.commands import Commands
from evomask.web.state import Served


def served(request: Request) -> Served:
    """The folder that this server serves."""
    return cast("Served", request.app.state.served)


Here = Annotated[Served, Depends(served)]
FileId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="the number of a file")]
RunName = Annotated[str, Path(min_length=1, max_length=120, description="the name of a run")]

PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "it cannot be done as asked"},
    401: {"model": Problem, "description": "no cookie and no key"},
    403: {"model": Problem, "description": "asked by another page"},
    404: {"model": Problem, "description": "there is no such file, run or point"},
    413: {"model": Problem, "description": "too many bytes"},
    422: {"model": Problem, "description": "a field is not as described"},
    429: {"model": Problem, "description": "too many requests"},
}
"""What any answer may be instead."""


def work_of(commands: Commands, name: str) -> Work:
    """How work stands that was begun under a name."""
    state = commands.state(name)
    if state in ("", "working"):
        return Work(state="working" if state else "none")
    if state == "done":
        result = commands.result(name)
        return Work(state="done", result=result if isinstance(result, dict) else None)
    return Work(state="failed", error=state)
