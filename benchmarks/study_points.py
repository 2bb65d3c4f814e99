"""Which point of a front should be suggested? Rules by loss and risk, judged from outside.

``python benchmarks/study_points.py [KEPT [FILE...]]``: fronts of real runs of `protect` (k = 5
required, a small budget), some points of each judged by models, tables and attacks that share
no code with loss and risk. Readings are kept in the folder KEPT and read from there again; the
two files held out are judged when they are named, or with ``all``.

How a rule wins was written before anything was judged. Outside loss is the mean of the lost skill
of models, of confidence intervals that no longer overlap and of table error; outside risk the
larger of linkage by nearest neighbours and inference by boosted trees beyond other people. Six
stewards weigh the two as stewards do: evenly, loss
twice, risk twice, by the worse of both, the least loss with a risk of at most 20 % (one in
five), and of at most 9 % (one in eleven). What a steward finds at fault in a point, less
what is at fault in the best point of the same front, is that steward's regret; who breaks a
limit has a harm of 100 and what it is broken by. The rule with the least mean regret over files
and stewards wins; two files that had no say are looked at after.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from evomask.data.classes import classes_of
from evomask.engine.specialists import searches_for
from evomask.masking.enforce.requirement import Requirement
from evomask.report.protection import Protection
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_table
from evomask.searches.base import SearchInput
from outside_files import FILES, HELD_OUT, StudyFile
from outside_judges import Judges

Row = dict[str, float]
Rule = Callable[[Sequence[Row], float], Row]

EVALUATIONS, SEED, K = 150, 1, 5
SEARCHES = ("grid", "grouping", "generalization")
COLUMNS = (
    "loss", "risk", "k", "typical", "skill", "intervals", "tables", "nearest", "inference",
    "membership",
)  # fmt: skip
POINTS = 7
"""Points of a front that are judged besides those that rules choose."""


def _least(rows: Sequence[Row], key: Callable[[Row], float]) -> Row:
    return min(rows, key=lambda row: (key(row), row["loss"]))


def _within(rows: Sequence[Row], limit: float) -> Row:
    """The least loss within a limit of risk; where none is within, the least risk."""
    allowed = [row for row in rows if row["risk"] <= limit]
    return _least(allowed, lambda r: r["loss"]) if allowed else _least(rows, lambda r: r["risk"])


def _knee(rows: Sequence[Row], _: float) -> Row:
    plane = np.array([[row["loss"], row["risk"]] for row in rows])
    spread = np.maximum(np.ptp(plane, axis=0), 1e-9)
    return rows[int(np.argmin(((plane - plane.min(axis=0)) / spread).sum(axis=1)))]


RULES: Mapping[str, Rule] = {
    "minimax": lambda rows, _: _least(rows, lambda r: max(r["loss"], r["risk"])),
    "minimax, risk by the original's": lambda rows, own: _least(
        rows, lambda r: max(r["loss"], 100 * r["risk"] / own)
    ),
    "knee": _knee,
    "smallest sum": lambda rows, _: _least(rows, lambda r: r["loss"] + r["risk"]),
    "nearest to 0, 0": lambda rows, _: _least(rows, lambda r: np.hypot(r["loss"], r["risk"])),
    "risk at most 10": lambda rows, _: _within(rows, 10.0),
    "risk at most 20": lambda rows, _: _within(rows, 20.0),
    "risk at most 10, else smallest sum": lambda rows, own: RULES[
        "risk at most 10" if min(r["risk"] for r in rows) <= 10 else "smallest sum"
    ](rows, own),
    "risk at most 30": lambda rows, _: _within(rows, 30.0),
    "at most a quarter of the original's": lambda rows, own: _within(rows, own / 4),
    "at most half of the original's": lambda rows, own: _within(rows, own / 2),
}


def outside_loss(row: Row) -> float:
    return float(np.mean([max(0.0, row[name]) for name in ("skill", "intervals", "tables")]))


def outside_risk(row: Row) -> float:
    return max(row["nearest"], row["inference"])


def _limited(limit: float) -> Callable[[Row], float]:
    def harm(row: Row) -> float:
        over = outside_risk(row) - limit
        return outside_loss(row) if over <= 0 else 100.0 + over

    return harm


STEWARDS: Mapping[str, Callable[[Row], float]] = {
    "evenly": lambda r: (outside_loss(r) + outside_risk(r)) / 2,
    "loss twice": lambda r: (2 * outside_loss(r) + outside_risk(r)) / 3,
    "risk twice": lambda r: (outside_loss(r) + 2 * outside_risk(r)) / 3,
    "the worse": lambda r: max(outside_loss(r), outside_risk(r)),
    "at most 20": _limited(20.0),
    "at most 9": _limited(9.0),
}


def _asked(file: StudyFile) -> SearchInput:
    return SearchInput(file.table, Requirement(k=K), "strict", file.lines)


def protected(file: StudyFile) -> Protection:
    """A run of the main job as a user would start it, but short."""
    job = ProtectJob(
        Input(Path(file.name)), Path(), Requirement(k=K), seed=SEED, evaluations=EVALUATIONS,
        searches=tuple(name for name in SEARCHES if name in searches_for(_asked(file))),
    )  # fmt: skip
    return protect_table(file.table, job, hierarchies=file.lines)


@dataclass(frozen=True)
class Front:
    """The points of a run by loss and risk, some of them judged, and the original's own risk."""

    own: float
    rows: list[Row]

    @property
    def judged(self) -> list[Row]:
        return [row for row in self.rows if "nearest" in row]


