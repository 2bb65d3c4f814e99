"""How to repeat a run without the pages: the command to type, and the same from Python."""

import shlex
from pathlib import PurePath

from evomask.runs.kept.glance import Plain

READERS = {".parquet": "read_parquet", ".xlsx": "read_excel"}


def command_of(plan: Plain) -> str:
    """The command that would begin the same run anew; the seed stays in the plan."""
    source, budget, pick = plan["input"], plan["budget"], plan["pick"]
    options = {
        "--schema": PurePath(source.get("schema", "")).name,
        "--require": _requirement(plan),
        "--seconds": f"{budget['seconds']:g}" if "seconds" in budget else "",
        "--evaluations": str(budget.get("evaluations", "")),
        **{f"--max-{n.replace('_', '-')}": f"{v:g}" for n, v in plan.get("bounds", {}).items()},
        "--pick": pick if pick not in ("best", "suggested") else "",
        "--out": "release",
    }
    words = [word for option, value in options.items() if value for word in (option, value)]
    return shlex.join(["evomask", "protect", _file(plan).name, *words])


def python_of(plan: Plain, record: Plain | None) -> str:
    """The same for Python users, as far as columns are known by now."""
    roles = {"quasi": "quasi-identifier", "confidential": "confidential", "drop": "identifier"}
    kinds = {"ordinal": "ordinal", "nominal": "nominal"}
    attributes = record["attributes"] if record else ()
    lists = {
        **{
            word: [a["name"] for a in attributes if a["role"] == role]
            for word, role in roles.items()
        },
        **{
            word: [a["name"] for a in attributes if a["kind"] == kind]
            for word, kind in kinds.items()
        },
    }
    budget = plan["budget"]
    limits = {
        "require": _requirement(plan),
        "seconds": budget.get("seconds"),
        "evaluations": budget.get("evaluations"),
        **{f"max_{name}": value for name, value in plan.get("bounds", {}).items()},
    }
    given = {name: value for name, value in (lists | limits).items() if value}
    arguments = "".join(f"    {name}={value!r},\n" for name, value in given.items())
    reader = READERS.get(_file(plan).suffix.lower(), "read_csv")
    return (
        "import evomask\nimport polars as pl\n\n"
        f"frame = pl.{reader}({_file(plan).name!r})\n"
        f"result = evomask.protect(\n    frame,\n{arguments})\nreleased = result.masked()\n"
    )


def _requirement(plan: Plain) -> str:
    asked = plan["parameters"].get("requirement", {})
    given = {name: asked[name] for name in ("k", "l", "t") if asked.get(name, 1) != 1}
    return ",".join(f"{name}={value:g}" for name, value in given.items())


def _file(plan: Plain) -> PurePath:
    return PurePath(plan["input"]["path"])
