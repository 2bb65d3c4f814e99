"""Claims of section 6.5 (Marés, 2013) about its curves, tested on the rows of a study.

Each check takes the rows of the graph in question and those of the first graph, by the same k.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from evomask_graphs.charts import StudyRow
from evomask_papers.claims import Claim
from evomask_papers.graphs.inputs import TOPICS

Rows = Sequence[StudyRow]
Check = Callable[[Rows, Rows], list[Claim]]

MEASURES = "AAMIL", "CDIL", "DBIL"

MUCH = 0.25
"""A value that is lower by this share counts as much lower; the thesis gives no threshold."""

NEARLY_ALL = 0.8


def loss_of_first(rows: Rows, _: Rows) -> list[Claim]:
    """Figure 6.10: loss increases with k, that of distributions most."""
    first, last = rows[0].losses, rows[-1].losses
    grown = {name: last[name] - first[name] for name in MEASURES}
    others = max(grown[name] for name in MEASURES if name != "CDIL")
    return [_loss_rises(rows), Claim("CDIL grows fastest", grown["CDIL"] > others, grown)]


def loss_of_second(rows: Rows, first: Rows) -> list[Claim]:
    """Figure 6.11: loss is much lower than that of the first graph, and AAMIL is lowest."""
    lowest = [row.losses["AAMIL"] < min(row.losses["CDIL"], row.losses["DBIL"]) for row in rows]
    return [
        _loss_rises(rows),
        *_below(
            "loss",
            [row.losses["mean"] for row in rows],
            [row.losses["mean"] for row in first],
        ),
        Claim(
            "AAMIL is lowest for nearly all k",
            sum(lowest) >= NEARLY_ALL * len(rows),
            {"share of the k": sum(lowest) / len(rows)},
        ),
    ]


def risk_of_first(rows: Rows, _: Rows) -> list[Claim]:
    """Figure 6.12: all risks decrease; topics are found in their order, places rarely, all
    attributes together least."""
    mean = {name: float(np.mean([row.risks[name] for row in rows])) for name in rows[0].risks}
    topics = [mean[name] for name in TOPICS]
    return [
        _risk_falls(rows),
        Claim(
            "the first topic is found most often, then the second, then the third",
            topics[0] > topics[1] > topics[2],
            mean,
        ),
        Claim(
            "the location is found more rarely than any topic",
            mean["location"] < min(topics),
            mean,
        ),
        Claim(
            "topics together are found more rarely than each", mean["topics"] < min(topics), mean
        ),
        Claim("all attributes are found more rarely still", mean["all"] < mean["topics"], mean),
    ]


def risk_of_second(rows: Rows, first: Rows) -> list[Claim]:
    """Figure 6.13: as for the first graph, but all risks are lower."""
    names = list(rows[0].risks)
    values, others = (
        [row.risks[name] for name in names for row in given] for given in (rows, first)
    )
    return [*risk_of_first(rows, first), *_below("risk", values, others)[:1]]


def microdata_of_first(rows: Rows, _: Rows) -> list[Claim]:
    """Figure 6.14: loss increases slightly while risk decreases faster."""
    first, last = rows[0].microdata, rows[-1].microdata
    risen, fallen = last["loss"] - first["loss"], first["risk"] - last["risk"]
    moved = {"rise of loss": risen, "fall of risk": fallen}
    return [
        Claim("loss rises with k", rises(row.microdata["loss"] for row in rows), moved),
        Claim("risk falls with k", falls(row.microdata["risk"] for row in rows), moved),
        Claim("risk falls by more points than loss rises", fallen > risen, moved),
        Claim(
            "risk falls by a larger share of its first value",
            fallen * first["loss"] > risen * first["risk"],
            moved,
        ),
    ]


def microdata_of_second(rows: Rows, first: Rows) -> list[Claim]:
    """Figure 6.15: as for the first graph, but both are much lower."""
    return microdata_of_first(rows, first) + [
        claim
        for what in ("loss", "risk")
        for claim in _below(
            what,
            [row.microdata[what] for row in rows],
            [row.microdata[what] for row in first],
        )
    ]


def _loss_rises(rows: Rows) -> Claim:
    ends = {"from": rows[0].losses["mean"], "to": rows[-1].losses["mean"]}
    return Claim("loss rises with k", rises(row.losses["mean"] for row in rows), ends)


def _risk_falls(rows: Rows) -> Claim:
    """Return whether each kind of risk decreases, and the names of those that do not."""
    names = [name for name in rows[0].risks if not falls(row.risks[name] for row in rows)]
    but = f" (not: {', '.join(names)})" if names else ""
    last = {name: rows[-1].risks[name] - rows[0].risks[name] for name in rows[0].risks}
    return Claim(f"risk falls with k in all cases{but}", not names, last)


def _below(what: str, values: Sequence[float], others: Sequence[float]) -> list[Claim]:
    """Return whether each value is below that of the first graph, and by how much."""
    pairs = list(zip(values, others, strict=True))
    lower = sum(value < other for value, other in pairs)
    much = sum(value <= (1 - MUCH) * other and value < other for value, other in pairs)
    return [
        Claim(
            f"{what} is below the first graph's throughout ({lower} of {len(pairs)} values)",
            lower == len(pairs),
            {"values": len(pairs), "below": lower},
        ),
        Claim(
            f"{what} is lower by a quarter or more ({much} of {len(pairs)})",
            much == len(pairs),
            {"values": len(pairs), "much lower": much},
        ),
    ]


def falls(values: Iterable[float]) -> bool:
    """Whether values decrease (rank correlation with position), and the last is below the first."""
    return rises(-value for value in values)


def rises(values: Iterable[float]) -> bool:
    """Whether values increase (rank correlation with position), and the last is above the first."""
    from scipy.stats import spearmanr

    line = list(values)
    if not line[-1] > line[0]:
        return False
    return bool(spearmanr(range(len(line)), line).statistic > 0.5)
