"""Five named analyses with limits of 5 %, against the same budget without steering.

    python benchmarks/bench_steering.py [survey] [adult] [--records 2000] [--evaluations 300]

For each file `protect` runs twice with the same seed and budget: with a limit of 5 % for each
analysis, and without. Printed are the limits that the suggested point breaks, how many points of
the front meet all limits, and the loss at equal risk: of each steered point over that of the
unsteered front at no more risk.
"""

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

import evomask
from evomask.api.protect import Result
from evomask.io.datasets import reference_file
from evomask.types import Points

LIMIT = 5.0
AIM = 1.1
"""Largest loss at equal risk, over that without steering."""

SURVEY = evomask.Schema(
    quasi=["municipality", "sex", "marital", "occupation", "age", "education", "wage", "income"],
    confidential=["health"],
    ordinal=["age", "education"],
    keep_tables=["education x sex: mean wage", "marital x sex"],
    keep_models=["income ~ age + education + sex"],
    keep_indicators=["gini(income) by sex", "p90p50(wage)"],
)
ADULT = evomask.Schema(
    quasi=["age", "fnlwgt", "workclass", "education", "marital-status", "sex", "hours-per-week"],
    confidential=["occupation", "income"],
    nominal=["workclass", "education", "marital-status", "sex", "occupation", "income"],
    keep_tables=["education x sex", "marital-status: mean age"],
    keep_models=["income = >50K ~ age + education + sex + hours-per-week"],
    keep_indicators=["share(income = >50K) by education", "p90p10(age) by sex"],
)


def files(records: int) -> dict[str, tuple[Any, evomask.Schema]]:
    columns = {name: [*schema.quasi, *schema.confidential] for name, schema in SCHEMAS.items()}
    with TemporaryDirectory() as folder:
        people = evomask.read(evomask.example(folder, records=records))
    adult = evomask.read(reference_file("uci/adult.csv")).sample(records, seed=1)
    return {
        "survey": (people.select(columns["survey"]), SURVEY),
        "adult": (adult.select(columns["adult"]), ADULT),
    }


SCHEMAS = {"survey": SURVEY, "adult": ADULT}


def limited(schema: evomask.Schema) -> evomask.Schema:
    def texts(analyses: Iterable[str]) -> list[str]:
        return [f"{text} <= {LIMIT:g} %" for text in analyses]

    return replace(
        schema,
        keep_tables=texts(schema.keep_tables),
        keep_models=texts(schema.keep_models),
        keep_indicators=texts(schema.keep_indicators),
    )


def errors_of_points(result: Result[Any]) -> Points:
    """Error of each analysis (columns) for each point of the front (rows)."""
    points = result.front["point"].to_list()
    return np.array([[one.error for one in result.kept(point)] for point in points])


def plane(result: Result[Any]) -> Points:
    found: Points = result.front.select("loss", "risk").to_numpy()
    return found


def compare(title: str, frame: Any, schema: evomask.Schema, how: argparse.Namespace) -> bool:
    began = process_time()
    runs = {
        name: evomask.protect(
            frame, schema=own, evaluations=how.evaluations, seed=how.seed, searches=how.searches
        )
        for name, own in (("free", schema), ("steered", limited(schema)))
    }
    broken = {name: (errors_of_points(run) > LIMIT).sum(axis=1) for name, run in runs.items()}
    for name, run in runs.items():
        places = broken[name]
        chosen = run.chosen - 1
        print(
            f"{title:<8}{name:<8}: suggested loss {plane(run)[chosen][0]:5.2f}, risk "
            f"{plane(run)[chosen][1]:5.2f}, breaks {places[chosen]} of 5; front of {len(places)}: "
            f"{(places == 0).sum()} meet all limits, {(places >= 2).sum()} break two or more"
        )
    free, steered = (plane(runs[name]) for name in ("free", "steered"))
    ratios = [
        loss / best
        for loss, risk in steered
        if (best := free[free[:, 1] <= risk + 1e-9, 0].min(initial=np.inf)) < np.inf
        and broken["steered"].max() == 0
    ]
    found = (
        f"{np.median(ratios):.2f} (median), {np.max(ratios):.2f} (largest)" if ratios else "none"
    )
    print(
        f"{title:<8}loss at equal risk, steered over free: {found}; "
        f"{process_time() - began:.0f} s CPU; aim {AIM:g}"
    )
    return bool(ratios) and float(np.median(ratios)) <= AIM


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(SCHEMAS))
    parser.add_argument("--evaluations", type=int, default=300)
    parser.add_argument("--records", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--searches", nargs="*", default=[])
    how = parser.parse_args()
    given = files(how.records)
    met = [compare(name, *given[name], how) for name in how.names]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
