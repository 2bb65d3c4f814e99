"""Remarks computed from the rows of a reproduction: their agreement with the paper."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
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


def first_scores(rows: Rows) -> str:
    """Readings of Table 3.2: the one whose best first files score nearest to the thesis'."""
    files = [name.removesuffix(" fall ours") for name in rows[0] if name.endswith(" fall ours")]

    def first(row: Mapping[str, Any], name: str, whose: str) -> float:
        return float(row[f"{name} best {whose}"] / (1.0 - row[f"{name} fall {whose}"] / 100.0))

    def apart(row: Mapping[str, Any]) -> float:
        return sum(abs(first(row, name, "ours") - first(row, name, "paper")) for name in files)

    nearest = min(rows, key=apart)
    scores = ", ".join(
        f"{name} {first(nearest, name, 'ours'):.2f} ({first(nearest, name, 'paper'):.2f})"
        for name in files
    )
    falls = [nearest[f"{name} fall ours"] for name in files]
    return (
        "First scores are nearest to the thesis' with the loss "
        f"{nearest['loss']} and the risk of {nearest['risk']}: {scores}; "
        f"they fall by {min(falls):.0f} to {max(falls):.0f} percent."
    )


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
    return ", ".join(f"{round(value):+d}" for value in values)


def differences(rows: Rows) -> str:
    """How many printed values differ from ours, beyond rounding."""
    pairs = [pair for row in rows for pair in _pairs(row)]
    apart = sum(not is_printed(printed, ours) for printed, ours in pairs)
    if not apart:
        return "Nothing differs."
    return f"{apart} of {len(pairs)} values {'differs' if apart == 1 else 'differ'}."


def is_printed(printed: Any, ours: Any) -> bool:  # noqa: ANN401
    """Whether our value is the printed one, rounded to its decimals."""
    if isinstance(printed, (list, tuple)) and isinstance(ours, (list, tuple)):
        return len(printed) == len(ours) and all(map(is_printed, printed, ours))
    if isinstance(printed, bool) or not isinstance(printed, (int, float)):
        return bool(printed == ours)
    digits = Decimal(repr(printed)).as_tuple().exponent
    unit = 10.0 ** min(0, int(digits))
    return bool(abs(ours - printed) <= unit / 2 + 1e-9 * abs(printed))


def _pairs(row: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Printed values of a row with ours, by columns ``paper`` and ``ours`` or their endings."""
    for name, printed in row.items():
        if printed is not None and re.fullmatch(r"(.* )?paper", name):
            yield printed, row[f"{name.removesuffix('paper')}ours"]
        elif name.endswith("_paper"):
            yield printed, row[name.removesuffix("_paper")]


def counts_apart(rows: Rows) -> str:
    """Tables 2.2 to 2.5: attributes of which the thesis counts more or fewer categories."""
    by_gap: dict[int, list[str]] = {}
    for row in rows:
        ((printed, ours),) = _pairs(row)
        by_gap.setdefault(int(printed - ours), []).append(row["attribute"])
    agree = len(by_gap.pop(0, []))
    if not by_gap:
        return "Nothing differs."
    parts = [
        f"{abs(gap)} {'more' if gap > 0 else 'fewer'} of {', '.join(names)}"
        for gap, names in sorted(by_gap.items(), key=lambda item: abs(item[0]))
    ]
    return (
        f"{agree} of {len(rows)} attributes agree; the thesis counts categories in addition to "
        f"ours or fewer: {'; '.join(parts)}."
    )


def printed_matrices(rows: Rows) -> str:
    """Tables 4.8 to 4.11: the matrices whose values are the printed ones."""
    same = [row["matrix"] for row in rows if all(is_printed(*pair) for pair in _pairs(row))]
    return f"All values are the printed ones of: {', '.join(same) or 'no matrix'}."


def risks_and_utilities(rows: Rows) -> str:
    """Tables 4.10 and 4.11: risks as printed, and the order of utilities."""
    risks = [r["matrix"] for r in rows if is_printed(r["risk paper"], r["risk ours"])]
    printed, ours = (_order(rows, f"utility {side}") for side in ("paper", "ours"))
    how = "in the thesis' order" if printed == ours else "in another order than the thesis'"
    return (
        f"Risks are the printed ones of: {', '.join(risks) or 'no matrix'}. Utilities come {how}."
    )


def _order(rows: Rows, column: str) -> list[str]:
    return [row["matrix"] for row in sorted(rows, key=lambda row: float(row[column]))]


WORKED = (
    "files-figure-3.1", "files-table-3.1", "graphs-figure-6.2", "graphs-figure-6.3",
    "graphs-figure-6.6", "graphs-figure-6.7", "graphs-figure-6.8", "graphs-table-6.1",
    "grouping-figure-3.1", "grouping-figure-3.2", "grouping-table-2.1", "partition-example-1",
    "partition-hybrid-table-1", "partition-table-1", "pram-figure-4.1", "pram-figure-4.2",
    "pram-figure-4.3",
)  # fmt: skip
"""Worked examples and definitions: their values must be the printed ones."""

REMARKS: Mapping[str, tuple[str, Callable[[Rows], str]]] = {
    "grouping-table-5.1": (f"{AS_PRINTED}, of 5", best_groupings),
    "grouping-table-5.2": (f"{AS_PRINTED}, of 5", best_groupings),
    "grouping-table-5.3": (AS_PRINTED, hand_made_scores),
    "grouping-table-5.4": (AS_PRINTED, hand_made_scores),
    "files-attacks": ("ranks alone", attacked_files),
    "files-readings": ("risk", first_scores),
    "partition-hybrid-table-2": ("what", hybrids),
    "pram-table-4.8": ("matrix", printed_matrices),
    "pram-table-4.9": ("matrix", printed_matrices),
    "pram-table-4.10": ("matrix", risks_and_utilities),
    "pram-table-4.11": ("matrix", risks_and_utilities),
    **{f"data-table-2.{i}": ("attribute", counts_apart) for i in (2, 3, 4, 5)},
    "generalization-table-1a": ("values_paper", differences),
    **dict.fromkeys(WORKED, ("paper", differences)),
    "pram-table-4.1": ("from", differences),
    "pram-table-4.2": ("category", differences),
}
"""Remark functions by name of a reproduction, with a column that rows of older versions lack."""


def remark_from(name: str, rows: Rows) -> str:
    """Return the remark computed from the rows of a reproduction; empty if there is none."""
    column, remark = REMARKS.get(name, ("", None))
    return remark(rows) if remark and rows and column in rows[0] else ""
