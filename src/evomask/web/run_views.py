"""Views of the runs of a folder, from plan, journal, record and process of each."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evomask.errors import EvomaskError, RunError
from evomask.runs.store.journal import JournalFollower, RunProgress
from evomask.runs.store.run_control import request_stop
from evomask.runs.store.run_summary import (
    JOURNAL,
    PLAN,
    RECORD,
    JsonObject,
    is_running,
    read_plan,
    read_record,
)
from evomask.web.processes import NAME, REQUEST, QueuedRun, RunQueue
from evomask.web.schemas import PointView, RiskParts, RunDetail, RunPoints, RunView
from evomask.web.workspace import MissingError

PROBE_SECONDS = 1.0
"""Interval of the check whether another program works on a run."""

DECIMALS = 2


@dataclass
class _Cached:
    """Cached state of a run."""

    follower: JournalFollower
    plan: JsonObject | None = None
    record: JsonObject | None = None
    stamp: int = 0
    busy: bool = False
    probed: float = 0.0


@dataclass
class RunViews:
    """All runs of a folder, including those of the command line."""

    folder: Path
    queue: RunQueue
    _cache: dict[str, _Cached] = field(default_factory=dict)

    def __iter__(self) -> Iterator[RunView]:
        """Summaries of all runs, most recently changed first."""
        found = []
        for name in self._names():
            try:
                found.append(self.view(name))
            except EvomaskError:
                continue
        yield from sorted(found, key=lambda run: (-run.changed, run.name))

    def folder_of(self, name: str) -> Path:
        """Return the folder of a run; names with path separators are refused."""
        home = self.folder / name
        if not NAME.fullmatch(name) or not any((home / f).is_file() for f in (PLAN, REQUEST)):
            raise MissingError("there is no such run; it may have been removed")
        return home

    def view(self, name: str) -> RunView:
        """Return the summary of a run."""
        return RunView(**self._summary(name))

    def detail(self, name: str) -> RunDetail:
        """Return a run with its goal, front and progress."""
        seen, course = self._look(name), self._look(name).follower.course
        points = self.points(name)
        return RunDetail(
            **self._summary(name),
            goal=self.goal(name),
            front=points.front,
            shares={n: round(s, 1) for n, s in course.shares.items()},
            course=[(files, round(best, DECIMALS)) for files, best in course.best],
            notes=list(seen.record["notes"]) if seen.record else course.notes,
            original=points.original,
            chosen=points.chosen,
            simple=points.simple,
        )

    def points(self, name: str, since: int = 0) -> RunPoints:
        """Return all points of the map; of the candidates only those from index *since* on."""
        seen = self._look(name)
        course, record, goal = seen.follower.course, seen.record, self.goal(name)
        tried = [
            (round(file.loss, DECIMALS), round(file.risk, DECIMALS))
            for file in course.tried[since:]
        ]
        if not course.tried and record is not None:
            tried = [(p["loss"], p["risk"]) for p in record["points"]["others"][since:]]
        return RunPoints(
            front=_front(course, record),
            tried=tried,
            simple=_simple(course, record),
            original=_original(course, record),
            chosen=_point(record["chosen"]) if record else None,
            max_risk=goal.get("max_risk"),
            max_loss=goal.get("max_loss"),
        )

    def course(self, name: str) -> RunProgress:
        """Return the progress of a run from its journal."""
        return self._look(name).follower.course

    def record(self, name: str) -> JsonObject | None:
        """Return the record of the release, if there is one."""
        return self._look(name).record

    def plan(self, name: str) -> JsonObject:
        """Return the plan of a run."""
        plan = self._look(name).plan
        if plan is None:
            raise RunError(f"{name} has not begun yet; try again in a moment")
        return plan

    def goal(self, name: str) -> dict[str, Any]:
        """Return requirements, limits and budget of a run, from its request or its plan."""
        request, plan = self.queue.request(name), self._look(name).plan
        goal = dict(request.goal) if request else {}
        if plan is not None:
            required = plan["parameters"].get("requirement", {})
            goal |= {n: required[n] for n in ("k", "l", "t") if n in required}
            goal |= {
                f"max_{n}": limit
                for n, limit in plan.get("bounds", {}).items()
                if limit != {} and n != "error_in"
            }
            goal["seconds"] = plan["budget"].get("seconds")
            goal["files"] = plan["budget"].get("evaluations")
        return {name: value for name, value in goal.items() if value is not None}

    def stop(self, name: str) -> None:
        """Stop a run; one that has not begun to search is cancelled."""
        view = self.view(name)
        if view.state in ("waiting", "starting"):
            self.queue.cancel(name)
        elif view.state == "running":
            request_stop(self.folder_of(name))
        else:
            raise RunError(f"{name} is not running; there is nothing to stop")

    def _names(self) -> set[str]:
        return {p.parent.name for kind in (PLAN, REQUEST) for p in self.folder.glob(f"*/{kind}")}

    def _look(self, name: str) -> _Cached:
        home = self.folder_of(name)
        seen = self._cache.setdefault(name, _Cached(JournalFollower(home)))
        seen.follower.look()
        if seen.plan is None and (home / PLAN).exists():
            seen.plan = read_plan(home)
        try:
            stamp = (home / RECORD).stat().st_mtime_ns
        except OSError:
            stamp = 0
        if stamp != seen.stamp:
            seen.stamp, seen.record = stamp, read_record(home) if stamp else None
            seen.plan = read_plan(home)
        return seen

    def _summary(self, name: str) -> dict[str, Any]:
        seen, request = self._look(name), self.queue.request(name)
        course = seen.follower.course
        state, reason = self._state(name, seen, request)
        file_name = Path(seen.plan["input"]["path"]).name if seen.plan else ""
        front = _front(course, seen.record)
        waiting = self.queue.waiting() if state == "waiting" else []
        number = course.suggested if seen.record is None else seen.record["chosen"]["point"]
        return {
            "name": name,
            "file": request.title if request else file_name,
            "file_id": request.file if request else "",
            "search": seen.plan["search"] if seen.plan else "protect",
            "state": state,
            "reason": reason,
            "place": waiting.index(name) + 1 if name in waiting else 0,
            "phase": course.phase if state == "running" else "",
            "text": course.text if state == "running" else "",
            "member": course.member,
            "share": round(min(1.0, course.share), 4),
            "seconds": round(course.seconds, 1),
            "left": round(course.left, 1),
            "tried": course.files,
            "points": len(front),
            "best": next((p for p in front if p.point == number), None),
            "suggested": course.suggested,
            "released": seen.record["chosen"]["point"] if seen.record else None,
            "signed": _signed(seen.record),
            "checked": course.checked,
            "changed": _changed(self.folder / name),
        }

    def _state(self, name: str, seen: _Cached, request: QueuedRun | None) -> tuple[str, str]:
        ended = seen.follower.course.ended
        if request is not None and request.waits:
            return "waiting", ""
        if request is not None and self.queue.is_alive(name):
            return ("running" if seen.plan else "starting"), ""
        error = self.queue.error_of(name) if request is not None else ""
        if seen.plan is None:
            return "failed", error or "its process ended before the search began"
        if ended is not None:
            return ended.how.value, ended.reason or error
        if self._is_busy(name, seen):
            return "running", ""
        return (
            "broken off",
            error or "its process ended unexpectedly; continue from the last snapshot",
        )

    def _is_busy(self, name: str, seen: _Cached) -> bool:
        """Return whether another program works on a run; checked once a second."""
        now = time.monotonic()
        if now - seen.probed > PROBE_SECONDS:
            seen.busy, seen.probed = is_running(self.folder / name), now
        return seen.busy


def _signed(record: JsonObject | None) -> str:
    """Return who signed the release; choosing another point clears the date, so the signature."""
    statement = record.get("statement", {}) if record else {}
    return str(statement["by"]) if statement.get("by") and statement.get("date") else ""


def _changed(home: Path) -> float:
    stamps = [home, home / JOURNAL, home / REQUEST, home / RECORD]
    return max((p.stat().st_mtime for p in stamps if p.exists()), default=0.0)


def _front(course: RunProgress, record: JsonObject | None) -> list[PointView]:
    """Return the front from the journal, or from the record of a finished run."""
    if record is not None and course.ended is not None:
        return [_point(point) for point in record["points"]["front"]]
    return [
        _view(
            p.point,
            p.point if p.file is None else p.file,
            p.search,
            p.method,
            p.loss,
            p.risk,
            {**p.parts, "scenario": p.scenario} if p.parts else None,
        )
        for p in course.front
    ]


def _simple(course: RunProgress, record: JsonObject | None) -> list[PointView]:
    if record is not None:
        return [_point(point) for point in record["points"]["simple"]]
    return [_view(0, 0, "design", n, file.loss, file.risk) for n, file in course.simple.items()]


def _original(course: RunProgress, record: JsonObject | None) -> PointView | None:
    if record is not None:
        return _point(record["points"]["original"])
    if course.before is None:
        return None
    return _view(0, -1, "", "original file", 0.0, course.before)


def _point(note: JsonObject) -> PointView:
    file: int | None = note.get("file")
    number = note["point"]
    return _view(
        number, number if file is None else file, note["search"], note["method"], note["loss"],
        note["risk"], note.get("parts"),
    )  # fmt: skip


def _view(
    point: int, file: int, search: str, method: str, loss: float, risk: float,
    parts: JsonObject | None = None,
) -> PointView:  # fmt: skip
    return PointView(
        point=point,
        file=file,
        search=search,
        method=method,
        loss=round(loss, DECIMALS),
        risk=round(risk, DECIMALS),
        parts=_risk_parts(parts) if parts else None,
    )


def _risk_parts(parts: JsonObject) -> RiskParts | None:
    """Return the components of a risk; None for records of earlier versions."""
    if "reidentification" not in parts:
        return None
    names = ("reidentification", "attribute_disclosure", "confidential")
    shares = {n: round(parts[n], DECIMALS) for n in names if parts.get(n) is not None}
    return RiskParts(**shares, scenario=parts.get("scenario", ""))
