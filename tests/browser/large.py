"""A run as its journal would tell it after ten thousand files, for tests and measurements."""

import json
import random
from pathlib import Path
from typing import Any

PLAN = (
    'search = "portfolio"\n[input]\npath = "large.csv"\n[budget]\nseconds = 600.0\n[parameters]\n'
)
TURNS = 100


def large_run(folder: Path, tried: int = 10_000, front: int = 200) -> None:
    """Write the folder of such a run; it works on nothing."""
    folder.mkdir(parents=True)
    (folder / "plan.toml").write_text(PLAN)
    rng = random.Random(7)
    points = [
        {"point": i, "search": "files", "method": f"cells changed {i} times",
         "loss": 100 * i / front, "risk": 100 * (1 - i / front) ** 2}
        for i in range(front)
    ]  # fmt: skip
    lines: list[dict[str, Any]] = [{"event": "began", "phase": "searching", "text": "searching"}]
    for number in range(TURNS):
        some = [[rng.uniform(0, 100), rng.uniform(0, 100)] for _ in range(tried // TURNS)]
        lines.append(turn(number, some, points if number == TURNS - 1 else points[:2]))
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / ".lock").touch()


def turn(number: int, tried: list[list[float]], front: list[dict[str, Any]]) -> dict[str, Any]:
    """What the journal says of one turn."""
    return {
        "event": "turn", "round": number, "member": "files", "files": len(tried) * (number + 1),
        "share": number / TURNS, "seconds": number, "left": TURNS - number,
        "shares": {"files": 100.0}, "suggested": 1, "front": front, "tried": tried, "before": 99.0,
    }  # fmt: skip
