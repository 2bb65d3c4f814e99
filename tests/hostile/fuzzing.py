"""Hostile files for every command that reads some: only evomask's own errors may come of them."""

import io
import math
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import typer
from hypothesis import strategies as st
from typer.main import get_command

from evomask.cli.main import app
from evomask.errors import EvomaskError

COMMAND = get_command(app)
UsageError = typer.BadParameter.__mro__[2]
"""What the command line library raises for wrong usage, wherever it has it from."""

CELLS = [
    "", " ", "0", "-0.0", "1", "2", "3", "7", "1e75", "1e308", "-1e308", "1e-320", "1e999", "inf",
    "-inf", "nan", "NA", "?", "007", "+5", "1,5", "1.5", "9007199254740993", "a", "b", "ä", "\ufeff",
    '"', '""', "'", "\t", "\r", "\n", "\x00", "\x1a", "\x7f", "\u2028", "*", "[1,2]", "{a,b}", "[",
    "2020-01-01", "true", "0x1F", "=1+1", "../../x", "\U0001f600", "1" * 400,
]  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a command ended: its code and its sentence."""

    code: int
    sentence: str = ""


def called(*words: object) -> Ended:
    """Call a command in this process; whatever is no error of ours goes through."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            code = COMMAND.main([*map(str, words)], prog_name="evomask", standalone_mode=False)
        except EvomaskError as error:
            return Ended(1, str(error))
        except UsageError as error:
            return Ended(2, str(error))
        except typer.Exit as end:
            return Ended(end.exit_code)
    return Ended(int(code or 0))


def check(*words: object) -> Ended:
    """The same; what is said must be a sentence."""
    ended = called(*words)
    assert ended.code == 0 or ended.sentence.strip(), words
    return ended


edits = st.lists(
    st.tuples(st.integers(0, 2**16), st.integers(0, 3), st.binary(max_size=4)), max_size=6
)


