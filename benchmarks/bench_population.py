"""Population uniques estimated from samples of populations in which they are known.

Samples of 1, 5 and 20 % of Adult, for five sets of quasi-identifiers, and of a made-up million with
dependent attributes. The error is that of the estimated number of population uniques, in percent of
the true number; the mean is over the samples. Usage: bench_population.py [SAMPLES] [DATA FOLDER].
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from evomask.data.classes import classes_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.io.datasets import reference_folder
from evomask.measures.disclosure.population import (
    Estimate,
    cells_of,
    choose_estimate,
    estimate_uniques,
)

ADULT = (
    ("age", "sex", "race", "marital-status"),
    ("age", "sex", "race", "marital-status", "education"),
    ("age", "sex", "education", "occupation", "native-country"),
    ("age", "sex", "race", "marital-status", "education", "occupation"),
    ("age", "workclass", "education", "marital-status", "occupation", "race", "sex",
     "native-country"),
)  # fmt: skip
SHARES = (0.01, 0.05, 0.2)
MODELS = ("chosen", "independence", "two-way", "interpolated", "pitman", "zayatz", "snb")
MILLION = 1_000_000


def table_of(columns: dict[str, np.ndarray]) -> Table:
    """A table of nominal quasi-identifiers."""
    attributes, codes = [], {}
    for name, values in columns.items():
        texts, codes[name] = np.unique(values, return_inverse=True)
        categories = tuple(map(str, texts))
        attributes.append(Attribute(name, Kind.NOMINAL, Role.QUASI_IDENTIFIER, categories))
    return Table(Schema(tuple(attributes)), codes)


def made_up(people: int, seed: int) -> Table:
    """People of municipalities of very unequal size: jobs go with schools, schools with age."""
    rng = np.random.default_rng(seed)
    place = rng.zipf(1.3, people).clip(1, 400)
    age = rng.gamma(7, 6, people).round().clip(0, 99)
    school = rng.binomial(7, 0.25 + 0.3 * (age < 45))
    job = np.minimum(rng.geometric(0.15, people) + (school > 3) * rng.integers(0, 9, people), 40)
    marital = np.where(age < 20, 0, rng.integers(0, 5, people) * (rng.random(people) < 0.6))
    sex = rng.integers(0, 2, people)
    return table_of(
        {"place": place, "age": age, "sex": sex, "school": school, "job": job, "marital": marital}
    )


def samples(population: Table, share: float, number: int) -> Iterator[Table]:
    for seed in range(number):
        rng = np.random.default_rng([seed, round(1000 * share)])
        size = round(share * len(population))
        yield population.take(rng.choice(len(population), size, replace=False))


def errors(
    population: Table, names: tuple[str, ...], share: float, number: int
) -> dict[str, float]:
    """Mean absolute error of each model in percent, with the seconds of a sample."""
    truth = int(np.sum(classes_of(population, names).sizes == 1))
    found: dict[str, list[float]] = {model: [] for model in MODELS}
    started = time.perf_counter()
    for sample in samples(population, share, number):
        estimates: dict[str, Estimate] = estimate_uniques(cells_of(sample, names), len(population))
        estimates["chosen"] = estimates[
            choose_estimate(sample, names, len(population), estimates)[0]
        ]
        for model, estimate in estimates.items():
            found[model].append(100 * abs(estimate.uniques - truth) / truth)
    means = {model: float(np.mean(values)) for model, values in found.items() if values}
    return {"uniques": truth, **means, "seconds": (time.perf_counter() - started) / number}


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else reference_folder()
    cases: list[tuple[str, Table, tuple[str, ...]]] = []
    if folder is None:
        print("Adult is not here; set EVOMASK_DATA to the folder of the reference data")
    else:
        frame = pl.read_csv(folder / "uci/adult.csv")
        adult = table_of({name: frame[name].to_numpy() for name in {n for k in ADULT for n in k}})
        cases += [(f"adult, {len(names)} attributes", adult, names) for names in ADULT]
    million = made_up(MILLION, 1)
    cases += [
        ("million, 4 attributes", million, ("place", "age", "sex", "marital")),
        ("million, 6 attributes", million, million.schema.names),
    ]
    print(f"{'':<22}{'share':>6}{'uniques':>9}", *(f"{m:>13}" for m in MODELS), f"{'s':>6}")
    rows = []
    for title, population, names in cases:
        for share in SHARES:
            row = errors(population, names, share, number)
            rows.append(row)
            cells = [f"{row[m]:13.1f}" if m in row else f"{'-':>13}" for m in MODELS]
            head = f"{title:<22}{100 * share:5.0f}%{row['uniques']:9.0f}"
            print(head, *cells, f"{row['seconds']:6.1f}", flush=True)
    for model in MODELS:
        values = [row[model] for row in rows if model in row]
        within = np.mean(np.array(values) <= 20)
        print(f"{model:<14} mean error {np.mean(values):8.1f} %, {within:.0%} of rows within 20 %")


if __name__ == "__main__":
    main()
