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
WRONG = {
    "missing": "is missing; give it",
    "extra_forbidden": "is not known here; leave it out",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "string_too_long": "must have at most {max_length} characters",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "literal_error": "must be one of {expected}",
}
"""What is wrong with a field, by the name that the validator has for it; never what was sent."""

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


def _answer(
    request: Request, status: int, sentence: str, field: str = ""
) -> JSONResponse | pages.Page:
    """The sentence as JSON to programs, as a page to people."""
    body = error_body(sentence, field)
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
    named = [part for part in first.get("loc", ())[1:] if isinstance(part, str)]
    field = named[-1] if named else ""
    wording = WRONG.get(first.get("type", ""), "is not as described; check it")
    limits = {name: _plainly(limit) for name, limit in (first.get("ctx") or {}).items()}
    sentence = f"{field or 'the request'} {wording.format_map(limits)}"
    return _answer(request, 422, sentence, field)


def _plainly(limit: object) -> object:
    """100 and not 100.0."""
    return int(limit) if isinstance(limit, float) and limit.is_integer() else limit


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
