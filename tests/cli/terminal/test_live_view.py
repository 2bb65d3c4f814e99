"""What is seen while the main job runs."""

import io

import pytest

from evomask.cli.terminal.live_view import (
    Lines,
    Panel,
    sketch,
    summary_line,
    time_left,
)
from evomask.runs.store.journal import (
    Phase,
    PhaseStarted,
    PointChecked,
    PointUpdate,
    RoundFinished,
    RunProgress,
)

SWAPPED = "values swapped with others within 5 % of the ranks"
FRONT = (
    PointUpdate(3, "design", "noise", 10.0, 40.0),
    PointUpdate(7, "files", SWAPPED, 30.0, 20.0),
)


def turn(share=0.25, left=30.0, front=FRONT):
    """The fifth turn of a job."""
    return RoundFinished(
        4, "design", 12, share, 10.0, left, {"design": 75.0, "files": 25.0}, 7, front
    )


def after(*events):
    """Progress of a run after these events."""
    progress = RunProgress()
    for event in events:
        progress.take(event)
    return progress


def test_a_line_tells_budget_front_and_the_suggested_point():
    assert summary_line(after(turn())) == (
        " 25 % of the budget, 12 candidates, 2 on the front, suggested: "
        "loss 30.0 %, risk 20.0 %, 30 s left"
    )


def test_when_the_budget_is_used_up_the_audit_is_on():
    assert time_left(after(turn(share=1.1))) == "auditing"


def test_long_times_are_told_in_minutes():
    assert time_left(after(turn(left=300.0))) == "5 min left"


def test_a_turn_that_tells_of_no_points_leaves_the_front_as_it_was():
    assert after(turn()).front == FRONT
    assert after(turn(), turn(front=None)).front == FRONT


def test_the_sketch_puts_loss_to_the_right_and_risk_upwards():
    rows = sketch([(0.0, 100.0), (99.0, 1.0)], width=10, height=4).splitlines()
    assert rows[1] == " 100 ┤•" + " " * 9
    assert rows[4][6:] == " " * 9 + "•"


def test_both_axes_of_the_sketch_have_numbers():
    rows = sketch([]).splitlines()
    assert [int(row[:4]) for row in rows[1:] if row[:4].strip().isdigit()] == [100, 75, 50, 25, 0]
    assert rows[-1].split() == ["0", "25", "50", "75", "100", "loss", "%"]
    places = [rows[-1].index(number) - 6 for number in ("25", "50", "75")]
    assert places == [12, 24, 36]


def test_the_panel_shows_the_front_and_who_worked():
    console = pytest.importorskip("rich.console").Console(file=io.StringIO(), width=100)
    panel = Panel(console, "protecting")
    panel(turn())
    console.print(panel.render())
    shown = console.file.getvalue()
    assert "•" in shown
    assert "design 75 %" in shown
    assert f"suggested: {SWAPPED}" in shown
    assert "Ctrl-C stops and keeps the front" in shown


def test_every_phase_that_has_something_to_say_is_a_line(capsys):
    lines = Lines()
    lines(PhaseStarted(Phase.COMPILING, "compiling kernels"))
    lines(PhaseStarted(Phase.SEARCHING))
    assert capsys.readouterr().err == "compiling kernels\n"


def test_the_audit_tells_how_far_it_is(capsys, monkeypatch):
    monkeypatch.setattr(
        "evomask.cli.terminal.output.time.monotonic", iter([0.0, 1.0, 2.0]).__next__
    )
    Lines()(PointChecked(7, 2, 5))
    assert capsys.readouterr().err == "auditing: 2 of 5 points\n"


def test_a_panel_tells_what_goes_on_and_for_how_long_before_there_is_a_front():
    console = pytest.importorskip("rich.console").Console(file=io.StringIO(), width=100)
    panel = Panel(console, "protecting people.csv")
    console.print(panel.render())
    panel(PhaseStarted(Phase.AUDITING, "looking closely at 3 points"))
    panel(PointChecked(7, 2, 3))
    console.print(panel.render())
    shown = console.file.getvalue()
    assert "protecting people.csv (0 s of 0 s)" in shown
    assert "auditing: 2 of 3 points (0 s of 0 s)" in shown
