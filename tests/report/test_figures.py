import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from evomask.data.chart import Axis, Chart, HeatMap, Line, Series
from evomask.report.drawing import COLOURS, svg

X, Y = Axis("generation"), Axis("score (percent)")
POINTS = (1.0, 2.0, 3.0)
CHARTS = {
    "lines": Chart(
        "evolution",
        "Scores fall",
        "Both scores fall.",
        X,
        Y,
        (
            Series("best", "line", POINTS, (9.0, 6.0, 5.0), low=(8, 5, 4), high=(10, 7, 6)),
            Series("mean", "steps", POINTS, (12.0, 9.0, 8.0)),
        ),
        lines=(Line("aim", y=4.0),),
    ),
    "points": Chart(
        "front",
        "Front",
        "Three files stand on the front.",
        Axis("loss", logarithmic=True),
        Axis("risk"),
        (Series("ours", "points", POINTS, (9, 6, 5), (8, 5, 4), (9, 7, 6), ("A", "B", "C")),),
    ),
    "bars": Chart(
        "methods",
        "Methods",
        "PRAM loses less.",
        Axis("method", ("pram", "mdav", "swap")),
        Y,
        (
            Series("loss", "bars", (0, 1, 2), (1, 2, 3)),
            Series("risk", "bars", (0, 1, 2), (3, 2, 1)),
        ),
    ),
    "paths": Chart(
        "uses",
        "Uses",
        "Three points, one of them chosen.",
        Axis("use", ("risk", "loss")),
        Y,
        (
            Series("front", "paths", (0, 1, 0, 1), (1, 9, 8, 2)),
            Series("chosen", "paths", (0, 1), (4, 5)),
        ),
    ),
    "heat": Chart(
        "design",
        "Grid",
        "The middle is best.",
        Axis("c", ("2", "3")),
        Axis("k", ("5", "10")),
        heat=HeatMap("score", ((1.0, None), (3.0, 4.0))),
    ),
}


@pytest.fixture(params=CHARTS.values(), ids=CHARTS)
def chart(request):
    return request.param


def texts(drawing):
    return {element.text for element in ET.fromstring(drawing).iter() if element.text}


def test_the_same_chart_gives_the_same_bytes(chart):
    assert svg(chart) == svg(chart)


def test_titles_and_axes_stand_as_text(chart):
    assert {chart.title, chart.x.title, chart.y.title} <= texts(svg(chart))


def test_the_reading_is_the_description(chart):
    assert chart.reading in texts(svg(chart))


def test_no_date_is_written(chart):
    assert b"date" not in svg(chart)


def test_series_differ_in_colour_and_dash():
    drawing = svg(CHARTS["lines"]).decode()
    assert COLOURS[0] in drawing
    assert COLOURS[1] in drawing
    assert "stroke-dasharray" in drawing


def test_points_carry_their_labels():
    assert {"A", "B", "C"} <= texts(svg(CHARTS["points"]))


def test_a_legend_names_series_and_lines():
    assert {"best", "mean", "aim"} <= texts(svg(CHARTS["lines"]))


def test_a_small_chart_is_a_small_file(chart):
    assert len(svg(chart)) < 40_000


def test_bytes_do_not_depend_on_the_process():
    code = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1]);"
        "from tests.report.test_figures import CHARTS, svg;"
        "print(hashlib.sha256(svg(CHARTS['bars'])).hexdigest())"
    )
    folder = str(Path(__file__).parents[2])
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code, folder], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(hashes) == 1


def test_matplotlib_is_imported_only_when_something_is_drawn():
    code = "import sys, evomask.report.drawing; print('matplotlib' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_numbers_of_a_logarithmic_axis_are_plain():
    assert b"math" not in svg(CHARTS["points"])


def test_paths_are_lines_of_their_own():
    """Two points of the front and the chosen one: none is joined to the next."""
    drawn = svg(CHARTS["paths"]).decode()
    lines = re.findall(r'<path d="(M[^"]*)" clip-path', drawn)
    assert sorted(line.count("L") for line in lines if "stroke-dasharray" not in line)[:3] == [
        1,
        1,
        1,
    ]
