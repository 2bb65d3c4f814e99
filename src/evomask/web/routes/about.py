"""What serves, which version it is, and how much it bears."""

from importlib.metadata import version

from fastapi import APIRouter

from evomask.web.answers import About
from evomask.web.routes.served import PROBLEMS, Here

router = APIRouter(prefix="/api", tags=["about"], responses=PROBLEMS)


@router.get("/about")
async def show_about(here: Here) -> About:
    """Version, folder, how many runs work at once, cores, the largest file."""
    return About(
        version=version("evomask"),
        folder=here.folder.name,
        at_once=here.at_once,
        cores=here.cores,
        upload=here.limits.upload,
    )
