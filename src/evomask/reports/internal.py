"""The internal report: what was tried, what was chosen, and what it costs, on one page.

It is for those who hold the records: it tells the seed and the risks. One file, static
pictures, no scripts; it never shows a record's values.
"""

from collections.abc import Iterable
from math import ceil

from evomask.data.chart import Chart
from evomask.record.public import PublicMatrix
from evomask.record.record import (
    AttackNote,
    AttributeNote,
    MatrixNote,
    PointNote,
    ReleaseRecord,
    RiskNote,
    SearchNote,
)
from evomask.reports import charts
from evomask.reports.assessment import LEARNED, PARTS, question_of, residual_risks
from evomask.reports.models import contribution_rows, model_rows
from evomask.reports.pages import page

MOST_SPREADS = 60
"""Attributes that are drawn; the record holds the others."""

ERRORS = ("table_error", "model_error")
"""What the table of the front has besides loss and risk, where something must survive."""

WITHOUT_PARENTS = ("first", "next", "node")
"""What the first population, the grid and nodes looked at by number came by."""

MOST_LISTED = 60
MOST_FIGURES = 40
"""Figures of one table or model that are shown; the record holds the others."""

FEW_CATEGORIES, MOST_CATEGORIES = 6, 30


def internal_page(record: ReleaseRecord) -> str:
    """The internal report of a release as one page of HTML."""
    drawn = [charts.spread_chart(spread, record.minimum) for spread in record.spreads]
    shown = {spread.attribute for spread in record.spreads}
    return page(
        "internal.html",
        {
            "record": record,
            "map": charts.map_chart(record.points),
            "uses": charts.uses_chart(record.points),
            "front": evenly(record.points.front, record.chosen),
            "errors": [name for name in ERRORS if getattr(record.chosen, name) is not None],
            "most_figures": MOST_FIGURES,
            "gone": list(_gone(record.attributes)),
            "verdicts": {name: _holds(record, name) for name in record.required},
            "search_charts": _present(
                charts.evolution_chart(record.searches),
                charts.shares_chart(record.searches),
            ),
            "operators": [
                (search.name, *row) for search in record.searches for row in _bred(search)
            ],
            "residual": residual_risks(record),
            "risk_parts": list(_risk_parts(record.points.original.parts, record.chosen.parts)),
            "models": list(model_rows(record)),
            "risk_charts": _risk_charts(record),
            "contributions": contribution_rows(record.before, record.after),
            "attacks": list(_attacks(record.attacks)),
            "spread_charts": drawn[:MOST_SPREADS],
            "more_spreads": len(drawn[MOST_SPREADS:]),
            "hidden": [a.name for a in record.attributes if a.changed and a.name not in shown],
            "association": record.associations and charts.association_chart(record.associations),
            "matrices": drawn_matrices(map(_whole, record.matrices)),
            "large": too_large(map(_whole, record.matrices)),
        },
    )


def _risk_charts(record: ReleaseRecord) -> list[Chart]:
    both = record.before, record.after
    return [
        *charts.record_risk_charts(*both, record.minimum),
        *charts.household_risk_charts(*both, record.minimum),
        *_present(charts.special_uniques_chart(*both)),
        *charts.match_risk_charts(*both, record.minimum),
    ]


def _present(*drawn: Chart | None) -> list[Chart]:
    return [chart for chart in drawn if chart is not None]


def evenly(front: tuple[PointNote, ...], chosen: PointNote) -> list[PointNote]:
    """So many points of a long front, evenly along it, with the chosen one."""
    if len(front) <= MOST_LISTED:
        return list(front)
    places = {round(i * (len(front) - 1) / (MOST_LISTED - 1)) for i in range(MOST_LISTED)}
    return [p for place, p in enumerate(front) if place in places or p.point == chosen.point]


def _gone(attributes: Iterable[AttributeNote]) -> Iterable[tuple[AttributeNote, str]]:
    """Attributes of which categories or cells are gone, and which categories in words."""
    for attribute in attributes:
        rare = f"{attribute.lost_rare} rare" if attribute.lost_rare else ""
        lost = ", ".join(filter(None, [*attribute.lost, rare]))
        if lost or attribute.suppressed:
            yield attribute, lost or "none"


def _holds(record: ReleaseRecord, name: str) -> str:
    if name not in record.achieved:
        return "not measured"
    asked, has = record.required[name], record.achieved[name]
    return "yes" if (has <= asked + 1e-9 if name == "t" else has >= asked) else "no"


def _bred(search: SearchNote) -> Iterable[tuple[str, int, int, int]]:
    """Each operator that had children: how many they were, stayed, and beat their parents."""
    for operator in search.operators:
        if operator.children and operator.name not in WITHOUT_PARENTS:
            yield operator.name, operator.children, operator.entered, operator.improved


def _risk_parts(
    before: RiskNote | None, after: RiskNote | None
) -> Iterable[tuple[str, float, float, str]]:
    """Each part of the risk that was tried, in the original and in the released file."""
    for name, meaning in PARTS.items():
        was, is_now = getattr(before, name, None), getattr(after, name, None)
        if was is not None and is_now is not None:
            yield name, was, is_now, meaning


def _attacks(attacks: Iterable[AttackNote]) -> Iterable[tuple[str, str, AttackNote]]:
    """Attacks with their question and what they mean; that of a learned model is told once."""
    explained = set()
    for attack in attacks:
        kind = attack.name.split("-")[0]
        meaning = "" if kind in explained and kind == LEARNED else f": {attack.meaning}"
        explained.add(kind)
        yield question_of(attack), meaning, attack


def _whole(matrix: MatrixNote) -> PublicMatrix:
    again = ceil(matrix.repaired)
    return PublicMatrix(matrix.attribute, matrix.categories, matrix.rows, again)


def too_large(matrices: Iterable[PublicMatrix]) -> list[str]:
    """Attributes whose matrices would not fit a page."""
    return [matrix.attribute for matrix in matrices if len(matrix.categories) > MOST_CATEGORIES]


def drawn_matrices(matrices: Iterable[PublicMatrix]) -> list[dict[str, object]]:
    """Each matrix of a readable size as a table; a large one as a chart too."""
    return [
        {
            "table": matrix,
            "chart": charts.matrix_chart(matrix)
            if len(matrix.categories) > FEW_CATEGORIES
            else None,
        }
        for matrix in matrices
        if len(matrix.categories) <= MOST_CATEGORIES
    ]
