"""The way from the command to the written release, as ARCHITECTURE.md tells it."""

import inspect
import re
import sys
from pathlib import Path

import evomask
from evomask.runs import release
from evomask.runs.protect import protect_file
from tests.runs.test_protect import job_for, write_town

SOURCES = Path(evomask.__file__).parent
PAGE = Path(__file__).parents[2] / "ARCHITECTURE.md"
ROOMS = {"runs", "engine", "report"}
MOST = 28


def modules_entered(run, monkeypatch):
    """Modules of the rooms above the tools whose functions run before the release is written."""
    entered, written = set(), []
    write_table = release.write_table

    def noticed(*arguments, **named):
        written.append(write_table(*arguments, **named))
        return written[-1]

    def look(frame, event, _):
        if event == "call" and not written and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            entered.add(frame.f_code.co_filename)

    monkeypatch.setattr(release, "write_table", noticed)
    sys.setprofile(look)
    try:
        run()
    finally:
        sys.setprofile(None)
    ours = (path for path in map(Path, entered) if path.is_relative_to(SOURCES))
    names = (path.relative_to(SOURCES).with_suffix("").as_posix() for path in ours)
    return {name for name in names if name.split("/")[0] in ROOMS}


def test_the_walk_of_protect_is_the_one_that_is_told(tmp_path, monkeypatch):
    write_town(tmp_path)
    job = job_for(tmp_path, "run", evaluations=12, searches=("recipes", "partition"))
    walked = modules_entered(lambda: protect_file(job), monkeypatch)
    section = PAGE.read_text(encoding="utf-8").split("## The path of `protect`")[1].split("## ")[0]
    listed = re.findall(r"^\| `([a-z_/]+)` \|", section, re.MULTILINE)
    assert walked == set(listed)
    assert len(listed) <= MOST
