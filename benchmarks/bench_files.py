"""Evolved masked files: steps a second, the thesis' runs, and what a minute of ours reaches.

All seconds are CPU seconds of one process. Called with words, it runs only those parts:
``steps thesis numbers categories held-out``, and only the files named, such as ``Census``.
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.evolution.individual import ScoreRule
from evomask.evolution.stopping import Budget
from evomask.io.datasets import reference_file
from evomask.io.dialects import Dialect
from evomask.io.tables import read_table
from evomask.measures.profiles import RiskProfile
from evomask.runs.search import compare_held_out_attacks as attacks_on
from evomask.searches.files.fitness import AIMS, FileMeasures
from evomask.searches.files.genome import Coding
from evomask.searches.files.search import Algorithm, Parameters
from evomask.searches.files.steps import Steps
from evomask_papers.file_study import FilesStudy, study_files

MINUTE = 60.0
SEEDS = range(1, 6)
EIA = (
    "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES", "OTHREVENUE",
    "OTHRSALES", "TOTREVENUE", "TOTSALES",
)  # fmt: skip
DIABETES = (
    "pregnancies", "glucose", "blood_pressure", "skin_thickness", "insulin", "bmi", "pedigree",
    "age",
)  # fmt: skip
SCHOOLING = (
    "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad",
    "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
)  # fmt: skip


def numbers(path: str, names: tuple[str, ...] = (), most: int | None = None) -> Table:
    table = read_table(reference_file(path))
    table = table.only(names or table.schema.names).take(np.arange(len(table))[:most])
    roles = dict.fromkeys(table.schema.names, Role.QUASI_IDENTIFIER)
    return table.with_schema(table.schema.assigning(roles))


def categories(path: str, *names: str) -> Table:
    declared = {name: Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER) for name in names}
    if "education" in declared:
        whole = Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER, SCHOOLING)
        declared["education"] = whole
    table = read_table(reference_file(path), declared, Dialect(missing=("?",))).only(names)
    known = [table[n] < table.attribute(n).domain_size for n in names]
    return table.take(np.flatnonzero(np.all(known, axis=0)))


NUMBERS: dict[str, tuple[Callable[[], Table], float, float]] = {
    "Census": (lambda: numbers("casc/census.csv"), 70, 6.12),
    "EIA": (lambda: numbers("casc/eia.csv", EIA, 2000), 39, 10.90),
    "Tarragona": (lambda: numbers("casc/tarragona.csv"), 74, 5.59),
    "Diabetes": (lambda: numbers("uci/pima_diabetes.csv", DIABETES), 71, 6.11),
}
"""The file, and the thesis' fall of the best score in percent and to what."""

CATEGORIES: dict[str, tuple[Callable[[], Table], float, float]] = {
    "German": (
        lambda: categories("uci/german_credit.csv", "EXISTACC", "SAVINGS", "PRESEMPLOY"), 18, 28.05
    ),
    "Flare": (
        lambda: categories("uci/solar_flare.csv", "CLASS", "LARGSPOT", "SPOTDIST"), 19, 31.63
    ),
    "Adult": (
        lambda: categories("uci/adult.csv", "education", "marital-status", "occupation"), 18, 30.28
    ),
}  # fmt: skip
"""The file, and the thesis' fall of the population's mean in percent and its best score."""


def chosen(*names: str) -> list[tuple[str, Callable[[], Table]]]:
    files = {**NUMBERS, **CATEGORIES}
    return [(name, files[name][0]) for name in names if name in files]


CHANGES = 1000
"""Cells that are changed one by one before a followed state is compared with full readings."""


def study(table: Table, parameters: Parameters, budget: Budget, seed: int = 1) -> FilesStudy:
    return study_files(table, parameters, budget, seed, time.process_time)


def apart(table: Table, parameters: Parameters, found: FilesStudy) -> float:
    """How far a state that follows the best file and many more changes is from full readings."""
    coding = Coding(table, table.schema.names)
    judge = FileMeasures(coding, parameters.profile)
    file = coding.file(coding.decode(found.best))
    tracked = Steps(coding, judge.followed).tracker.begin(coding.table(file))
    rng = np.random.default_rng(1)
    for _ in range(CHANGES):
        j, record, other = rng.integers(len(file)), *rng.integers(file.shape[1], size=2)
        file[j, record] = file[j, other]
        tracked.change(int(record), coding.names[j], float(file[j, record]))
        tracked.keep()
    followed = tracked.read("loss"), tracked.value
    full = judge.full(coding.table(file))
    return max(abs(one - other) for one, other in zip(followed, full, strict=True))


def steps() -> None:
    """Elementary steps a second inside bursts, from the first file that rank swapping makes."""
    aims = {RiskProfile.PAPERS: 20_000, RiskProfile.STRICT: 8_000}
    for name, load in chosen("Census", "German"):
        table = load()
        for profile, aim in aims.items():
            coding = Coding(table, table.schema.names)
            judge = FileMeasures(coding, profile)
            burst = Steps(coding, judge.followed)
            rng = np.random.default_rng(1)
            file = coding.to_file(coding.encode(shuffled(table, rng)))
            weights = np.array(AIMS[ScoreRule.WORST])
            file, _ = burst.run(file, weights, 100, rng)
            rates = []
            for _ in range(8):
                start = time.process_time()
                file, counts = burst.run(file, weights, 4000, rng)
                rates.append(counts[-1] / (time.process_time() - start))
            rate = np.mean(rates)
            print(
                f"{name:<10}{profile:<8} {rate:8.0f} steps/s, {rate / aim:5.2f} of the aim; "
                f"slowest burst {min(rates):8.0f}"
            )


