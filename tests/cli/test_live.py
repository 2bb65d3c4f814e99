"""What is seen while the main job runs."""

import io

import pytest

from evomask.cli.live import Panel, line, sketch, time_left
from evomask.masking.method import Making, Step
from evomask.portfolio.candidate import Candidate
from evomask.portfolio.state import PortfolioState
from evomask.runs.protected import Progress

SWAPS = Making((Step("rank-swapping", {"window": 5.0}, ("age",)),))
FRONT = (Candidate(3, Making(), 10.0, 40.0), Candidate(7, SWAPS, 30.0, 20.0))


def progress(used=0.25, seconds=10.0):
    return Progress(PortfolioState(front=FRONT), used, seconds, {"grid": 75.0, "files": 25.0})


def test_a_line_tells_budget_front_and_the_balanced_point():
    assert line(progress()) == (
        " 25 % of the budget, 0 files, 2 on the front, balanced: "
        "loss 30.0 %, risk 20.0 %, 30 s left"
    )


def test_when_the_budget_is_used_up_the_audit_is_on():
    assert time_left(progress(used=1.1)) == "auditing"


def test_long_times_are_told_in_minutes():
    assert time_left(progress(seconds=100.0)) == "5 min left"


def test_the_sketch_puts_loss_to_the_right_and_risk_upwards():
    rows = sketch([(0.0, 100.0), (99.0, 1.0)], width=10, height=4).splitlines()
    assert rows[1] == "│•" + " " * 9
    assert rows[4] == "│" + " " * 9 + "•"


def test_the_panel_shows_the_front_and_who_worked():
    console = pytest.importorskip("rich.console").Console(file=io.StringIO(), width=100)
    live = pytest.importorskip("rich.live").Live(console=console, auto_refresh=False)
    with live:
        Panel(live, "protecting").show(progress())
        live.refresh()
    shown = console.file.getvalue()
    assert "•" in shown
    assert "grid 75 %" in shown
    assert "balanced: values swapped with others within 5 % of the ranks" in shown
    assert "Ctrl-C stops and keeps the front" in shown
