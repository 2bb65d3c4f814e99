"""The FastAPI app: HTTP interface at ``/api``, pages, and error responses."""

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
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles

from evomask.errors import EvomaskError
from evomask.web.routes import dependencies, files, pages, releases, runs
from evomask.web.security import Guard, TooLargeError, error_body
from evomask.web.server import Served
from evomask.web.workspace import MissingError

STATIC = Path(__file__).parent / "static"
TITLE = "evomask"
VALIDATION_ERRORS = {
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
"""Error texts by the error type of the validator; they never contain the value that was sent."""

DESCRIPTION = "The HTTP interface of `evomask serve`, for scripts; the pages use nothing else."


def make_app(served: Served) -> Guard:
    """Return the app that serves a folder, behind the request guard."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await served.begin()
        yield
        await served.end()

    app = FastAPI(
        title=TITLE,
        description=DESCRIPTION,
        version=version("evomask"),
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.served = served
    for module in (dependencies, files, runs, releases, pages):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(EvomaskError, _evomask_error)
    app.add_exception_handler(TooLargeError, _too_large)
    app.add_exception_handler(ClientDisconnect, _cut_off)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _internal_error)
    return Guard(app, served.keys, served.port, served.limits)


def _answer(
    request: Request, status: int, sentence: str, field: str = ""
) -> JSONResponse | pages.Page:
    """Return an error as JSON for the interface, as a page for browsers."""
    body = error_body(sentence, field)
    if request.url.path.startswith("/api"):
        return JSONResponse(body, status)
    return pages.problem_page(request, status, body)


def _evomask_error(request: Request, error: Exception) -> JSONResponse | pages.Page:
    return _answer(request, 404 if isinstance(error, MissingError) else 400, str(error))


def _too_large(request: Request, _: Exception) -> JSONResponse | pages.Page:
    return _answer(request, 413, "that is more than this server accepts; send less")


def _validation_error(request: Request, error: Exception) -> JSONResponse | pages.Page:
    """Name the first invalid field, without the value that was sent."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    named = [part for part in first.get("loc", ())[1:] if isinstance(part, str)]
    field = named[-1] if named else ""
    wording = VALIDATION_ERRORS.get(first.get("type", ""), "is not valid; check it")
    limits = {
        name: int(limit) if isinstance(limit, float) and limit.is_integer() else limit
        for name, limit in (first.get("ctx") or {}).items()
    }
    sentence = f"{field or 'the request'} {wording.format_map(limits)}"
    return _answer(request, 422, sentence, field)


def _cut_off(request: Request, _: Exception) -> JSONResponse | pages.Page:
    return _answer(request, 400, "the request ended before its body was complete; send it again")


def _http_error(request: Request, error: Exception) -> JSONResponse | pages.Page:
    if isinstance(error.__cause__, TooLargeError):  # found while a body was parsed
        return _too_large(request, error)
    status = error.status_code if isinstance(error, HTTPException) else 500
    known = {404: "there is nothing at this address", 405: "this address does not allow the method"}
    answer = _answer(request, status, known.get(status, "the request cannot be answered"))
    if isinstance(error, HTTPException) and error.headers:
        answer.headers.update(error.headers)
    return answer


def _internal_error(request: Request, error: Exception) -> JSONResponse | pages.Page:
    """Report an unexpected error; its place, but no values, is written to stderr."""
    answer = _answer(request, 500, "an internal error occurred; see the terminal of the server")
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    sys.stderr.write(f"evomask: {type(error).__name__} at {where}\n")
    return answer