def shuffled(table: Table, rng: np.random.Generator) -> Table:
    """Three of ten cells of each attribute from another record."""
    changes = {}
    for name in table.schema.names:
        drawn = table[name][rng.permutation(len(table))]
        changes[name] = np.where(rng.random(len(table)) < 0.3, drawn, table[name])
    return table.with_columns(changes)


def thesis() -> None:
    """A thousand generations of the thesis' algorithm, the median of five seeds."""
    for name, (load, fall, to) in NUMBERS.items():
        table = load()
        parameters = Parameters(Algorithm.THESIS, RiskProfile.PAPERS, ScoreRule.MEAN)
        found = [study(table, parameters, Budget(generations=1000), seed) for seed in SEEDS]
        before = median(one.scores[0].smallest for one in found)
        after = median(one.scores[-1].smallest for one in found)
        print(
            f"{name:<10} best {before:.2f} -> {after:.2f}, "
            f"fall {median(one.fall for one in found):.1f} % (thesis {fall} %, to {to}); "
            f"population mean falls {median(one.mean_fall for one in found):.1f} %; "
            f"{median(one.seconds for one in found):.1f} s; "
            f"apart {max(apart(table, parameters, one) for one in found):.0e}"
        )


def numbers_in_a_minute() -> None:
    """Our search on the thesis' files of numbers: when it has fallen as far, and after a minute."""
    for name, (load, fall, to) in NUMBERS.items():
        table = load()
        for profile in RiskProfile:
            parameters = Parameters(Algorithm.GUIDED, profile, ScoreRule.MEAN)
            found = study(table, parameters, Budget(seconds=MINUTE))
            first = found.scores[0].smallest
            after = [reached(found, score) for score in (first * (1 - fall / 100), to)]
            what = f"thesis {fall} %, to {to}: as far after {after[0]}, as low after {after[1]}"
            told(name, profile, found, apart(table, parameters, found), what)


def categories_in_a_minute() -> None:
    """Our search on the thesis' files of categories, by the worst score."""
    for name, (load, fall, to) in CATEGORIES.items():
        table = load()
        for profile in RiskProfile:
            parameters = Parameters(Algorithm.GUIDED, profile, ScoreRule.WORST)
            found = study(table, parameters, Budget(seconds=MINUTE))
            what = f"thesis: mean falls {fall} %, best {to}"
            told(name, profile, found, apart(table, parameters, found), what)


def reached(found: FilesStudy, score: float) -> str:
    """When the best was so low."""
    seconds = 0.0
    for turn, spread in zip(found.turns, found.scores[1:], strict=True):
        seconds += turn.fitness + turn.other
        if spread.smallest <= score:
            return f"{seconds:.1f} s"
    return "more"


def told(name: str, profile: RiskProfile, found: FilesStudy, far: float, thesis: str) -> None:
    first, last = found.scores[0], found.scores[-1]
    print(
        f"{name:<10}{profile:<8} best {first.smallest:.2f} -> {last.smallest:.2f} "
        f"(-{found.fall:.1f} %), mean {first.mean:.2f} -> {last.mean:.2f} "
        f"(-{found.mean_fall:.1f} %) in {found.seconds:.0f} s, {last.generation} generations, "
        f"{found.evaluations} evaluations, apart {far:.0e}; {thesis}",
        flush=True,
    )


def held_out() -> None:
    """Attackers that were not in the fitness, on the best first file and the evolved one."""
    for name, load in chosen("Census", "German"):
        table = load()
        for profile in RiskProfile:
            parameters = Parameters(Algorithm.GUIDED, profile, ScoreRule.WORST)
            first = study(table, parameters, Budget(generations=0))
            found = study(table, parameters, Budget(seconds=MINUTE / 2))
            coding = Coding(table, table.schema.names)
            files = [coding.decode(one.best) for one in (first, found)]
            told_of = attacks_on(table, *files)
            print(f"{name} {profile}: worst score {first.scores[0].smallest:.2f} -> "
                  f"{found.scores[-1].smallest:.2f}")  # fmt: skip
            attacks: dict[str, dict[str, float]] = told_of["held_out"]  # type: ignore[assignment]
            for attack, one in attacks.items():
                print(f"    {attack:<24} {one['initial_best']:6.2f} -> {one['best']:6.2f}")


PARTS = {
    "steps": steps,
    "thesis": thesis,
    "numbers": numbers_in_a_minute,
    "categories": categories_in_a_minute,
    "held-out": held_out,
}


def main() -> None:
    said = sys.argv[1:]
    for files in (NUMBERS, CATEGORIES):
        for name in [n for n in files if n not in said and {*NUMBERS, *CATEGORIES} & {*said}]:
            del files[name]
    for name in [word for word in said if word in PARTS] or PARTS:
        print(f"== {name}")
        PARTS[name]()


if __name__ == "__main__":
    main()
