"""A newcomer's two maskings by hand beside `protect`, on files without hierarchies.

By hand: numbers rounded in bands (ages to ten years and cut at 80, others to a tenth of their
range), codes without their last two digits; or noise of 10 % of each number's spread. `protect`
has the same columns and so many seconds (the first argument, 60), two workers. For each masking:
its loss and risk, the point on offer, the front's point with no more loss, and the one with no
more risk; the ratio of risks at the same loss is what counts. In the end which kinds of files
are on the fronts.
"""

import sys
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

import evomask
from evomask.api.protect import Result
from evomask.io.datasets import reference_file
from evomask.io.datasets import survey as made_up

RECORDS = 2_000
KINDS = {
    "generalization": "generalization",
    "local recoding": "generalization-local",
    "local suppression": "local-suppression",
}
"""Kinds of files by what made them."""


class Case(NamedTuple):
    """A file, what an intruder may know of it, and which of that are codes or words."""

    frame: pl.DataFrame
    numbers: tuple[str, ...]
    words: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()

    @property
    def quasi(self) -> tuple[str, ...]:
        return (*self.numbers, *self.words, *self.codes)


def survey() -> Case:
    people = made_up(RECORDS)
    return Case(people, ("age", "income"), ("sex", "education", "marital"), ("municipality",))


def adult() -> Case:
    frame = pl.read_csv(reference_file("uci/adult.csv"), infer_schema_length=None)
    words = ("sex", "race", "education", "marital-status", "occupation")
    return Case(frame.head(RECORDS), ("age", "hours-per-week"), words)


def census() -> Case:
    frame = pl.read_csv(reference_file("casc/census.csv"), infer_schema_length=None)
    return Case(frame, ("AGI", "FEDTAX", "TAXINC", "PEARNVAL", "FICA"))


def in_bands(case: Case, _: np.random.Generator) -> pl.DataFrame:
    """Rounded and cut numbers, shortened codes."""
    rounded = [_rounded(case.frame[name]) for name in case.numbers]
    cut = [case.frame[name].str.slice(0, 3) + "**" for name in case.codes]
    return case.frame.with_columns(*rounded, *cut)


def _rounded(column: pl.Series) -> pl.Series:
    values = column.to_numpy()
    if column.name == "age":
        return pl.Series(column.name, np.minimum(values, 80) // 10 * 10)
    low, high = np.nanquantile(values, [0.02, 0.98])
    step = 10.0 ** np.floor(np.log10(max(high - low, 1.0)))
    return pl.Series(column.name, np.round(values / step) * step)


def with_noise(case: Case, rng: np.random.Generator) -> pl.DataFrame:
    """Noise of 10 % of the standard deviation."""
    return case.frame.with_columns(_noisy(case.frame[name], rng) for name in case.numbers)


def _noisy(column: pl.Series, rng: np.random.Generator) -> pl.Series:
    values = column.to_numpy()
    noise = rng.normal(0, 0.1 * float(np.nanstd(values)), len(values))
    return pl.Series(column.name, np.round(values + noise))


BY_HAND: dict[str, Callable[[Case, np.random.Generator], pl.DataFrame]] = {
    "in bands": in_bands,
    "noise 10 %": with_noise,
}
CASES = {"survey": survey, "adult": adult, "census": census}


def kinds_on(result: Result[pl.DataFrame]) -> Counter[str]:
    found: Counter[str] = Counter()
    for point in result.protection.front:
        methods = {step.method for step in point.making.steps}
        for kind, name in KINDS.items():
            found[kind] += point.member == name or name in methods
    return found


def compare(name: str, case: Case, seconds: float) -> None:
    nominal = (*case.words, *case.codes)
    frame = case.frame.select(case.quasi)
    case = case._replace(frame=frame)
    result = evomask.protect(
        frame, quasi=case.quasi, nominal=nominal, seconds=seconds, seed=7, workers=2
    )
    trees = {code: evomask.hierarchy(frame, code, "codes") for code in case.codes}
    known = evomask.Schema(quasi=case.quasi, nominal=nominal, hierarchies=trees)
    front = [(point.loss, point.risk) for point in result.protection.front]
    chosen = next(p for p in result.protection.front if p.point == result.offers["balanced"])
    print(f"{name}: {len(frame)} records, {len(case.quasi)} columns, {seconds:g} s")
    print(f"  on offer: loss {chosen.loss:.1f}, risk {chosen.risk:.1f} %")
    for title, by_hand in BY_HAND.items():
        masked = by_hand(case, np.random.default_rng(3))
        read = evomask.measure(frame, masked, schema=known, measures=["dbrl"])
        no_more_loss = [risk for loss, risk in front if loss <= read.loss]
        no_more_risk = [loss for loss, risk in front if risk <= read.risk]
        at_loss = min(no_more_loss, default=float("nan"))
        at_risk = min(no_more_risk, default=float("nan"))
        print(
            f"  {title}: loss {read.loss:.1f}, risk {read.risk:.1f} %; at no more loss risk "
            f"{at_loss:.1f} % ({at_loss / read.risk:.2f}), at no more risk loss {at_risk:.1f} %"
        )
    told = ", ".join(f"{kind} {count}" for kind, count in kinds_on(result).items())
    print(f"  of {len(front)} points: {told}", flush=True)


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    for name in sys.argv[2:] or CASES:
        compare(name, CASES[name](), seconds)
