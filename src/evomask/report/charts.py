"""The charts of a report, built from the release record."""

from collections.abc import Mapping, Sequence

from evomask.data.chart import Axis, Chart, HeatMap, Series, minimax_point, parallel_chart
from evomask.measures.analyses.analyses import ERROR_NAMES, MEAN_ERROR
from evomask.report.distributions import MINIMUM, Distribution
from evomask.report.loss_parts import LOSS_PARTS
from evomask.report.public_record import PublicAssociations, PublicLoss, PublicMatrix
from evomask.report.record import (
    Associations,
    GrowthNote,
    LossNote,
    ModelNote,
    PointNote,
    PointsNote,
    RiskCell,
    SearchNote,
)

LOSS = Axis("information loss in percent")
RISK = Axis("disclosure risk in percent")

USES = ("risk", "loss", *ERROR_NAMES.values(), MEAN_ERROR)
"""Readings that the analyses chart compares."""

SMALL_CHANGE = 0.2
"""Change of an association below which the strongest colour is not used."""


def map_chart(points: PointsNote) -> Chart:
    """Risk-utility map: candidates, Pareto front, simple methods and the chosen point."""
    chosen, original = points.chosen, points.original
    simple = {point.file for point in points.simple}
    parts = {
        "other candidates": tuple(point for point in points.others if point.file not in simple),
        "front": points.front,
        "simple methods": points.simple,
        "released instead": points.baselines,
        "original": (original,),
        "chosen": (chosen,),
    }
    return Chart(
        "risk-utility-map",
        "Risk-utility map: loss and risk of every candidate",
        f"The chosen file has a loss of {chosen.loss:.1f} % and a risk of {chosen.risk:.1f} %, "
        f"where the original has a risk of {original.risk:.1f} %; the front has "
        f"{_count(len(points.front), 'point')} of {_count(points.tried, 'candidate')} tried."
        + "".join(map(_baseline_sentence, points.baselines)),
        LOSS,
        RISK,
        tuple(_points(name, group) for name, group in parts.items() if group),
    )


