"""The page of `evomask measure --page`: k-marginals, similarity and analyses of a masked file."""

from collections.abc import Sequence

from evomask.data.chart import Axis, Chart, HeatMap
from evomask.measures.analyses.estimates import AnalysisComparison
from evomask.measures.loss.marginals import Marginals
from evomask.measures.loss.similarity import Similarity
from evomask.report.pages import MOST_FIGURES, render_page

MOST_COLUMNS = 30
"""Columns of the chart of pairs, those that differ most."""

MOST_LISTED = 15
"""Pairs of columns that the page lists."""


def similarity_page(
    name: str, loss: float, risk: float, near: Similarity, kept: Sequence[AnalysisComparison]
) -> str:
    """Render the comparison of a masked file with its original as one HTML page."""
    return render_page(
        "similarity.html",
        {
            "name": name,
            "loss": loss,
            "risk": risk,
            "near": near,
            "pairs": near.marginals.pairs[:MOST_LISTED],
            "chart": marginals_chart(near.marginals),
            "kept": kept,
            "most_figures": MOST_FIGURES,
        },
    )


def marginals_chart(marginals: Marginals) -> Chart | None:
    """Total variation distance of the table of every pair of columns; None without pairs."""
    if not marginals.pairs:
        return None
    totals: dict[str, float] = {}
    known: dict[tuple[str, str], float] = {}
    for pair in marginals.pairs:
        for first, second in ((pair.first, pair.second), (pair.second, pair.first)):
            totals[first] = totals.get(first, 0.0) + pair.difference
            known[first, second] = round(pair.difference, 1)
    names = tuple(sorted(totals, key=lambda one: -totals[one])[:MOST_COLUMNS])
    worst = marginals.pairs[0]
    return Chart(
        "marginals",
        "Difference of the table of every pair of columns",
        f"The table of {worst.first} and {worst.second} differs most: {worst.difference:.1f} % of "
        "its records are in another cell.",
        Axis("column", names),
        Axis("column", names),
        heat=HeatMap(
            "total variation distance, %",
            tuple(tuple(known.get((row, column)) for column in names) for row in names),
            (0.0, max(1.0, worst.difference)),
        ),
    )
