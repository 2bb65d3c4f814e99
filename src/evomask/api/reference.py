"""Generator of the reference of the Python interface, docs/api.md, from docstrings.

``python -m evomask.api.reference > docs/api.md`` writes it; a test compares the two.
"""

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from types import FunctionType
from typing import Any, NamedTuple

import evomask

TOP = """# The Python interface
Generated from docstrings by `python -m evomask.api.reference > docs/api.md`; a test compares the
two, and runs every example in a folder with the bundled survey.

Functions take pandas, polars and pyarrow frames and return frames of the same library. All names
are in `evomask` itself, so `import evomask` is enough. Results have a short text form and an HTML
form for notebooks, and `plot()` returns a matplotlib figure. Errors derive from `EvomaskError` and
have one sentence.
"""

SECTIONS: dict[str, tuple[str, ...]] = {
    "Files": ("read", "write", "example"),
    "Column roles": (
        "Schema", "propose", "Proposal", "RolesNeededError", "hierarchy", "write_hierarchy",
    ),
    "Protecting a file": ("protect", "Result", "protect_file", "load", "KeptRun"),
    "Masking with one method": ("mask", "TrainingMasker"),
    "Running one search": ("search", "SearchResult"),
    "Measuring and auditing": (
        "measure", "Measurement", "compare", "Comparison", "audit", "AuditResult", "measure_kept",
    ),
    "Social graphs": ("protect_graph", "measure_graph"),
    "Trajectories": ("protect_trajectories", "TrajectoryResult"),
    "Methods": (
        "Mdav", "MdavGeneric", "Mondrian", "ClusteredMicroaggregation", "ClusteredGlobalMedian",
        "RankSwapping", "Pram", "MatrixPram", "FormulaPram", "IndependentNoise",
        "CorrelatedNoise", "GlobalRecoding", "TopCoding", "BottomCoding", "Generalization",
        "LocalSuppression", "Repair", "InTurn", "Stratified",
    ),
}  # fmt: skip

_MEMBERS = (property, classmethod, FunctionType)
_ARGUMENT = re.compile(r"^    (\S[^:]*): (.*)$")


class Docstring(NamedTuple):
    """The parts of a docstring: paragraphs, meaning of each argument, example."""

    paragraphs: str
    arguments: dict[str, str]
    example: str


def reference() -> str:
    """Return the whole reference as Markdown."""
    parts = [TOP]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(name, getattr(evomask, name)) for name in names]
    return "\n".join(parts).rstrip() + "\n"


def docstring_of(thing: object) -> Docstring:
    """Split the docstring of a function or class into its parts."""
    parts = re.split(r"^(Args|Example):\n", inspect.getdoc(thing) or "", flags=re.M)
    paragraphs, arguments, example = parts[0].strip(), {}, ""
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        own, rest = _indented(body)
        if name == "Args":
            arguments = _arguments(own)
        else:
            example = inspect.cleandoc(own)
        paragraphs = f"{paragraphs}\n\n{rest.strip()}".strip()
    return Docstring(paragraphs, arguments, example)


def _indented(body: str) -> tuple[str, str]:
    """Split a text into the indented lines at its beginning and the rest."""
    lines = body.splitlines()
    end = next((n for n, line in enumerate(lines) if line and line[0] != " "), len(lines))
    return "\n".join(lines[:end]), "\n".join(lines[end:])


def _arguments(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        begun = _ARGUMENT.match(line)
        if begun:
            name = begun[1]
            found[name] = begun[2]
        elif line.strip():
            found[name] += f" {line.strip()}"
    return found


def _entry(name: str, thing: Any) -> str:  # noqa: ANN401
    doc = docstring_of(thing)
    is_callable = not (inspect.isclass(thing) and _is_result(thing))
    lines = (
        [f"### {name}", f"```\n{_wrapped(_signature(name, thing))}\n```"]
        if is_callable
        else [f"### {name}"]
    )
    lines.append(_markdown(doc.paragraphs))
    if is_callable and doc.arguments:
        rows = (f"| `{n}` | {_markdown(text)} |" for n, text in doc.arguments.items())
        lines.append("\n".join(["\n| argument | meaning |", "|---|---|", *rows]))
    if inspect.isclass(thing) and name not in SECTIONS["Methods"]:
        lines += _members(thing)
    if doc.example:
        lines.append(f"\n```python\n{doc.example}\n```")
    return "\n".join(lines) + "\n"


def _is_result(thing: Any) -> bool:  # noqa: ANN401
    """Return whether a class is returned by functions rather than created by users."""
    ours = str(thing.__module__).startswith("evomask.api.")
    return ours and thing.__name__ not in {"Schema", "TrainingMasker"}


def _members(thing: Any) -> Iterator[str]:  # noqa: ANN401
    """Tabulate properties and methods of a class with the first paragraph of their docstrings."""
    public = {n: m for n, m in vars(thing).items() if not n.startswith("_")}
    rows = [_member(thing, n, m) for n, m in public.items() if isinstance(m, _MEMBERS)]
    if rows:
        yield "\n".join(["\n| member | meaning |", "|---|---|", *rows])


def _member(thing: Any, name: str, member: object) -> str:  # noqa: ANN401
    function = member.fget if isinstance(member, property) else getattr(thing, name)
    text = docstring_of(function).paragraphs.split("\n\n")[0]
    shown = name if isinstance(member, property) else _signature(name, function)
    return f"| `{shown}` | {_markdown(text)} |"


def _signature(name: str, thing: Any) -> str:  # noqa: ANN401
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_shown(thing, parameter))
        for parameter in inspect.signature(thing).parameters.values()
        if parameter.name != "self"
    ]
    plain = inspect.Signature(parameters)
    return f"{name}{plain}".replace("'", '"')


def _wrapped(signature: str) -> str:
    return textwrap.fill(signature, 96, subsequent_indent="    ", break_on_hyphens=False)


class _Dots:
    """Placeholder in a signature for the default of a field with a factory."""

    def __repr__(self) -> str:
        return "..."


def _shown(thing: Any, parameter: inspect.Parameter) -> object:  # noqa: ANN401
    default = parameter.default
    if default is inspect.Parameter.empty:
        return default
    if is_dataclass(thing) and "factory" in repr(default):
        return _Dots()
    return str(default) if isinstance(default, str) else default


def _markdown(text: str) -> str:
    return " ".join(re.sub(r"``([^`]+)``", r"`\1`", text).split(" ")).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
