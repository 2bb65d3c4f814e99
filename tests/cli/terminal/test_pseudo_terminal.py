"""Signs of life and Ctrl-C, as somebody at a terminal meets them."""

import os

import numpy as np
import pytest

from evomask.io.datasets import write_survey
from evomask.runs.protect import choose
from evomask.runs.store.run_folder import RunFolder
from tests.cli.terminal.pseudo import in_terminal

SILENCE, ENDING = 3.0, 5.0
INTERRUPTED = 130
MOMENTS = 20


@pytest.fixture
def survey(tmp_path):
    write_survey(tmp_path, 1500, seed=1)
    return tmp_path


@pytest.fixture
def idle():
    """Times say nothing on a machine that has other work."""
    if os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip("the machine is too busy to time anything")


def protecting(folder, out, seconds):
    words = ("--schema", folder / "survey.toml", "--require", "k=3", "--seconds", seconds)
    return ("protect", folder / "survey.csv", *words, "--out", folder / out)


def test_ctrl_c_is_answered_and_ends_the_command(survey):
    session = in_terminal(*protecting(survey, "run", 60), interrupt_after=0.5, sign="protecting")
    assert session.code in (130, -9)
    assert "stopping" in session.text.split("^C")[1]


@pytest.mark.slow
def test_no_phase_is_silent_for_long(survey, idle):
    jobs = [
        protecting(survey, "run", 20),
        ("choose", survey / "run", "--pick", "knee"),
        ("report", survey / "run", "--by", "A. Steward"),
        ("audit", survey / "run" / "masked" / "survey.csv", "--original", survey / "survey.csv",
         "--schema", survey / "survey.toml"),
        ("resume", survey / "run"),
    ]  # fmt: skip
    silences = {words[0]: in_terminal(*words).silence for words in jobs}
    assert max(silences.values()) < SILENCE, silences


@pytest.mark.slow
def test_ctrl_c_at_random_moments_ends_soon_and_keeps_the_front(survey, idle):
    moments = np.random.default_rng(1).uniform(0.5, 25, MOMENTS)
    for place, moment in enumerate(moments):
        folder = survey / f"run-{place}"
        session = in_terminal(*protecting(survey, folder.name, 20), interrupt_after=moment)
        assert session.asked is None or session.seconds_to_end < ENDING, moment
        assert session.code == (0 if session.asked is None else INTERRUPTED), session.text
        if RunFolder(folder).snapshot_files():
            assert choose(folder, "knee").written.records > 0
