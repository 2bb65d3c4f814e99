"""Going on with work on parts that was begun in a folder, by what its plan says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from evomask.errors import RunError
from evomask.runs.kept.store import refuse_links
from evomask.runs.parts.generalizing import GeneralizeJob
from evomask.runs.parts.masking import PartsJob
from evomask.runs.parts.opening import PLAN, plan_in


def job_in(folder: Path, key: Path | None = None) -> PartsJob | GeneralizeJob:
    """The job that was begun in a folder, to be given again.

    Args:
        key: file of the key that signs the work; a plan names none.
    """
    refuse_links(folder)
    told = dict(plan_in(folder).job)
    kind: Any = GeneralizeJob if told.pop("kind", "") == "protect" else PartsJob
    try:
        job: PartsJob | GeneralizeJob = msgspec.convert(
            {**told, "out": str(folder)}, kind, dec_hook=lambda wanted, text: wanted(text)
        )
    except (msgspec.ValidationError, TypeError):
        raise RunError(
            f"{folder / PLAN} does not tell what was begun; give the same command again to go on"
        ) from None
    if key is None:
        return job
    if isinstance(job, PartsJob):
        raise RunError("masked parts are signed by nobody; leave out --key-file")
    return replace(job, key=key)
