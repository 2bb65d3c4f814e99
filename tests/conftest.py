"""What many tests share: reference data where they are, and small tables."""

import os
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from evomask.cli.main import run
from evomask.evolution.stopping import Budget
from evomask.io.datasets import reference_folder
from evomask.runs.inputs import Input
from evomask.runs.store.run_folder import make_plan
from evomask.searches.catalogue import search_named

for profile, examples in (("quick", 20), ("thorough", 200)):
    settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        derandomize=profile == "quick",  # the same examples in every run of `make test`
        suppress_health_check=[HealthCheck.too_slow],
    )
PROFILE = os.environ.get("EVOMASK_TESTS", "quick")
settings.load_profile(PROFILE)

TOY_PACKAGE = Path(__file__).parent / "toy_package"


@dataclass
class Answer:
    code: int
    out: str
    err: str


LIMITS = {"--release", "--accept-risk", "--accept-loss", "--help"}


def accepting(words):
    """Words of a command that accepts any risk and loss, unless it says what it accepts.

    Searches of tests are too short for points within the limits of a release.
    """
    words = [str(word) for word in words]
    if words[:1] in (["protect"], ["choose"]) and not LIMITS & {*words}:
        words += ["--accept-risk", "--accept-loss"]
    return words


@pytest.fixture
def evomask(monkeypatch, capsys):
    """Call the command line with words; its exit code and what it printed."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["evomask", *accepting(words)])
        try:
            run()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return Answer(code, printed.out, printed.err)

    return call


@pytest.fixture
def toy(monkeypatch):
    """The toy search in the catalogue, as an installed package brings it along."""
    monkeypatch.syspath_prepend(TOY_PACKAGE)
    yield search_named("toy")
    sys.modules.pop("evomask_toy", None)


CHARTS = (
    "api", "cli/test_verify.py", "examples", "graphs", "hostile", "releases/test_leaks.py",
    "report", "test_docs.py",
)  # fmt: skip
"""Folders and files of tests in which the charts of reports are drawn even in `make test`."""


def outline(chart):
    """Return all words of a chart as SVG, without the drawing."""
    words = [chart.title, *(line.name for line in chart.lines)]
    for axis in (chart.x, chart.y):
        words += [axis.title, *axis.categories]
    for series in chart.series:
        words += [series.name, *series.labels]
    return f"<svg>{''.join(f'<text>{escape(word)}</text>' for word in words)}</svg>".encode()


@pytest.fixture(scope="module", autouse=True)
def charts(request):
    """Charts in reports are words alone, except in tests of reports and in `make test-slow`.

    A drawing takes more time than the rest of a small release.
    """
    place = request.path.relative_to(Path(__file__).parent).as_posix()
    with pytest.MonkeyPatch.context() as patch:
        if PROFILE == "quick" and not place.startswith(CHARTS):
            patch.setattr("evomask.report.drawing.svg", outline)
        yield


@pytest.fixture(scope="session")
def reference():
    """Path of a reference file by name; the test is skipped where there is none."""
    folder = reference_folder()

    def path(name: str) -> Path:
        if folder is None:
            pytest.skip("reference data are not here; set EVOMASK_DATA to their folder")
        return folder / name

    return path


def pytest_configure(config):
    """Kernels are compiled before parallel tests, into one place for all of them."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")


@pytest.fixture
def people(tmp_path):
    """A small file of people."""
    rows = [f"{20 + i % 7},{1000 + 37 * i * i % 977},{'nsw'[i % 3]}" for i in range(40)]
    path = tmp_path / "people.csv"
    path.write_text("age,income,region\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def plan_of(toy, people):
    """A plan for the toy search on the people."""

    def make(budget=None, out=None, seed=7, **texts):
        return make_plan(
            toy, Input(people), texts, seed=seed, budget=budget or Budget(generations=12), out=out
        )

    return make


LONG = (
    "test_docs.py", "test_examples.py", "test_events.py", "test_stopping.py", "test_cache.py",
)  # fmt: skip
"""Files of tests that take longest: begun first, they do not keep others waiting."""

SLOW = (
    "test_commands_shown_in_the_documentation_run[docs/keeping.md-0]",
    "test_commands_shown_in_the_documentation_run[docs/engine.md-0]",
    "test_commands_shown_in_the_documentation_run[docs/partition.md-0]",
    "test_the_survey_is_released_without_identifiers_and_by_its_rules",
    "test_adult_is_made_5_anonymous",
    "test_no_parent_is_better[64]",
)
"""The longest tests, for `make test-slow`: others show the same ways in less time."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The longest tests are slow ones; long ones come first, so that all processes end together."""
    items.sort(key=lambda item: item.path.name not in LONG)
    for item in items:
        if item.name in SLOW:
            item.add_marker(pytest.mark.slow)
