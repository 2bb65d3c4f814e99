"""The internal report: what was tried, what was chosen, and what it costs, on one page.

It is for those who hold the records: it tells the seed and the risks. One file, static
pictures, no scripts; it never shows a record's values.
"""

from importlib.metadata import version
from pathlib import Path

from evomask.data.chart import Axis, Chart, Series
from evomask.reports.figures import svg
from evomask.reports.pages import page
from evomask.runs.candidates import Candidate
from evomask.runs.measure import explain
from evomask.runs.protected import Protected


def write_internal(done: Protected, path: Path) -> Path:
    """Write the page and say where it is."""
    path.write_text(internal_page(done), encoding="utf-8")
    return path


def internal_page(done: Protected) -> str:
    """The page as HTML."""
    chart = risk_utility_map(done)
    return page(
        "internal.html",
        {
            "done": done,
            "version": version("evomask"),
            "attributes": [a for a in done.schema if a.role != "other"],
            "map": chart,
            "map_svg": svg(chart).decode(),
            "measures": [(explain(name), value) for name, value in done.measures.items()],
        },
    )


def risk_utility_map(done: Protected) -> Chart:
    """Every masking as a point of loss and risk, with the front and the choice."""
    others = [one for one in done.candidates if one not in done.front]
    chosen = done.chosen
    return Chart(
        "risk-utility-map",
        "Loss and risk of every masking",
        f"The chosen file has a loss of {chosen.loss:.1f} % and a risk of {chosen.risk:.1f} %, "
        f"where the original has a risk of {done.original.risk:.1f} %; "
        f"no other of {len(done.candidates)} maskings is better in the larger of the two.",
        Axis("information loss in percent"),
        Axis("disclosure risk in percent"),
        (
            _series("other maskings", others),
            _series("front", done.front),
            _series("original", [done.original]),
            _series("chosen", [chosen]),
        ),
    )


def _series(name: str, points: list[Candidate] | tuple[Candidate, ...]) -> Series:
    losses, risks = tuple(p.loss for p in points), tuple(p.risk for p in points)
    return Series(name, "points", losses, risks)