def _baseline_sentence(point: PointNote) -> str:
    return (
        f" If {point.method} were released instead, the loss would be {point.loss:.1f} % and the "
        f"risk {point.risk:.1f} %."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _points(name: str, points: Sequence[PointNote]) -> Series:
    labels = {
        "simple methods": tuple(point.method for point in points),
        "released instead": tuple(point.method for point in points),
        "original": ("original",),
        "chosen": ("chosen",),
    }.get(name, ())
    losses, risks = tuple(p.loss for p in points), tuple(p.risk for p in points)
    return Series(name, "points", losses, risks, labels=labels)


def analyses_chart(points: PointsNote) -> Chart | None:
    """Parallel coordinates of loss, risk and errors of preserved analyses on the front.

    None if only loss and risk are known.
    """
    names = [n for n in USES if getattr(points.chosen, n) is not None]
    rows = {
        point.point: tuple(float(getattr(point, name)) for name in names)
        for point in (*points.front, points.chosen)
        if all(getattr(point, name) is not None for name in names)
    }
    if len(names) <= 2 or len(rows) < 2:
        return None
    values = list(rows.values())
    shown = {"chosen": list(rows).index(points.chosen.point), "balanced": minimax_point(values)}
    if shown["balanced"] == shown["chosen"]:
        del shown["balanced"]
    return parallel_chart(
        "uses",
        "Loss, risk and errors of preserved analyses of every point",
        [name.replace("_", " ") for name in names],
        values,
        shown,
    )


def comparison_chart(points: Mapping[str, tuple[float, float]], original: float | None) -> Chart:
    """Masked files by name as points of loss and risk, beside the original."""
    best = min(points, key=lambda name: max(points[name]))
    first = () if original is None else ("original",)
    losses = (*((0.0,) if first else ()), *(loss for loss, _ in points.values()))
    risks = (*(() if original is None else (original,)), *(risk for _, risk in points.values()))
    return Chart(
        "comparison",
        "Loss and risk of masked files",
        f"{best} has the smallest larger part, with a loss of {points[best][0]:.1f} % and a risk "
        f"of {points[best][1]:.1f} %.",
        LOSS,
        RISK,
        (Series("masked files", "points", losses, risks, labels=(*first, *points)),),
    )


def pair_chart(before: Mapping[str, float], after: Mapping[str, float]) -> Chart:
    """Loss, risk and its components of one masked file, beside those of its original."""
    return _bars(
        "pair",
        "Loss and risk of the original and of the masked file",
        f"The masked file has a loss of {after['loss']:.1f} % and a risk of {after['risk']:.1f} %.",
        Axis("what", tuple(after)),
        Axis("percent, lower is better"),
        {
            "original": [before.get(name, 0.0) for name in after],
            "masked": list(after.values()),
        },
    )


def evolution_chart(searches: Sequence[SearchNote]) -> Chart | None:
    """Best score of each search by the evaluations it used."""
    followed = [search for search in searches if search.evolution]
    rows = sorted(row for search in followed for row in search.evolution)
    if len(rows) < 2:
        return None
    first, last, end = rows[0][1], min(score for _, score in rows), rows[-1][0]
    return Chart(
        "evolution",
        "The best score as the searches went on",
        f"The best score, the larger of loss and risk, fell from {first:.1f} to {last:.1f} %.",
        Axis("evaluations"),
        Axis("best score in percent, lower is better"),
        tuple(
            Series(
                search.name, "steps", *_columns((*search.evolution, (end, search.evolution[-1][1])))
            )
            for search in followed
        ),
    )


def growth_chart(growth: Sequence[GrowthNote]) -> Chart | None:
    """Hypervolume of the front by the evaluations used."""
    if len(growth) < 2:
        return None
    first, last = growth[0], growth[-1]
    rows = [(row.evaluations, row.volume) for row in growth]
    return Chart(
        "growth",
        "The front as the search went on",
        f"The front grew from {_count(first.points, 'point')} with a hypervolume of "
        f"{first.volume:.1f} % to {_count(last.points, 'point')} with {last.volume:.1f} %.",
        Axis("evaluations"),
        Axis("hypervolume in percent, higher is better"),
        (Series("front", "steps", *_columns(rows)),),
    )


def fitness_chart(history: Sequence[tuple[int, float]]) -> Chart:
    """Best cost of one search by the evaluations it used."""
    return Chart(
        "fitness",
        "The best cost as the search went on",
        f"The best cost went from {history[0][1]:.4g} to {history[-1][1]:.4g}.",
        Axis("evaluations"),
        Axis("best cost, lower is better"),
        (Series("best", "steps", *_columns(history)),),
    )


def _columns(pairs: Sequence[tuple[int, float]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(float(x) for x, _ in pairs), tuple(y for _, y in pairs)


def shares_chart(searches: Sequence[SearchNote]) -> Chart | None:
    """Share of the budget and of the front of each search."""
    if len(searches) < 2:
        return None
    total = sum(search.points for search in searches) or 1
    most = max(searches, key=lambda search: search.share)
    return _bars(
        "budget",
        "Share of the budget and of the front",
        f"{most.name} got the largest part of the budget, {most.share:.0f} %.",
        Axis("search", tuple(search.name for search in searches)),
        Axis("percent"),
        {
            "of the budget": [round(search.share, 1) for search in searches],
            "of the front": [round(100.0 * search.points / total, 1) for search in searches],
        },
    )


def distribution_chart(spread: Distribution, minimum: int) -> Chart:
    """Distribution of an attribute before and after masking, or in the released file alone."""
    if not spread.before:
        return _bars(
            f"spread-{spread.attribute}",
            f"{spread.attribute} in this file",
            "Counted in the released file.",
            Axis(spread.attribute, spread.cells),
            Axis("percent of the records"),
            {"released": spread.after},
        )
    moved = sum(abs(b - a) for b, a in zip(spread.before, spread.after, strict=True)) / 2
    joined = f"; cells with fewer than {minimum} records are merged" if spread.merged else ""
    return _bars(
        f"spread-{spread.attribute}",
        f"{spread.attribute} before and after",
        f"{moved:.0f} % of the records would have to change cell to undo the difference{joined}.",
        Axis(spread.attribute, spread.cells),
        Axis("percent of the records"),
        {"before": spread.before, "after": spread.after},
    )


def attribute_loss_chart(parts: LossNote | PublicLoss) -> Chart:
    """Information loss of every masked attribute in its parts."""
    rows = {
        name: [round(getattr(one, part), 1) for part in LOSS_PARTS]
        for name, one in parts.attributes.items()
    }
    most = max(rows, key=lambda name: sum(rows[name]))
    shares = ", ".join(
        f"{part} {value:.0f} %" for part, value in zip(LOSS_PARTS, rows[most], strict=True)
    )
    return _bars(
        "attribute-loss",
        "Information loss of each masked attribute",
        f"{most} loses most: {shares}.",
        Axis("attribute", tuple(rows)),
        Axis("loss in percent"),
        {part: [row[place] for row in rows.values()] for place, part in enumerate(LOSS_PARTS)},
    )


def association_chart(associations: Associations) -> Chart:
    """Change of the association of every pair of attributes."""
    pair = associations.changes[0]
    reach = max(SMALL_CHANGE, abs(pair[3] - pair[2]))
    rows = [
        tuple(round(after - before, 2) + 0.0 for before, after in zip(*both, strict=True))
        for both in zip(associations.before, associations.after, strict=True)
    ]
    return Chart(
        "associations",
        "Change of the associations between attributes",
        f"The largest change is between {pair[1]} and {pair[0]}, from {pair[2]:.2f} to "
        f"{pair[3]:.2f}.",
        Axis("attribute", associations.attributes),
        Axis("attribute", associations.attributes),
        heat=HeatMap("after minus before", tuple(rows), (-reach, reach)),
    )


def released_association_chart(associations: PublicAssociations) -> Chart:
    """Association of every pair of attributes in the released file."""
    names, values = associations.attributes, associations.values
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    i, j = max(pairs, key=lambda pair: abs(values[pair[0]][pair[1]]))
    return Chart(
        "associations",
        "Associations between attributes in the file",
        f"{names[j]} and {names[i]} have the strongest association, {values[i][j]:.2f}.",
        Axis("attribute", names),
        Axis("attribute", names),
        heat=HeatMap("association in the file", values, (-1.0, 1.0)),
    )


def household_risk_charts(before: ModelNote, after: ModelNote, minimum: int) -> tuple[Chart, ...]:
    """Histograms of household risk, before and after."""
    both = {"before": before.households, "after": after.households}
    return tuple(
        _histogram(
            f"household-risk-{when}",
            f"Households by their risk in percent, {when}",
            f"Mean probability that a member of a household is re-identified: {risk.average:.2f} "
            f"%; cells with fewer than {minimum} households are merged.",
            ("probability that any member is re-identified in percent", "households"),
            risk.cells,
        )
        for when, risk in both.items()
        if risk is not None
    )


def match_risk_charts(before: ModelNote, after: ModelNote, minimum: int) -> tuple[Chart, ...]:
    """Histograms of the match probability of special uniques, before and after."""
    both = {"before": before.special, "after": after.special}
    return tuple(
        _histogram(
            f"match-risk-{when}",
            f"Records by their probability of a correct match in percent, {when}",
            "By its special uniqueness (DIS), a record is matched correctly with a probability of "
            f"{risk.average:.2f} % on average; cells with fewer than {minimum} records are merged.",
            ("probability of a correct match in percent", "records"),
            risk.cells,
        )
        for when, risk in both.items()
        if risk and risk.records
    )


def special_uniques_chart(before: ModelNote, after: ModelNote) -> Chart | None:
    """Minimal sample uniques by their size, before and after."""
    if before.special is None or after.special is None or not any(before.special.sets):
        return None
    sizes = range(1, max(len(before.special.sets), len(after.special.sets)) + 1)
    records = f"{before.special.records} records before and {after.special.records} after"
    most = f"up to {after.special.largest} attributes"
    return _bars(
        "special-uniques",
        "Minimal sample uniques (sets of attributes) by their size",
        f"{records} are unique on {most}; the fewer attributes, the higher the risk.",
        Axis("attributes in the set", tuple(map(str, sizes))),
        Axis("minimal sets"),
        {
            "before": [_count_of_size(before.special.sets, size) for size in sizes],
            "after": [_count_of_size(after.special.sets, size) for size in sizes],
        },
    )


def _count_of_size(counts: Sequence[int], size: int) -> float:
    return float(counts[size - 1]) if size <= len(counts) else 0.0


def record_risk_charts(before: ModelNote, after: ModelNote, minimum: int) -> tuple[Chart, Chart]:
    """Histograms of record risk: in the original, and in the released file."""
    return (
        record_risk_chart(before, minimum, "before"), record_risk_chart(after, minimum, "after"),
    )  # fmt: skip


def record_risk_chart(model: ModelNote, minimum: int = MINIMUM, when: str = "") -> Chart:
    """Histogram of record risk in one file."""
    return _histogram(
        f"record-risk-{when}" if when else "record-risk",
        f"Records by their risk in percent{', ' if when else ''}{when}",
        f"The mean re-identification risk of a record is {model.record_risk:.2f} %; cells "
        f"with fewer than {minimum} records are merged.",
        ("re-identification risk in percent", "records"),
        model.cells,
    )


def _histogram(
    name: str, title: str, reading: str, axes: tuple[str, str], cells: Sequence[RiskCell]
) -> Chart:
    ranges = tuple(f"{cell.low:g} to {cell.high:g}" for cell in cells)
    counts = [float(cell.records) for cell in cells]
    return _bars(name, title, reading, Axis(axes[0], ranges), Axis(axes[1]), {axes[1]: counts})


def matrix_chart(matrix: PublicMatrix) -> Chart:
    """Heat map of the transition matrix of an attribute."""
    stay = [row[place] for place, row in enumerate(matrix.rows)]
    ends = dict.fromkeys([f"{min(stay):.2f}", f"{max(stay):.2f}"])
    return Chart(
        f"matrix-{matrix.attribute}",
        f"Transition probabilities of {matrix.attribute}",
        f"A category stays with a probability of {' to '.join(ends)}.",
        Axis("becomes", matrix.categories),
        Axis("category", matrix.categories[: len(matrix.rows)]),
        heat=HeatMap("probability", matrix.rows, (0.0, 1.0)),
    )


def _bars(
    name: str, title: str, reading: str, x: Axis, y: Axis, series: dict[str, Sequence[float]]
) -> Chart:
    places = tuple(float(place) for place in range(len(x.categories)))
    drawn = (Series(called, "bars", places, tuple(values)) for called, values in series.items())
    return Chart(name, title, reading, x, y, tuple(drawn))
