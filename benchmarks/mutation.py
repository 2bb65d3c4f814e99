"""Mutation score of the code that keeps guarantees: the share of small faults that tests find.

Faults are drawn at random over the parts, made one at a time in a copy of the tree, and given to
the quick tests of their part. Some faults change nothing that can be observed, so 100 % is out of
reach; compare scores of the same seed.

    python benchmarks/mutation.py [--mutants 40] [--seed 1] [--tree CHECKOUT] [--part NAME]
"""

import argparse
import ast
import copy
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import cache_from_source
from itertools import islice
from pathlib import Path

import numpy as np

from evomask.io.datasets import reference_folder

ROOT = Path(__file__).parents[1]

PARTS: dict[str, tuple[str, ...]] = {
    "masking/enforce": ("tests/masking/enforce",),
    "io/readback.py": ("tests/releases", "tests/io/test_stat_packages.py"),
    "measures/disclosure": ("tests/measures/disclosure", "tests/contracts/test_pycanon.py"),
    "runs/store": ("tests/runs/store", "tests/releases"),
}
"""Folders or files of `src/evomask`, and the quick tests that must find their faults."""

LONGEST = 10.0
"""A mutant whose tests take so many times as long as usual does not end: it is found."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """A module of a part with a fault in one line."""

    part: str
    path: Path
    line: int
    text: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}"


def changed(node: ast.AST) -> ast.AST | None:
    """Return a faulty version of a node; None if there is none for its kind."""
    node = copy.deepcopy(node)
    match node:
        case ast.Compare(ops=[first, *_]):
            node.ops[0] = COMPARISONS[type(first)]()
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            node.op = ARITHMETIC[type(op)]()
        case ast.BoolOp(op=op):
            node.op = ast.Or() if isinstance(op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            return operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ast.IfExp(test, orelse, body)
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            return ast.Constant(value + 1)
        case ast.Raise() | ast.Expr(value=ast.Call()):
            return ast.Pass()
        case _:
            return None
    return node


def sites(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Iterate over the places of a module that may be changed: parent, field, index in a list.

    Annotations and the types of aliases are left out: they do nothing when the program runs.
    """
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns"}:
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or _is_alias(child):
                continue
            if changed(child) is not None:
                yield node, name, index if isinstance(value, list) else None
            yield from sites(child)


def _is_alias(node: ast.AST) -> bool:
    """Whether a statement declares a name of a type."""
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"


def modules(tree: Path, part: str) -> list[Path]:
    """Modules of a part."""
    start = tree / "src" / "evomask" / part
    return [start] if start.is_file() else sorted(start.rglob("*.py"))


def mutant(tree: Path, part: str, path: Path, place: int) -> Mutant:
    """Make the fault at one place of a module."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    parent, name, index = next(islice(sites(module), place, None))
    value = getattr(parent, name)
    node = value if index is None else value[index]
    fault = changed(node)
    if index is None:
        setattr(parent, name, fault)
    else:
        value[index] = fault
    text = ast.unparse(ast.fix_missing_locations(module))
    before, after = (ast.unparse(each) for each in (node, fault) if each)
    return Mutant(part, path.relative_to(tree), node.lineno, text, before, after)


@dataclass
class Copy:
    """A copy of a tree in which faults are made and tests run."""

    folder: Path

    @classmethod
    def of(cls, tree: Path, folder: Path) -> "Copy":
        for name in ("src", "tests", "docs", "examples", "benchmarks"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(tree / name, folder / name, ignore=ignored)
        shutil.copy(tree / "pyproject.toml", folder)
        return cls(folder)

    def passes(self, part: str, seconds: float | None = None) -> bool:
        """Whether the tests of a part pass, in time."""
        options = ("-q", "-x", "-p", "no:cacheprovider", "-m", "not slow and not browser")
        command = [sys.executable, "-m", "pytest", *options, *PARTS[part]]
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "src")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if data := reference_folder():
            environment["EVOMASK_DATA"] = str(data)
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            self.output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return False
        return process.returncode == 0

    def finds(self, mutant: Mutant, seconds: float) -> bool:
        """Whether a test fails for a mutant."""
        path = self.folder / mutant.path
        original = path.read_text(encoding="utf-8")
        compiled = Path(cache_from_source(str(path)))
        compiled.unlink(missing_ok=True)
        path.write_text(mutant.text, encoding="utf-8")
        try:
            return not self.passes(mutant.part, seconds)
        finally:
            path.write_text(original, encoding="utf-8")
            compiled.unlink(missing_ok=True)


def sample(tree: Path, parts: list[str], count: int, seed: int) -> Iterator[Mutant]:
    """Draw *count* mutants, equally many of each part."""
    for number, part in enumerate(parts):
        rng = np.random.default_rng([seed, list(PARTS).index(part)])
        every = [
            (path, place)
            for path in modules(tree, part)
            for place, _ in enumerate(sites(ast.parse(path.read_text(encoding="utf-8"))))
        ]
        size = min(len(every), count // len(parts) + (number < count % len(parts)))
        for drawn in sorted(rng.choice(len(every), size, replace=False)):
            yield mutant(tree, part, *every[drawn])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout whose code is tested")
    parser.add_argument("--part", choices=PARTS, action="append", help="this part only")
    asked = parser.parse_args()
    parts = asked.part or list(PARTS)
    drawn = list(sample(asked.tree, parts, asked.mutants, asked.seed))
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        tree = Copy.of(asked.tree, Path(folder) / "tree")
        for part in parts:
            began = time.perf_counter()
            if not tree.passes(part):
                sys.exit(f"the tests of {part} fail without a fault:\n{tree.output[-3000:]}")
            longest = 60 + LONGEST * (time.perf_counter() - began)
            chosen = [mutant for mutant in drawn if mutant.part == part]
            missed = [mutant for mutant in chosen if not tree.finds(mutant, longest)]
            found = len(chosen) - len(missed)
            score = 100 * found / max(1, len(chosen))
            print(f"{part:<22}{found:4} of {len(chosen):3} found, {score:5.1f} %", flush=True)
            for mutant in missed:
                print(f"  missed {mutant}", flush=True)


if __name__ == "__main__":
    main()
