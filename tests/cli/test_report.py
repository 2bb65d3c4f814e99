import json
from pathlib import Path

import pytest


@pytest.fixture
def release(evomask, people, tmp_path):
    folder = tmp_path / "release"
    words = ("--quasi", "age,income", "--seed", 5, "--evaluations", 12, "--json", "--quiet")
    assert evomask("protect", people, *words, "--out", folder).code == 0
    return folder


MADE = ("report-internal.html", "report-public.html", "record.json", "record-public.json")


def contents(folder):
    return {name: (folder / name).read_bytes() for name in MADE}


def test_the_reports_are_written_again_to_the_same_bytes(evomask, release):
    before = contents(release)
    for name in MADE:
        if name != "record.json":
            (release / name).unlink()
    assert evomask("report", release).code == 0
    assert contents(release) == before


def test_the_same_seed_makes_the_same_reports(evomask, release, people, tmp_path):
    again = tmp_path / "again"
    words = ("--quasi", "age,income", "--seed", 5, "--evaluations", 12, "--json", "--quiet")
    evomask("protect", people, *words, "--out", again)
    assert contents(again) == contents(release)


def test_what_a_person_says_is_in_the_reports(evomask, release):
    said = ("--reason", "asked for by the archive", "--by", "A Steward", "--date", "1 May")
    answer = json.loads(evomask("report", release, *said, "--json").out)
    assert answer["statement"]["reason"] == "asked for by the archive"
    internal, public = (Path(path).read_text(encoding="utf-8") for path in answer["reports"])
    assert "asked for by the archive" in internal
    assert "asked for by the archive" not in public
    assert "A Steward" in public


def test_what_was_said_is_kept(evomask, release):
    evomask("report", release, "--reason", "asked for by the archive")
    evomask("report", release)
    page = (release / "report-internal.html").read_text(encoding="utf-8")
    assert "asked for by the archive" in page


def test_a_reason_belongs_to_the_point_it_was_given_for(evomask, release):
    evomask("report", release, "--reason", "asked for by the archive", "--by", "A Steward")
    points = json.loads((release / "record.json").read_bytes())["points"]
    other = next(p for p in points["front"] if p["point"] != points["chosen"]["point"])
    assert evomask("choose", release, "--pick", other["point"], "--quiet").code == 0
    told = json.loads((release / "record.json").read_bytes())["statement"]
    assert (told["reason"], told["by"]) == ("", "A Steward")


def test_people_are_told_which_report_may_be_published(evomask, release):
    assert "to publish" in evomask("report", release).out


def test_a_folder_without_a_run_is_refused(evomask, tmp_path):
    answer = evomask("report", tmp_path, "--json")
    assert answer.code == 1
    assert "holds no record.json" in json.loads(answer.out)["error"]
