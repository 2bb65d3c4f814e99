"""The documentation, tested against the code: what it shows runs, what it names exists."""

import importlib
import re
import shlex
import sys
from pathlib import Path

import pytest

from evomask.cli.main import app, run
from tests.test_architecture import MAY_IMPORT

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("decisions/*.md")])
RUN = [page for page in PAGES if page.name != "CONTRIBUTING.md"]


def place(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page, language):
    found = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    return [block for block in found if "# not run" not in block]


QUICK = {"README.md", "docs/guide.md"}
"""Pages whose examples `make test` runs; `make test-slow` runs those of all pages."""


def blocks_of(language):
    return [
        pytest.param(
            block,
            id=f"{place(page)}-{number}",
            marks=() if place(page) in QUICK else pytest.mark.slow,
        )
        for page in RUN
        for number, block in enumerate(blocks(page, language))
    ]


@pytest.fixture
def folder_with_example(tmp_path, monkeypatch):
    """A folder with the bundled survey in it, as the documentation assumes."""
    from evomask.io.datasets import write_survey

    write_survey(tmp_path, seed=1)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("block", blocks_of("python"))
def test_python_shown_in_the_documentation_runs(block, folder_with_example):
    exec(compile(block, "documentation", "exec"), {"__name__": "documentation"})


@pytest.mark.parametrize("block", blocks_of("sh"))
def test_commands_shown_in_the_documentation_run(block, folder_with_example, monkeypatch):
    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["evomask"]:
            assert _exit_code(words, monkeypatch) == 0, line


def _exit_code(words, monkeypatch):
    monkeypatch.setattr(sys, "argv", words)
    try:
        run()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


MOVING = sorted(ROOT.glob("docs/moving-from-*.md"))


def ours_in_tables(page):
    """The code of the second column of every table of a page."""
    rows = re.findall(r"^\| [^|]+ \| `([^|]+)` \|$", page.read_text(encoding="utf-8"), re.M)
    assert len(rows) > 20
    return rows


@pytest.mark.parametrize("page", MOVING, ids=place)
def test_every_call_beside_that_of_another_tool_runs(page, folder_with_example):
    (prepared,) = blocks(page, "python")
    names = {"__name__": "documentation"}
    exec(compile(prepared, place(page), "exec"), names)
    for code in ours_in_tables(page):
        exec(compile(code, f"{place(page)}: {code}", "exec"), names)


def test_there_are_pages_for_those_who_come_from_other_tools():
    assert [page.name for page in MOVING] == ["moving-from-arx.md", "moving-from-sdcmicro.md"]


FOR_EXTENDERS = {"extending.md", "adding-a-search.md"}


def test_users_import_evomask_alone():
    deep = [
        f"{place(page)}: {line}"
        for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
        if page.name not in FOR_EXTENDERS
        for block in blocks(page, "python")
        for line in block.splitlines()
        if re.match(r"\s*(from|import) evomask\.", line)
    ]
    assert not deep, "\n".join(deep)


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), target


def current(page):
    """What a page says of today: of a decision that was overtaken, what came since then."""
    text = page.read_text(encoding="utf-8")
    return text.rsplit("Since then", 1)[-1] if page.parent.name == "decisions" else text


def exists(path):
    return any((folder / path).exists() for folder in (ROOT, ROOT / "src/evomask"))


def is_importable(name):
    """Whether a dotted name is a module of ours, or something in one."""
    for depth in range(name.count(".") + 1, 0, -1):
        try:
            found = importlib.import_module(".".join(name.split(".")[:depth]))
        except ImportError:
            continue
        for attribute in name.split(".")[depth:]:
            found = getattr(found, attribute, None)
        return found is not None
    return False


def missing_in_pages(pattern, is_there):
    return [
        f"{place(page)}: {named}"
        for page in PAGES
        for named in dict.fromkeys(re.findall(pattern, current(page)))
        if not is_there(named)
    ]


def test_every_file_of_ours_that_a_page_names_exists():
    missing = missing_in_pages(r"(?<![\w./-])(?:[a-z_]\w*/)+\w+\.py\b", exists)
    assert not missing, "\n".join(missing)


def test_every_part_of_ours_that_a_page_names_can_be_imported():
    missing = missing_in_pages(
        r"(?<![\w./\"-])evomask(?!\.(?:commands|names|studies)\b)(?:\.[A-Za-z_]\w*)+", is_importable
    )
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_make_targets_named_in_the_documentation_exist(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)`", page.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_the_import_table_is_the_one_that_is_tested():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.split("## Who may import whom")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", section, re.M)
    told = {part: set(re.findall(r"`(\w+)`", others)) for part, others in rows}
    assert told == {part: MAY_IMPORT[part] for part in MAY_IMPORT.keys() - {"errors", "__main__"}}


def test_files_of_the_change_table_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.split("## I want to change")[1].split("\n## ")[0]
    named = re.findall(r"`([a-z_/]+\.(?:py|html|js))`", section)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / "src/evomask" / name).exists()] == []


def test_every_room_is_described():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {
        path.name for path in (ROOT / "src/evomask").iterdir() if (path / "__init__.py").exists()
    }
    assert rooms <= set(re.findall(r"^\| `(\w+)` \|", text, re.M))


def test_every_command_is_in_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = [command for command in app.registered_commands if not command.hidden]
    names = {command.name or command.callback.__name__ for command in shown}
    assert {name for name in names if f"evomask {name}" not in text} == set()
