"""A recipe found on one half of a file, applied to the other half, which the search never saw.

For the suggested point and others of the front: loss and risk that the recipe promises, those on
the other half, and the smallest equivalence class there, counted from the masked frame. Arguments:
seconds of the search (60) and the number of points (6). Goal: the suggested point within 2 points
of loss and risk, and k everywhere.
"""

import sys
import tempfile
from pathlib import Path

import polars as pl

import evomask
from evomask.engine.front import spread
from evomask.io.datasets import reference_file

K = 5
QUASI = ("age", "hours-per-week", "sex", "race", "education", "marital-status")


def halves() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Adult in two random halves, with what an intruder may know and the income."""
    frame = pl.read_csv(reference_file("uci/adult.csv"), infer_schema_length=None)
    frame = frame.select(*QUASI, "income").sample(fraction=1.0, shuffle=True, seed=1)
    return frame.head(len(frame) // 2), frame.tail(len(frame) - len(frame) // 2)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    seen, unseen = halves()
    result = evomask.protect(
        seen, quasi=QUASI, confidential=["income"], require=f"k={K}", seconds=seconds, workers=2,
        seed=2**61,
    )  # fmt: skip
    points = [p.point for p in result.protection.front if p.member == "recipes"]
    chosen = [result.chosen, *(p for p in spread(points, count) if p != result.chosen)]
    print(f"{len(seen)} and {len(unseen)} records, {len(points)} recipes on the front")
    print(f"{'point':>9}{'loss':>8}{'here':>8}{'risk':>8}{'here':>8}{'k here':>8}")
    for point in chosen:
        with tempfile.TemporaryDirectory() as folder:
            path = result.write_recipe(Path(folder) / "recipe.toml", point)
            applied = evomask.apply(unseen, path)
        loss, risk = applied.promised
        smallest = int(applied.masked().group_by(QUASI).len()["len"].to_numpy().min())
        mark = "*" if point == result.chosen else " "
        print(
            f"{mark}{point:>8}{loss:8.2f}{applied.loss:8.2f}{risk:8.2f}{applied.risk:8.2f}"
            f"{smallest:>8}",
            flush=True,
        )


if __name__ == "__main__":
    main()