def edited(content: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """Content with bytes replaced, put in, taken out, or cut off at places."""
    for place, kind, text in changes:
        at = place % (len(content) + 1)
        if kind == 0:
            content = content[:at] + text + content[at:]
        elif kind == 1:
            content = content[:at] + text + content[at + len(text) :]
        elif kind == 2:
            content = content[:at] + content[at + 1 + len(text) :]
        else:
            content = content[:at] if len(text) > 2 else content
    return content


cells = st.sampled_from(CELLS) | st.text(max_size=5)
COLUMNS = [
    st.integers(0, 9).map(str),
    st.integers(-(10**6), 10**6).map(lambda number: f"{number / 100:.2f}"),
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(["2020-01-01", "1999-12-31", ""]),
    cells,
]
NAMES = ["age", "income", "sex", "x", "a b", "person_id", "e-mail", "source", "target", *CELLS]


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A delimited text that is a table, nearly one, or not at all."""
    if draw(st.integers(0, 19)) == 0:
        return draw(st.binary(max_size=80))
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    kinds = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4))
    unique = draw(st.integers(0, 9)) > 0
    names = draw(
        st.lists(st.sampled_from(NAMES), min_size=len(kinds), max_size=len(kinds),
                 unique_by=(lambda name: name) if unique else None)
    )  # fmt: skip
    rows = [list(row) for row in draw(st.lists(st.tuples(*kinds), max_size=12))]
    if rows and draw(st.booleans()):
        row = draw(st.sampled_from(rows))
        row[draw(st.integers(0, len(kinds) - 1))] = draw(cells)
    end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]))
    quoted = draw(st.integers(0, 4)) > 0
    lines = [
        delimiter.join(_cell(c, delimiter, quoted=quoted) for c in row) for row in [names, *rows]
    ]
    text = end.join(lines) + draw(st.sampled_from(["", end, end * 3]))
    encodings = ["utf-8"] * 5 + ["utf-8-sig", "utf-16", "cp1252"]
    content = text.encode(draw(st.sampled_from(encodings)), "replace")
    return edited(content, draw(edits)) if draw(st.integers(0, 3)) == 0 else content


def _cell(text: str, delimiter: str, *, quoted: bool) -> str:
    if quoted and any(mark in text for mark in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


words = st.sampled_from(
    ["age", "income", "region", "nobody", "", "a.b", "../x", "n", "s", "x\ny", "\x00"]
)
EDITS = [
    "age <= income", "age = 1e400 * income", "age <", "`", "age <= age", "region < 3", "age > 0",
    "0 <= age <= 1e308", "income = 2 * age + 7", "income >= 1e-300 * age", "age < 0.5", "",
]  # fmt: skip
TABLES = ["region: mean income", "region x age: share", "age: sum age", "x", ":", "region: count",
          "region x region: mean age", "region: median nobody", "age x region: mean income"]  # fmt: skip
MODELS = ["income ~ age", "income ~ age + region", "region ~ age", "income ~ income", "~", "age ~",
          "income ~ age + age", "income ~ region", "age ~ nobody"]  # fmt: skip
LIKELY = {
    "kind": st.sampled_from(["continuous", "ordinal", "nominal"]),
    "role": st.sampled_from(
        [
            "quasi-identifier",
            "confidential",
            "identifier",
            "other",
            "weight",
            "stratum",
            "household",
        ]
    ),
    "categories": st.lists(st.sampled_from(["n", "s", "w", "x", "", "20", "21"]), max_size=4),
    "decimals": st.integers(-500, 500) | st.integers(0, 3),
    "hierarchy": st.sampled_from(["tree.csv", "none.csv", "..", "/dev/null", "\x00", "x" * 300]),
    "edits": st.lists(st.sampled_from(EDITS), max_size=3),
    "tables": st.lists(st.sampled_from(TABLES), max_size=2),
    "models": st.lists(st.sampled_from(MODELS), max_size=2),
    "delimiter": st.sampled_from([",", ";", "", "é", "\n", '"', ",,"]),
    "decimal": st.sampled_from([".", ",", "", "x"]),
    "encoding": st.sampled_from(["utf-8", "latin-1", "utf-16", "base64", "", "\x00", "x" * 300]),
    "missing": st.lists(st.sampled_from(["n", "20", "", "\n", '"']), max_size=2),
}
strange = st.one_of(
    words, st.integers(-(10**20), 10**20), st.floats(), st.booleans(), st.lists(words, max_size=3)
)
ATTRIBUTE = ["kind", "role", "categories", "decimals", "hierarchy"]
SECTIONS = {
    "rules": ["edits"], "keep": ["tables", "models"],
    "file": ["delimiter", "decimal", "encoding", "missing"],
}  # fmt: skip


@st.composite
def entries(draw: st.DrawFn, keys: list[str], most: int) -> dict[str, object]:
    """A section of a schema, one of its words in eight a strange one."""
    chosen = draw(st.lists(st.sampled_from(keys), max_size=most, unique=True))
    return {key: draw(strange if draw(st.integers(0, 7)) == 0 else LIKELY[key]) for key in chosen}


@st.composite
def schemas(draw: st.DrawFn) -> bytes:
    """A schema of strange words in the places where words go."""
    import tomli_w

    columns = st.sampled_from(["age", "income", "region"])
    names = draw(st.lists(columns if draw(st.integers(0, 7)) else words, max_size=3, unique=True))
    schema: dict[str, object] = {
        "attributes": {name: draw(entries(ATTRIBUTE, 3)) for name in names}
    }
    for name, keys in SECTIONS.items():
        if draw(st.integers(0, 2)) == 0:
            schema[name] = draw(entries(keys, 2))
    content = tomli_w.dumps(schema).encode()
    return edited(content, draw(edits)) if draw(st.integers(0, 7)) == 0 else content


@st.composite
def hierarchies(draw: st.DrawFn) -> bytes:
    """A value tree of the regions n, s and w, or of something else."""
    leaves = draw(st.permutations(["n", "s", "w"]))
    if draw(st.integers(0, 3)) == 0:
        leaves = draw(st.lists(st.sampled_from(["n", "s", "w", "", "x", '"n"', " n"]), max_size=5))
    above = st.sampled_from(["*", "n", "north", "", "x;y"]) | cells
    height = draw(st.integers(0, 3))
    lines = [";".join([leaf, *(draw(above) for _ in range(height))]) for leaf in leaves]
    content = "\n".join(lines).encode(errors="replace")
    return edited(content, draw(edits)) if draw(st.integers(0, 3)) == 0 else content


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def replaced(tree: object, path: list[int], value: object) -> object:
    """Plain data with the part that a walk ends at replaced by something else."""
    if not path or not isinstance(tree, dict | list) or not tree:
        return value
    at = path[0] % len(tree)
    if isinstance(tree, list):
        return [replaced(part, path[1:], value) if i == at else part for i, part in enumerate(tree)]
    return {
        name: replaced(part, path[1:], value) if i == at else part
        for i, (name, part) in enumerate(tree.items())
    }


def without_nothing(tree: object) -> object:
    """Plain data that TOML has words for."""
    if isinstance(tree, dict):
        return {str(k): without_nothing(v) for k, v in tree.items() if v is not None}
    if isinstance(tree, list):
        return [without_nothing(part) for part in tree if part is not None]
    return 0.5 if isinstance(tree, float) and math.isnan(tree) else tree


walks = st.lists(st.integers(0, 50), min_size=1, max_size=5)


def files_in(folder: Path) -> list[Path]:
    """The files of a run, always in the same order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())
