"""Routes of runs: start, progress, stop, continue, compare."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from evomask.errors import RunError
from evomask.runs.options import ProtectOptions, risk_limits
from evomask.runs.store.journal import RunProgress
from evomask.web.processes import QueuedRun, evomask_command, job_command
from evomask.web.routes.dependencies import PROBLEMS, Here, RunName, task_state
from evomask.web.schemas import (
    CompareRequest,
    ContinueRequest,
    Goal,
    RunDetail,
    RunPoints,
    RunRequest,
    RunView,
    TaskState,
)
from evomask.web.server import Served

router = APIRouter(prefix="/api/runs", tags=["runs"], responses=PROBLEMS)

POLL_SECONDS = 0.25
"""Interval in which a run is checked for news."""

KEEPALIVE_SECONDS = 10.0
"""Interval of keep-alive comments in a stream without news."""

MAX_EVENT_ID = 24
"""Longest id of an event, in characters."""


@router.get("")
async def list_runs(here: Here) -> list[RunView]:
    """List all runs of the folder, including those of the command line."""
    return list(here.runs)


@router.post("", status_code=201)
async def start_run(here: Here, body: RunRequest) -> RunView:
    """Queue a run of ``protect``; it is executed by a process of its own."""
    file = here.workspace.find(body.file)
    schema = (await asyncio.to_thread(here.workspace.schema, file)).path
    name = here.queue.new_name(file.name)
    home = here.folder / name
    words = evomask_command(
        "protect", file.path.absolute(), "--schema", schema.absolute(),
        *options_of(body.goal).command_words(), *_where(body.goal.cluster, body.goal.workers),
        "--out", home.absolute(), "--json", "--quiet",
    )  # fmt: skip
    return _queue(here, name, file.id, file.name, body.goal.model_dump(), words)


def _queue(
    here: Served, name: str, file_id: str, title: str, goal: dict[str, Any], words: list[str]
) -> RunView:
    here.queue.add(
        name,
        QueuedRun(file=file_id, title=title, goal=goal, words=tuple(words), asked=time.time()),
    )
    return here.runs.view(name)


def options_of(goal: Goal) -> ProtectOptions:
    """Return the options of `protect` for a goal."""
    models = {"k": goal.k, "l": goal.l, "t": goal.t}
    others = {} if goal.max_risk is None else {"": goal.max_risk}
    limits = {**goal.max_risk_in, **others}
    return ProtectOptions(
        require=",".join(f"{name}={value:g}" for name, value in models.items() if value != 1),
        seconds=goal.seconds,
        evaluations=goal.files,
        searches=tuple(goal.searches),
        max_risk=risk_limits(limits) if limits else None,
        max_loss=goal.max_loss,
        profile=goal.profile,
    )


def _where(cluster: str, workers: int) -> tuple[str, str]:
    return ("--cluster", cluster) if cluster else ("--workers", str(workers))


@router.get("/{name}")
async def show_run(here: Here, name: RunName) -> RunDetail:
    """Show a run with its goal, front and progress."""
    return here.runs.detail(name)


@router.get("/{name}/points")
async def show_points(here: Here, name: RunName) -> RunPoints:
    """Show all points of the map of loss and risk."""
    return here.runs.points(name)


@router.post("/{name}/stop")
async def stop_run(here: Here, name: RunName) -> RunView:
    """Stop a run after its current step, with its results saved; cancel one that waits."""
    before = here.runs.view(name)
    here.runs.stop(name)
    return here.runs.view(name) if (here.folder / name).exists() else before


@router.post("/{name}/continue")
async def continue_run(here: Here, name: RunName, body: ContinueRequest) -> RunView:
    """Continue a run, for the rest of its budget or some seconds; 0 ends the search."""
    view = here.runs.view(name)
    if view.state in ("waiting", "starting", "running"):
        raise RunError(f"{name} is running already; wait, or stop it first")
    plan, home, before = here.runs.plan(name), here.runs.folder_of(name), here.queue.request(name)
    if body.seconds is not None and "seconds" not in plan["budget"]:
        raise RunError(f"{name} has a budget of candidates; continue it without seconds")
    goal = before.goal if before else {}
    seconds = () if body.seconds is None else ("--seconds", body.seconds)
    where = _where(goal.get("cluster", ""), goal.get("workers", 1))
    words = evomask_command("resume", home.absolute(), *seconds, *where, "--json", "--quiet")
    return _queue(here, name, before.file if before else "", view.file, goal, words)


@router.get("/{name}/compare")
async def show_comparison(here: Here, name: RunName, files: str) -> TaskState:
    """Show the comparison of points, if it was computed: aggregates only."""
    here.runs.folder_of(name)
    return task_state(here.commands, _comparison(name, files))


@router.post("/{name}/compare")
async def compare(here: Here, name: RunName, body: CompareRequest) -> TaskState:
    """Evaluate points of the front for a comparison, in the background."""
    home, texts = here.runs.folder_of(name), [str(file) for file in body.files]
    here.runs.plan(name)
    key = _comparison(name, ",".join(texts))
    words = job_command("compare", home.absolute(), ",".join(texts))
    here.commands.begin(key, lambda: here.commands.answer(words))
    return task_state(here.commands, key)


def _comparison(name: str, files: str) -> str:
    return f"compare {name} {files}"


@router.get("/{name}/events", response_class=StreamingResponse)
async def follow_run(
    request: Request,
    here: Here,
    name: RunName,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Stream the progress of a run as server-sent events, at most four per second.

    Each event is named ``news`` and has the run, its front if it changed, and the candidates
    *tried* since the last event, with the index of the *first* of them; known candidates from that
    index on are replaced. A reconnected stream continues where it was.
    """
    here.runs.folder_of(name)
    stream = _events(request, here, name, _Sent.of(last_event_id or ""))
    return StreamingResponse(stream, media_type="text/event-stream")


