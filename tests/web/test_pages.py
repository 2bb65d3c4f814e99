"""The pages render, with the defaults of the option declaration."""

import json
import re

import msgspec
import pytest

from evomask.runs.options import DEFAULT_SECONDS, readable_endings
from evomask.runs.store.journal import (
    CandidateScore,
    Journal,
    NoteAdded,
    Phase,
    PhaseStarted,
    PointUpdate,
    RoundFinished,
)
from evomask.web.app import STATIC
from tests.web.test_runs import short_stream as short_stream


def test_the_budget_of_the_goal_page_is_the_default(client, town):
    page = client.get(f"/files/{town}/goal").text
    field = page.partition('name="minutes"')[2].partition(">")[0]
    assert f'value="{DEFAULT_SECONDS / 60:g}"' in field


def test_the_upload_offers_all_readable_formats(client):
    page = client.get("/").text
    assert all(ending in page for ending in readable_endings())


@pytest.mark.parametrize("screen", ["columns", "risk"])
def test_pages_of_a_file_render(client, town, screen):
    assert client.get(f"/files/{town}/{screen}").status_code == 200


@pytest.mark.parametrize("screen", ["search", "compare", "release"])
def test_pages_of_a_run_render(client, run, screen):
    assert client.get(f"/runs/{run}/{screen}").status_code == 200


HOSTILE = "<img src=x onerror=alert(1)>\n\nevent: ended\ndata: {}\n\n"
SINKS = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc"
    "|javascript:"
)


def test_scripts_make_elements_and_texts_and_never_markup():
    for script in STATIC.glob("*.js"):
        assert not re.search(SINKS, script.read_text(encoding="utf-8")), script.name


def test_the_live_page_shows_hostile_texts_of_a_run_as_texts(client, served, run, short_stream):
    home = served.folder / run
    (home / "journal.jsonl").unlink()
    point = PointUpdate(1, HOSTILE, HOSTILE, 20.0, 30.0, scenario=HOSTILE, file=0)
    turn = RoundFinished(
        0, HOSTILE, 1, 0.5, 1.0, 1.0, {HOSTILE: 100.0}, 1, (point,), (CandidateScore(1.0, 2.0),)
    )
    journal = Journal(home / "journal.jsonl")
    for event in (PhaseStarted(Phase.SEARCHING, HOSTILE), turn, NoteAdded(HOSTILE)):
        journal.keep(msgspec.to_builtins(event))
    page = client.get(f"/runs/{run}/search").text
    assert "<img src=x" not in page
    with client.stream("GET", f"/api/runs/{run}/events") as stream:
        lines = list(stream.iter_lines())
    assert [line for line in lines if line.startswith("event:")] == ["event: news"]
    (news,) = (json.loads(line.removeprefix("data: ")) for line in lines if line[:5] == "data:")
    assert HOSTILE.strip() in json.dumps(news, ensure_ascii=False).replace("\\n", "\n")
