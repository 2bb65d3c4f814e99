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
from evomask.runs.parts.protecting import RecipeJob

Job = PartsJob | GeneralizeJob | RecipeJob
KINDS: dict[object, Any] = {"mask": PartsJob, "protect": GeneralizeJob, "recipes": RecipeJob}
"""What is begun in a folder, as its plan calls it."""


def job_in(folder: Path, key: Path | None = None) -> Job:
    """The job that was begun in a folder, to be given again.

    Args:
        key: file of the key that signs the work; a plan names none.
    """
    refuse_links(folder)
    told = dict(plan_in(folder).job)
    try:
        job: Job = msgspec.convert(
            {**told, "out": str(folder)},
            KINDS[told.pop("kind", "")],
            dec_hook=lambda wanted, text: wanted(text),
        )
    except (msgspec.ValidationError, KeyError, TypeError):
        raise RunError(
            f"{folder / PLAN} does not tell what was begun; give the same command again to go on"
        ) from None
    if key is None:
        return job
    if isinstance(job, PartsJob):
        raise RunError("masked parts are signed by nobody; leave out --key-file")
    return replace(job, key=key)


def recipes_in(folder: Path, key: Path | None = None) -> RecipeJob:
    """The job in a folder whose recipes were tried, of which another can be chosen."""
    job = job_in(folder, key)
    if isinstance(job, RecipeJob):
        return job
    made = (
        "masked by one method" if isinstance(job, PartsJob) else "generalized with the least loss"
    )
    raise RunError(f"the file in {folder} was {made}; there is no other point to choose")
