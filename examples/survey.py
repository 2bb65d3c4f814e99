"""The bundled survey (3,000 people of a country that does not exist), from file to release.

    python examples/survey.py [FOLDER [SECONDS]]

Like `make demo`, but from Python: scenarios, strata, edit rules and hierarchies come from its
schema.
"""

import sys
from pathlib import Path

import evomask


def main(folder: Path, seconds: float | None = 30, evaluations: int | None = None) -> Path:
    """Protect the survey against three intruders, then release a point with less loss."""
    run = evomask.protect_file(
        evomask.example(folder),
        folder / "release",
        schema=folder / "survey.toml",
        require="k=5",
        seconds=seconds,
        evaluations=evaluations,
    )
    chosen = run.record.chosen
    print(f"suggested: loss {chosen.loss:.1f} %, risk {chosen.risk:.1f} %")
    other = run.choose(max_risk={"register": 50, "colleague": 60, "neighbour": 60}).record.chosen
    print(f"more risk allowed: loss {other.loss:.1f} %, risk {other.risk:.1f} %")
    return run.file


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["survey-output"]), float(*sys.argv[2:3] or [30]))
