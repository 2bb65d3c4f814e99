"""Runs as the pages see them: the folder of each, its journal, and whether a process is at work."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evomask.errors import EvomaskError, RunError
from evomask.runs.kept.following import Course, Follower
from evomask.runs.kept.glance import Plain, is_worked_on, plan_in, record_in
from evomask.runs.kept.names import JOURNAL, PLAN, RECORD
from evomask.runs.kept.stopping import ask_to_stop
from evomask.web.answers import PointView, RunDetail, RunPoints, RunView
from evomask.web.queue import NAME, REQUEST, Request, RunQueue
from evomask.web.workspace import MissingError

PROBED = 1.0
"""Seconds between two looks at whether another program works on a run."""

DECIMALS = 2


@dataclass
class _Seen:
    """What is remembered of a run between two looks."""

    follower: Follower
    plan: Plain | None = None
    record: Plain | None = None
    stamp: int = 0
    busy: bool = False
    probed: float = 0.0


@dataclass
class Desk:
    """All runs of a folder, those of the command line too."""

    folder: Path
    queue: RunQueue
    _seen: dict[str, _Seen] = field(default_factory=dict)

    def __iter__(self) -> Iterator[RunView]:
        """Every run in short, the one that changed last first."""
        found = []
        for name in self._names():
            try:
                found.append(self.view(name))
            except EvomaskError:
                continue
        yield from sorted(found, key=lambda run: (-run.changed, run.name))

    def home(self, name: str) -> Path:
        """The folder of a run; a name is never a way to another place."""
        home = self.folder / name
        kept = NAME.fullmatch(name) and any((home / kind).is_file() for kind in (PLAN, REQUEST))
        if not kept:
            raise MissingError("there is no such run here; it may have been removed")
        return home

    def view(self, name: str) -> RunView:
        """A run in short."""
        return RunView(**self._short(name))

    def detail(self, name: str) -> RunDetail:
        """A run with its front and course."""
        seen, course = self._look(name), self._look(name).follower.course
        points = self.points(name)
        return RunDetail(
            **self._short(name),
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
        """All points of the map, of those that were tried only what came *since*."""
        seen = self._look(name)
        course, record, goal = seen.follower.course, seen.record, self.goal(name)
        tried = [
            (round(file.loss, DECIMALS), round(file.risk, DECIMALS))
            for file in course.tried[since:]
        ]
        if not course.tried and record is not None:
            tried = [(p["loss"], p["risk"]) for p in record["points"]["others"][since:]]
        return RunPoints(
            front=_distinct(course, record),
            tried=tried,
            simple=_simple(course, record),
            original=_original(course, record),
            chosen=_point(record["chosen"]) if record else None,
            max_risk=goal.get("max_risk"),
            max_loss=goal.get("max_loss"),
        )

    def course(self, name: str) -> Course:
        """What the journal of a run tells by now."""
        return self._look(name).follower.course

    def record(self, name: str) -> Plain | None:
        """The record of the release, where there is one."""
        return self._look(name).record

    def plan(self, name: str) -> Plain:
        """What the run depends on."""
        plan = self._look(name).plan
        if plan is None:
            raise RunError(f"{name} has not begun yet; wait a little")
        return plan

    def goal(self, name: str) -> dict[str, Any]:
        """What was asked of a run, from here or by the command line."""
        request, plan = self.queue.request(name), self._look(name).plan
        goal = dict(request.goal) if request else {}
        if plan is not None:
            asked = plan["parameters"].get("requirement", {})
            goal |= {n: asked[n] for n in ("k", "l", "t") if n in asked}
            goal |= {f"max_{n}": limit for n, limit in plan.get("bounds", {}).items()}
            goal["seconds"] = plan["budget"].get("seconds")
            goal["files"] = plan["budget"].get("evaluations")
        return {name: value for name, value in goal.items() if value is not None}

    def stop(self, name: str) -> None:
        """Ask a run to stop; one that has not begun to search is taken back."""
        view = self.view(name)
        if view.state in ("waiting", "starting"):
            self.queue.cancel(name)
        elif view.state == "running":
            ask_to_stop(self.home(name))
        else:
            raise RunError(f"{name} is not running; there is nothing to stop")

    def _names(self) -> set[str]:
        return {p.parent.name for kind in (PLAN, REQUEST) for p in self.folder.glob(f"*/{kind}")}

    def _look(self, name: str) -> _Seen:
        home = self.home(name)
        seen = self._seen.setdefault(name, _Seen(Follower(home)))
        seen.follower.look()
        if seen.plan is None and (home / PLAN).exists():
            seen.plan = plan_in(home)
        try:
            stamp = (home / RECORD).stat().st_mtime_ns
        except OSError:
            stamp = 0
        if stamp != seen.stamp:
            seen.stamp, seen.record = stamp, record_in(home) if stamp else None
            seen.plan = plan_in(home)
        return seen

    def _short(self, name: str) -> dict[str, Any]:
        seen, request = self._look(name), self.queue.request(name)
        course = seen.follower.course
        state, reason = self._state(name, seen, request)
        front = _distinct(course, seen.record)
        number = course.suggested if seen.record is None else seen.record["chosen"]["point"]
        return {
            "name": name,
            "file": request.title if request else _file_name(seen.plan),
            "file_id": request.file if request else "",
            "search": seen.plan["search"] if seen.plan else "portfolio",
            "state": state,
            "reason": reason,
            "place": self._place(name) if state == "waiting" else 0,
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

    def _state(self, name: str, seen: _Seen, request: Request | None) -> tuple[str, str]:
        ended = seen.follower.course.ended
        if request is not None and request.waits:
            return "waiting", ""
        if request is not None and self.queue.is_alive(name):
            return ("running" if seen.plan else "starting"), ""
        said = self.queue.complaint(name) if request is not None else ""
        if seen.plan is None:
            return "failed", said or "its process ended before it began to search"
        if ended is not None:
            return ended.how.value, ended.reason or said
        if self._is_busy(name, seen):
            return "running", ""
        return "broken off", said or "its process ended without a word; continue from what was kept"

    def _is_busy(self, name: str, seen: _Seen) -> bool:
        """Whether another program works on a run; looked at now and then."""
        now = time.monotonic()
        if now - seen.probed > PROBED:
            seen.busy, seen.probed = is_worked_on(self.folder / name), now
        return seen.busy

    def _place(self, name: str) -> int:
        waiting = self.queue.waiting()
        return waiting.index(name) + 1 if name in waiting else 0


def _file_name(plan: Plain | None) -> str:
    return Path(plan["input"]["path"]).name if plan else ""


def _signed(record: Plain | None) -> str:
    """Who signed the release; choosing another point takes the date away, and so the word."""
    said = record.get("statement", {}) if record else {}
    return str(said["by"]) if said.get("by") and said.get("date") else ""


def _changed(home: Path) -> float:
    stamps = [home, home / JOURNAL, home / REQUEST, home / RECORD]
    return max((p.stat().st_mtime for p in stamps if p.exists()), default=0.0)


def _distinct(course: Course, record: Plain | None) -> list[PointView]:
    """The front as it stands; once more exactly where it was released."""
    if record is not None and course.ended is not None:
        return [_point(point) for point in record["points"]["front"]]
    return [
        PointView(
            point=p.point,
            file=p.point if p.file is None else p.file,
            search=p.search,
            method=p.method,
            loss=round(p.loss, DECIMALS),
            risk=round(p.risk, DECIMALS),
        )
        for p in course.front
    ]


def _simple(course: Course, record: Plain | None) -> list[PointView]:
    if record is not None:
        return [_point(point) for point in record["points"]["simple"]]
    return [
        PointView(
            point=0,
            file=0,
            search="grid",
            method=name,
            loss=round(file.loss, DECIMALS),
            risk=round(file.risk, DECIMALS),
        )
        for name, file in course.simple.items()
    ]


def _original(course: Course, record: Plain | None) -> PointView | None:
    if record is not None:
        return _point(record["points"]["original"])
    if course.before is None:
        return None
    risk = round(course.before, DECIMALS)
    return PointView(point=0, file=-1, search="", method="the original file", loss=0.0, risk=risk)


def _point(note: Plain) -> PointView:
    file: int | None = note.get("file")
    return PointView(
        point=note["point"],
        file=note["point"] if file is None else file,
        search=note["search"],
        method=note["method"],
        loss=round(note["loss"], DECIMALS),
        risk=round(note["risk"], DECIMALS),
    )
