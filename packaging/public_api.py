"""Writes the public interface of evomask as lines, for the test that compares it with the last.

`python packaging/public_api.py` writes `packaging/public-api.txt`.
"""

import inspect
import re
from pathlib import Path

import evomask

PATH = Path(__file__).with_name("public-api.txt")


def interface() -> list[str]:
    """Return a line for every public name, method and field, with its signature."""
    return [line for name in evomask.__all__ for line in _lines(name, getattr(evomask, name))]


def _lines(name: str, value: object) -> list[str]:
    if not inspect.isclass(value):
        return [f"evomask.{name}{_signature(value)}"]
    members = [member for member in sorted(dir(value)) if not member.startswith("_")]
    return [
        f"evomask.{name}{_signature(value)}",
        *(
            f"evomask.{name}.{member}{_signature(found)}"
            for member in members
            if not hasattr(Exception, member)
            for found in [inspect.getattr_static(value, member)]
        ),
    ]


def _signature(value: object) -> str:
    function = getattr(value, "__func__", value)
    if not callable(function):
        return ""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return ""
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    text = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


if __name__ == "__main__":
    PATH.write_text("\n".join(interface()) + "\n", encoding="utf-8")
