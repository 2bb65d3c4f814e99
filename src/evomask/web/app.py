"""The app: the interface at ``/api``, the pages, and how errors become one sentence."""

import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from evomask.errors import EvomaskError
from evomask.web.guard import Guard, TooLargeError, error_body
from evomask.web.routes import about, files, pages, releases, runs
from evomask.web.state import Served
from evomask.web.workspace import MissingError

STATIC = Path(__file__).parent / "static"
TITLE = "evomask"
ABOUT = "Everything that the pages of `evomask serve` do, for scripts: the pages use nothing else."


def make_app(served: Served) -> ASGIApp:
    """The app that serves a folder, behind its guard."""
    return Guard(bare_app(served), served.keys, served.port, served.limits)


def bare_app(served: Served) -> FastAPI:
    """The same without the guard, for tests of single answers."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await served.begin()
        yield
        await served.end()

    app = FastAPI(
        title=TITLE,
        description=ABOUT,
        version=version("evomask"),
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.served = served
    for part in (about, files, runs, releases, pages):
        app.include_router(part.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(EvomaskError, _sentence)
    app.add_exception_handler(TooLargeError, _too_large)
    app.add_exception_handler(RequestValidationError, _not_as_described)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _unexpected)
    return app


def _answer(request: Request, status: int, sentence: str) -> JSONResponse | pages.Page:
    """The sentence as JSON to programs, as a page to people."""
    body = error_body(sentence)
    if request.url.path.startswith("/api"):
        return JSONResponse(body, status)
    return pages.problem_page(request, status, body)


def _sentence(request: Request, error: Exception) -> JSONResponse | pages.Page:
    return _answer(request, 404 if isinstance(error, MissingError) else 400, str(error))


def _too_large(request: Request, _: Exception) -> JSONResponse | pages.Page:
    return _answer(request, 413, "that is more than this server takes; send less")


def _not_as_described(request: Request, error: Exception) -> JSONResponse | pages.Page:
    """The first field that is wrong, without what was sent."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    place = ".".join(str(part) for part in first.get("loc", ()) if isinstance(part, str | int))
    return _answer(request, 422, f"{place or 'the request'} is not as described; check it")


def _plain(request: Request, error: Exception) -> JSONResponse | pages.Page:
    status = error.status_code if isinstance(error, HTTPException) else 500
    known = {404: "there is nothing at this address", 405: "this address takes no such request"}
    answer = _answer(request, status, known.get(status, "that cannot be answered"))
    if isinstance(error, HTTPException) and error.headers:
        answer.headers.update(error.headers)
    return answer


def _unexpected(request: Request, error: Exception) -> JSONResponse | pages.Page:
    """Say that something went wrong; where, but never with which values, goes to the terminal."""
    answer = _answer(request, 500, "something went wrong here; its number is in the terminal")
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    sys.stderr.write(f"evomask: {type(error).__name__} at {where}\n")
    return answer
