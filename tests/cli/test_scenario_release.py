"""Scenarios from the command line to the release: limits, JSON, reports, public promises."""

import json
import shutil
from collections import Counter

import polars as pl
import pytest

from evomask.io.datasets import write_survey
from tests.cli.conftest import evomask_process

INTRUDERS = (
    "--scenario", "register: age, sex, marital",
    "--scenario", "colleague: age, sex, education, occupation",
)  # fmt: skip
KNOWN = (("age", "sex", "marital"), ("age", "sex", "education", "occupation"))


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    write_survey(folder, 400, seed=2)
    pl.read_csv(folder / "survey.csv").select(
        "age", "sex", "marital", "education", "occupation", "health"
    ).write_csv(folder / "few.csv")
    return folder / "few.csv"


@pytest.fixture(scope="module")
def release(survey):
    out = survey.parent / "release"
    process = evomask_process(
        "protect", survey, "--quasi", "age,sex,marital,education,occupation",
        "--confidential", "health", *INTRUDERS, "--require", "k=3", "--evaluations", 60,
        "--seed", 5, "--max-risk", "register=100,colleague=100", "--out", out, "--json", "--quiet",
    )  # fmt: skip
    return out, json.loads(process.communicate(timeout=600)[0])


@pytest.fixture
def copied(release, tmp_path):
    """A copy of the run folder that a test may change."""
    shutil.copytree(release[0], tmp_path / "release")
    return tmp_path / "release"


def test_what_is_required_holds_in_every_scenario(release):
    written = pl.read_csv(release[1]["masked"], infer_schema=False)
    for names in KNOWN:
        assert min(Counter(written.select(names).iter_rows()).values()) >= 3


def test_the_answer_has_every_scenario_before_and_after(release):
    found = {one["scenario"]: one for one in release[1]["scenarios"]}
    assert set(found) == {"register", "colleague"}
    first = found["register"]["rows"][0]
    assert first["quantity"] == "re-identification"
    assert first["after"] < first["before"]
    assert first["people_before"] == round(first["before"] * 4)
    assert "would find" in found["colleague"]["sentence"]


def risks(answer):
    """The risk of the chosen point in each scenario: its largest part."""
    return {
        one["scenario"]: max(
            row["after"] for row in one["rows"] if not row["quantity"].startswith("people")
        )
        for one in answer["scenarios"]
    }


def test_a_limit_by_scenario_chooses_the_least_loss_within_it(release, copied, evomask):
    front = sorted(release[1]["front"], key=lambda point: point["risk"])
    limit = front[len(front) // 2]["risk"] + 0.01
    chosen = evomask(
        "choose", copied, "--max-risk", f"register={limit},colleague={limit}", "--json", "--quiet"
    )
    found = json.loads(chosen.out)
    assert max(risks(found).values()) <= limit
    allowed = [point["loss"] for point in front if point["risk"] <= limit]
    assert found["chosen"]["loss"] <= min(allowed) + 0.01
    assert "a risk in scenario register of at most" in found["reason"]


def test_a_point_chosen_by_limits_of_scenarios_keeps_its_number(release, copied, evomask):
    front = release[1]["front"]
    limit = f"register={front[-1]['risk'] + 1},colleague=100"
    words = ("choose", copied, "--json", "--quiet")
    first = json.loads(evomask(*words, "--max-risk", limit).out)
    again = json.loads(evomask(*words, "--point", first["chosen"]["point"]).out)
    assert [p["file"] for p in again["front"]] == [p["file"] for p in first["front"]]
    assert again["chosen"]["file"] == first["chosen"]["file"]


def test_limits_that_no_point_respects_are_an_error_that_names_the_nearest(copied, evomask):
    answer = evomask("choose", copied, "--max-risk", "register=0,colleague=0", "--quiet")
    assert answer.code == 3
    assert "no point has a risk in scenario register of at most 0 %" in answer.out
    assert "the nearest, point" in answer.out


def test_a_limit_in_an_unknown_scenario_is_an_error(copied, evomask):
    answer = evomask("choose", copied, "--max-risk", "spy=5", "--quiet")
    assert answer.code == 1
    assert "'spy', and there is none of this name; there is register, colleague" in answer.err


def test_the_report_is_printed_in_markdown(release, evomask):
    answer = evomask("report", release[0], "--markdown")
    assert answer.code == 0
    assert "| register | age, sex and marital | k = 3 |" in answer.out


def test_the_public_report_promises_by_scenario(release):
    page = (release[0] / "report-public.html").read_text(encoding="utf-8")
    assert "Against an intruder who knows age, sex and marital" in page
