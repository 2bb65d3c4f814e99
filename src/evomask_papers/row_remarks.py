"""Remarks computed from the rows of a reproduction: their agreement with the paper."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]

AS_PRINTED = "as printed"


def best_groupings(rows: Rows) -> str:
    """Tables 5.1 and 5.2 of the grouping thesis: numbers that agree, and better groupings."""
    same = sum(int(row[f"{AS_PRINTED}, of 5"]) for row in rows)
    other = [row for row in rows if row[f"{AS_PRINTED}, of 5"] < 5]
    apart = ", ".join(
        f"k = {row['k']} by {row['score ours'] - row['score paper']:+.2f}" for row in other
    )
    found = f" GOMM found groupings of another score for {apart}." if other else ""
    return f"{same} of {5 * len(rows)} numbers are the printed ones.{found}"


def hand_made_scores(rows: Rows) -> str:
    """Tables 5.3 and 5.4 of the grouping thesis: scores that agree, and rows that do not."""
    made = [row for row in rows if row["grouping"] != "GOMM"]
    same = sum(row[AS_PRINTED] == "yes" for row in made)
    found = [row["score ours"] - row["score paper"] for row in rows if row["grouping"] == "GOMM"]
    others = dict.fromkeys(str(row["grouping"]) for row in made if row[AS_PRINTED] == "no")
    why = (
        f" Others are of {', '.join(others)}: appendix A seems to print other groups than were run."
        if others
        else ""
    )
    return (
        f"Of the hand-made groupings {same} of {len(made)} scores are the printed ones, cut off "
        f"after one decimal.{why} GOMM's are {min(found):+.2f} to {max(found):+.2f} apart."
    )


def attacked_files(rows: Rows) -> str:
    """Section 3.5: the gain from knowing the masking method over linkage by ranks."""
    parts = []
    for kind in ("swapped", "microaggregated", "evolved"):
        gains = [_gain(row) for row in rows if str(row["file"]).startswith(kind)]
        parts.append(f"{min(gains):+.1f} to {max(gains):+.1f} points on {kind} files")
    return f"What knowing the swapping window gains over ranks alone: {', '.join(parts)}."


def _gain(row: Mapping[str, Any]) -> float:
    return float(row["made for swapping"] - row["ranks alone"])


def hybrids(rows: Rows) -> str:
    """Table 2 of the paper on the hybrid: sums of squares compared with the paper's."""
    apart: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["what"] in ("one-step", "two-step"):
            apart.setdefault((row["file"], row["what"]), []).append(
                100.0 * (row["ours"] / row["paper"] - 1.0)
            )
    files = dict.fromkeys(name for name, _ in apart)
    return (
        "Sums of squares above the paper's, in percent for K = 12, 18 and 27: "
        + "; ".join(
            f"{name} {_percents(apart[name, 'one-step'])} in one step, "
            f"{_percents(apart[name, 'two-step'])} in two"
            for name in files
        )
        + "."
    )


def _percents(values: Sequence[float]) -> str:
    return ", ".join(f"{value:+.0f}" for value in values)


REMARKS: Mapping[str, tuple[str, Callable[[Rows], str]]] = {
    "grouping-table-5.1": (f"{AS_PRINTED}, of 5", best_groupings),
    "grouping-table-5.2": (f"{AS_PRINTED}, of 5", best_groupings),
    "grouping-table-5.3": (AS_PRINTED, hand_made_scores),
    "grouping-table-5.4": (AS_PRINTED, hand_made_scores),
    "files-attacks": ("ranks alone", attacked_files),
    "partition-hybrid-table-2": ("what", hybrids),
}
"""Remark functions by name of a reproduction, with a column that rows of older versions lack."""


def remark_from(name: str, rows: Rows) -> str:
    """Return the remark computed from the rows of a reproduction; empty if there is none."""
    column, remark = REMARKS.get(name, ("", None))
    return remark(rows) if remark and rows and column in rows[0] else ""
