import json
import shutil
from pathlib import Path

import pytest

from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file


def protected(people, folder):
    """A finished job with its reports."""
    source = Input(people, quasi_identifiers=("age", "income"))
    protect_file(ProtectJob(source, folder, seed=5, evaluations=12))
    return folder


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("job")
    rows = [f"{20 + i % 7},{1000 + 37 * i},{'nsw'[i % 3]}" for i in range(20)]
    people = folder / "people.csv"
    people.write_text("age,income,region\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return people, protected(people, folder / "release")


@pytest.fixture
def release(once, tmp_path):
    return Path(shutil.copytree(once[1], tmp_path / "release"))


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


def test_the_same_seed_makes_the_same_reports(once, tmp_path):
    """But for the hash of the masked file, whose records are shuffled anew."""
    people, release = once
    again = protected(people, tmp_path / "again")
    hashes = [
        json.loads((f / "record.json").read_bytes())["output"]["sha256"] for f in (again, release)
    ]
    renamed = {
        name: content.replace(hashes[0].encode(), hashes[1].encode())
        for name, content in contents(again).items()
    }
    assert hashes[0] != hashes[1]
    assert renamed == contents(release)


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


def test_it_says_what_it_writes_unless_quiet(evomask, release):
    assert "writing the reports" in evomask("report", release).err
    quiet = evomask("report", release, "--quiet")
    assert quiet.err == ""
    assert "report-public.html" in quiet.out