@dataclass(frozen=True)
class _Sent:
    """Number of candidates that a client has, and how often the run had been set back by then."""

    files: int = 0
    returns: int = 0

    @staticmethod
    def of(event_id: str) -> "_Sent":
        """Decode the id of an event; an invalid id means that nothing was sent."""
        returns, _, files = event_id.partition("-")
        if returns.isdecimal() and files.isdecimal() and len(event_id) < MAX_EVENT_ID:
            return _Sent(int(files), int(returns))
        return _Sent()

    def after(self, course: RunProgress) -> "_Sent":
        """Return the same, or nothing if the run was set back to a snapshot since."""
        return self if self.returns == course.returns else _Sent(0, course.returns)


async def _events(request: Request, here: Served, name: str, sent: _Sent) -> AsyncIterator[str]:
    last_run, last_front, silent = "", "", time.monotonic()
    while not await request.is_disconnected() and (here.folder / name).exists():
        detail = here.runs.detail(name)
        sent = sent.after(here.runs.course(name))
        points = here.runs.points(name, sent.files)
        run = detail.model_dump_json(exclude={"front", "changed"})
        front = json.dumps([point.model_dump() for point in detail.front])
        if run != last_run or front != last_front or points.tried:
            news = {
                "run": json.loads(run),
                "front": json.loads(front) if front != last_front else None,
                "first": sent.files,
                "tried": points.tried,
            }
            sent = replace(sent, files=sent.files + len(points.tried))
            event_id = f"{sent.returns}-{sent.files}"
            yield f"event: news\nid: {event_id}\ndata: {json.dumps(news)}\n\n"
            last_run, last_front, silent = run, front, time.monotonic()
        elif time.monotonic() - silent > KEEPALIVE_SECONDS:
            yield ": keep-alive\n\n"
            silent = time.monotonic()
        await asyncio.sleep(POLL_SECONDS)
