"""Runs: asked for, followed as they go, stopped, continued, compared."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from evomask.errors import RunError
from evomask.runs.kept.following import Course
from evomask.web.answers import (
    CompareWish,
    Goal,
    More,
    RunDetail,
    RunPoints,
    RunView,
    RunWish,
    Work,
)
from evomask.web.commands import words_of
from evomask.web.commands import work_of as process_of
from evomask.web.queue import Request as RunRequest
from evomask.web.routes.served import PROBLEMS, Here, RunName, work_of
from evomask.web.state import Served

router = APIRouter(prefix="/api/runs", tags=["runs"], responses=PROBLEMS)

BETWEEN = 0.25
"""Seconds between two looks for news of a run."""

ALIVE = 10.0
"""Seconds after which a silent stream says that it is still there."""

LONGEST_MARK = 24
"""Characters that the number of an event has at most."""


@router.get("")
async def list_runs(here: Here) -> list[RunView]:
    """Every run of the folder, those of the command line too."""
    return list(here.desk)


@router.post("", status_code=201)
async def ask_for_run(here: Here, wish: RunWish) -> RunView:
    """Let a file be protected: the run waits for its turn, then a process of its own begins."""
    file = here.workspace.find(wish.file)
    schema = (await asyncio.to_thread(here.workspace.schema, file)).path
    name = here.queue.new_name(file.name)
    home = here.folder / name
    words = words_of(
        "protect", file.path.absolute(), "--schema", schema.absolute(), *_options(wish.goal),
        "--out", home.absolute(), "--json", "--quiet",
    )  # fmt: skip
    goal = wish.goal.model_dump()
    here.queue.ask(name, RunRequest(file.id, file.name, goal, tuple(words), time.time()))
    return here.desk.view(name)


def _options(goal: Goal) -> list[str]:
    asked = {"k": goal.k, "l": goal.l, "t": goal.t}
    require = ",".join(f"{name}={value:g}" for name, value in asked.items() if value != 1)
    options = {
        "--require": require,
        "--seconds": goal.seconds,
        "--evaluations": goal.files,
        "--searches": ",".join(goal.searches),
        "--max-risk": goal.max_risk,
        "--max-loss": goal.max_loss,
        "--workers": goal.workers if not goal.cluster else None,
        "--cluster": goal.cluster,
        "--profile": goal.profile,
    }
    given = {option: value for option, value in options.items() if value not in (None, "")}
    return [word for option, value in given.items() for word in (option, f"{value}")]


@router.get("/{name}")
async def show_run(here: Here, name: RunName) -> RunDetail:
    """A run with its goal, its front and its course."""
    return here.desk.detail(name)


@router.get("/{name}/points")
async def show_points(here: Here, name: RunName) -> RunPoints:
    """Everything on the map of loss and risk."""
    return here.desk.points(name)


@router.post("/{name}/stop")
async def stop_run(here: Here, name: RunName) -> RunView:
    """Ask a run to stop: it ends its turn and keeps what it found; one that waits is taken back."""
    before = here.desk.view(name)
    here.desk.stop(name)
    return here.desk.view(name) if (here.folder / name).exists() else before


@router.post("/{name}/continue")
async def continue_run(here: Here, name: RunName, more: More) -> RunView:
    """Go on with a run, for the rest of its budget or so many seconds; 0 ends the search there."""
    view = here.desk.view(name)
    if view.state in ("waiting", "starting", "running"):
        raise RunError(f"{name} is at work already; wait, or stop it first")
    plan, home, before = here.desk.plan(name), here.desk.home(name), here.queue.request(name)
    if more.seconds is not None and "seconds" not in plan["budget"]:
        raise RunError(f"{name} is bound by a number of files; continue it without seconds")
    asked = before.goal if before else {}
    where = (
        ("--cluster", asked["cluster"])
        if asked.get("cluster")
        else ("--workers", asked.get("workers", 1))
    )
    longer = () if more.seconds is None else ("--seconds", more.seconds)
    words = words_of("resume", home.absolute(), *longer, *where, "--json", "--quiet")
    file, goal = (before.file, before.goal) if before else ("", {})
    here.queue.ask(name, RunRequest(file, view.file, goal, tuple(words), time.time()))
    return here.desk.view(name)


@router.get("/{name}/compare")
async def show_comparison(here: Here, name: RunName, files: str) -> Work:
    """Points side by side, if that was asked for: their records, without anybody's values."""
    here.desk.home(name)
    return work_of(here.commands, _comparison(name, files))


@router.post("/{name}/compare")
async def compare(here: Here, name: RunName, wish: CompareWish) -> Work:
    """Look closely at points of the front side by side; that takes a moment."""
    home, texts = here.desk.home(name), [str(file) for file in wish.files]
    here.desk.plan(name)
    key = _comparison(name, ",".join(texts))
    words = process_of("compare", home.absolute(), ",".join(texts))
    here.commands.begin(key, lambda: here.commands.answer(words))
    return work_of(here.commands, key)


def _comparison(name: str, files: str) -> str:
    return f"compare {name} {files}"


@router.get("/{name}/events", response_class=StreamingResponse)
async def follow_run(
    request: Request,
    here: Here,
    name: RunName,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """News of a run as they happen (server-sent events), at most four times a second.

    Each is named ``news`` and holds the run, its front where that changed, and the files that
    were *tried* since, with the place of the *first* of them among all; what was known from that
    place on is replaced. A stream that broke off goes on where it was.
    """
    here.desk.home(name)
    stream = _news(request, here, name, _Known.by(last_event_id or ""))
    return StreamingResponse(stream, media_type="text/event-stream")


@dataclass(frozen=True)
class _Known:
    """How many of the files tried somebody knows, and how often the run had gone back by then."""

    files: int = 0
    returns: int = 0

    @staticmethod
    def by(mark: str) -> "_Known":
        """What the number of an event says; nothing is known by one that is not ours."""
        returns, _, files = mark.partition("-")
        if returns.isdecimal() and files.isdecimal() and len(mark) < LONGEST_MARK:
            return _Known(int(files), int(returns))
        return _Known()

    def still(self, course: Course) -> "_Known":
        """The same where the run went on from there, nothing where it went back since."""
        return self if self.returns == course.returns else _Known(0, course.returns)


async def _news(request: Request, here: Served, name: str, known: _Known) -> AsyncIterator[str]:
    told, front, silent = "", "", time.monotonic()
    while not await request.is_disconnected() and (here.folder / name).exists():
        detail = here.desk.detail(name)
        known = known.still(here.desk.course(name))
        points = here.desk.points(name, known.files)
        run = detail.model_dump_json(exclude={"front", "changed"})
        now = json.dumps([point.model_dump() for point in detail.front])
        if run != told or now != front or points.tried:
            news = {
                "run": json.loads(run),
                "front": json.loads(now) if now != front else None,
                "first": known.files,
                "tried": points.tried,
            }
            known = replace(known, files=known.files + len(points.tried))
            mark = f"{known.returns}-{known.files}"
            yield f"event: news\nid: {mark}\ndata: {json.dumps(news)}\n\n"
            told, front, silent = run, now, time.monotonic()
        elif time.monotonic() - silent > ALIVE:
            yield ": still here\n\n"
            silent = time.monotonic()
        await asyncio.sleep(BETWEEN)