def judged_front(file: StudyFile) -> Front:
    """All points of a front by loss and risk, some of them by the outside judges too."""
    done, judges = protected(file), Judges(file)
    own = done.original.risk
    rows: list[Row] = [{"number": p.number, "loss": p.loss, "risk": p.risk} for p in done.front]
    wanted = {rows[i * (len(rows) - 1) // (POINTS - 1)]["number"] for i in range(POINTS)}
    wanted |= {rule(rows, own)["number"] for rule in RULES.values()}
    for row in rows:
        if row["number"] in wanted:
            row.update(judged(file, judges, done, int(row["number"])))
    return Front(own, rows)


def judged(file: StudyFile, judges: Judges, done: Protection, number: int) -> Row:
    """What the outside judges say of a point, and how many records are alike in it."""
    masked = done.files(number).masked
    sizes = classes_of(masked, file.names).sizes
    before, after = judges.loss(file.table), judges.loss(masked)
    lost = [(after[m] - before[m]) / (1.0 - before[m]) for m in ("linear", "boosted")]
    return {
        "k": float(sizes.min()),
        "typical": float(np.median(np.repeat(sizes, sizes))),
        "skill": 100.0 * float(np.mean(lost)),
        "intervals": 50.0 * after["intervals"],
        "tables": 100.0 * after["tables"],
        **judges.risk(masked),
    }


def front_of(name: str, kept: Path | None) -> Front:
    """A judged front, from the folder where it is kept if it is."""
    path = kept / f"{name}.json" if kept else None
    if path and path.exists():
        return Front(**json.loads(path.read_text()))
    front = judged_front(FILES[name]())
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(front), indent=1))
    return front


def print_choices(name: str, front: Front) -> dict[str, Row]:
    """What each rule chooses, as loss and risk and as the judges see it."""
    rows = front.judged
    print(f"\n{name}: {len(front.rows)} points, the original's risk {front.own:.1f} %")
    print(f"{'':<36}" + "".join(f"{column:>11}" for column in COLUMNS))
    chosen = {rule: choose(rows, front.own) for rule, choose in RULES.items()}
    for rule, row in chosen.items():
        print(f"{rule:<36}" + "".join(f"{row[column]:11.1f}" for column in COLUMNS))
    return chosen


def regrets(front: Front, row: Row) -> list[float]:
    """By steward, how much worse the chosen point is than the best of the front."""
    return [harm(row) - min(harm(other) for other in front.judged) for harm in STEWARDS.values()]


def print_regrets(found: Mapping[str, Mapping[str, list[float]]]) -> None:
    """Mean regret by rule: by steward, by file, over all."""
    files = list(found)
    print("\n| rule | mean | worst | " + " | ".join([*STEWARDS, *files]) + " |")
    print("|---" * (3 + len(STEWARDS) + len(files)) + "|")
    for rule in RULES:
        table = np.array([found[name][rule] for name in files])
        parts = [table.mean(), table.max(), *table.mean(axis=0), *table.mean(axis=1)]
        print(f"| {rule} | " + " | ".join(f"{part:.1f}" for part in parts) + " |")


def main() -> None:
    kept = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    wanted = sys.argv[2:] or [name for name in FILES if name not in HELD_OUT]
    found = {}
    for name in FILES if wanted == ["all"] else wanted:
        front = front_of(name, kept)
        chosen = print_choices(name, front)
        found[name] = {rule: regrets(front, row) for rule, row in chosen.items()}
    print_regrets(found)


if __name__ == "__main__":
    main()
