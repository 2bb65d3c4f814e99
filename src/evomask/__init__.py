"""evomask evolves protections for microdata.

Public names are imported when they are first used, so that ``evomask --help`` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evomask.api import mask as mask
    from evomask.errors import EvomaskError as EvomaskError
    from evomask.masking.mdav import Mdav as Mdav

_HOMES = {
    "EvomaskError": "evomask.errors",
    "Mdav": "evomask.masking.mdav",
    "mask": "evomask.api",
}

__all__ = ["EvomaskError", "Mdav", "mask"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"evomask has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
