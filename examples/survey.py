"""The bundled survey (3,000 people of a country that does not exist), from file to release.

    python examples/survey.py [FOLDER [SECONDS]]

Like `make demo`, but from Python: strata, edit rules and hierarchies come from its schema.
"""

import sys
from pathlib import Path

from evomask.runs.example import write_example

from evomask.masking.guarantees.requirement import Requirement
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, choose, protect_file


def main(folder: Path, seconds: float | None = 30, evaluations: int | None = None) -> Path:
    """Protect the survey, then release the point of the least loss with half the risk or less."""
    survey, schema, *_ = write_example(folder)
    job = ProtectJob(
        Input(survey, schema),
        folder / "release",
        Requirement(k=5),
        seconds=seconds,
        evaluations=evaluations,
    )
    done = protect_file(job)
    print(f"suggested: loss {done.chosen.loss:.1f} %, risk {done.chosen.risk:.1f} %")
    other = choose(job.folder, "max-risk=50")
    print(f"risk of 50 % at most: loss {other.chosen.loss:.1f} %, risk {other.chosen.risk:.1f} %")
    return other.written.path


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["survey-output"]), float(*sys.argv[2:3] or [30]))
