"""Formulas of PRAM that travel: evolved on five files, tested on five others.

    python benchmarks/make_formulas.py train [seconds] [seed] [cache]   # writes the library
    python benchmarks/make_formulas.py test                  # prints the library on unseen files

A formula says where values go, and how many go is tried over a few shares (`change`), as with the
standard designs; its matrices are made invariant, so that frequencies stay. What evolves is the
mean, over training files and three wishes (less loss, both, less risk), of its best score over that
of the best standard design, invariant or not. The library is chosen one formula after another, each
the one that helps most where those before do not.
The files were split before the first run: five to train on, five of other sources that had no say.
Reference data through EVOMASK_DATA. Seconds are CPU seconds of one core. With a cache, a JSON file
of what was read, training can be done in pieces: the same seed comes again to where it stopped.
"""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.evolution.individual import FIRST, Outcome, Task, first_objective
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.schemes import PlusSelection
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.io.datasets import reference_file
from evomask.masking.randomization.formula_pram import (
    FORMULAS_PATH,
    Domains,
    Equation,
    FormulaPram,
    RowRule,
    hash_formulas,
    parse_equation,
    shipped_formulas,
    transitions,
)
from evomask.masking.randomization.pram import CommonDraws, Design, Pram
from evomask.measures.expected.expectation import PramEvaluation
from evomask.measures.profiles import PROFILES, RiskProfile
from evomask.searches.equations.genome import SYMBOLS, Terminals, readable_formula
from evomask.searches.equations.operators import MUTATIONS, first_equation
from evomask.searches.equations.problem import Language, Parsimonious
from evomask.types import Floats

MOST_RECORDS = 1_000
FEW_RECORDS = 500
"""Records of each file while formulas evolve; the best are then read on more."""

FINALISTS = 8
MOSTLY = 0.9
"""Of values that a formula draws, the share that may come out as they were."""
CHANGES = (0.08, 0.2, 0.45, 1.0)
WISHES = (0.35, 0.5, 0.65)
"""Weights of loss: where risk, where both alike, and where loss matters more."""

LEVELS, POPULATION, CHILDREN, PRICE = 5, 30, 12, 0.0005
"""Depth of formulas, how many stay, how many are bred, what a symbol adds to the cost."""

HOPELESS = 0.1
"""A mean above this after two files ends the reading of a formula."""

LIBRARY = 4
DRAWS, FINAL_DRAWS, UNSEEN_DRAWS = 1, 2, 3
FINE = np.linspace(0.0, 1.0, 101)
STARTS = (
    "freq_j", "1 - same", "freq_j / distance", "1 / distance", "freq_j / (distance * distance)",
    "freq_j * freq_j / distance", "(1 - same) * freq_j / freq_i", "freq_j - freq_min",
    "(1 - same) * (N - freq_i - freq_j)",
    "same * (size - 1) * (freq_i - freq_min) + (1 - same) * freq_min",
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """A public file and what of it is masked; of numbers, fifths by rank."""

    path: str
    ordinal: str = ""
    nominal: str = ""
    fifths: str = ""
    skipped: int = 0

    def table(self, most: int = MOST_RECORDS) -> Table:
        names = [*self.ordinal.split(), *self.nominal.split(), *self.fifths.split()]
        frame = pl.read_csv(reference_file(self.path), null_values="?", infer_schema_length=None)
        frame = frame.select(names).drop_nulls()
        step = max(1.0, frame.height / most)
        places = (np.arange(int(frame.height / step)) * step).astype(int) + self.skipped
        frame = frame[places.tolist()]
        for name in self.fifths.split():
            ranks = frame[name].rank("average").to_numpy()
            frame = frame.with_columns(pl.Series(name, (5 * (ranks - 0.5) // len(ranks))))
        kinds = {n: Kind.NOMINAL if n in self.nominal.split() else Kind.ORDINAL for n in names}
        declared = {n: Declaration(kind, Role.QUASI_IDENTIFIER) for n, kind in kinds.items()}
        return table_from(frame.cast(pl.String), declared)


TRAINING: Mapping[str, Source] = {
    "german": Source("uci/german_credit.csv", "EXISTACC SAVINGS PRESEMPLOY", "HOUSING STATSEX"),
    "flare": Source("uci/solar_flare.csv", "ACTIVITY EVOLUTION", "CLASS LARGSPOT SPOTDIST"),
    "adult": Source("uci/adult.csv", "education-num", "workclass marital-status race sex"),
    "pima": Source("uci/pima_diabetes.csv", fifths="pregnancies age bmi blood_pressure glucose"),
    "work": Source("uci/adult.csv", "", "occupation relationship", "age hours-per-week", 17),
}
UNSEEN: Mapping[str, Source] = {
    "household": Source("sdcmicro/testdata.csv", "", "urbrur roof walls water relat sex"),
    "census": Source("casc/census.csv", fifths="AGI FEDTAX PTOTVAL TAXINC INTVAL"),
    "eia": Source("casc/eia.csv", "MONTH", "STATE", "RESREVENUE INDSALES"),
    "foursquare": Source(
        "graphs/foursquare4/nodes.csv", "", "continent country_code", "checkins degree"
    ),
    "sinanet": Source("graphs/sinanet/nodes.csv", "", "forum topic1 topic2"),
}


@dataclass(frozen=True, eq=False)
class Judged:
    """A file with its judge: loss and risk of a method over shares of changed values."""

    name: str
    table: Table
    draws: int

    @cached_property
    def judge(self) -> PramEvaluation:
        names = self.table.schema.quasi_identifiers
        draws = CommonDraws(self.table, names, partial(draw_stream, 1))
        measures = PROFILES[RiskProfile.STRICT].measures(names)
        return PramEvaluation.of(self.table, measures, draws.masked, self.draws)

    def read(self, method: Pram | FormulaPram) -> tuple[float, float]:
        return self.judge({n: method.matrix(self.table, n) for n in method.attributes})

    @cached_property
    def as_it_is(self) -> tuple[float, float]:
        return self.read(Pram(self.table.schema.quasi_identifiers, Design.ENTROPY, 0.0))

    def formula(self, text: str, changes: Sequence[float] = CHANGES) -> Floats:
        """Loss and risk for each share; a row for each."""
        names = self.table.schema.quasi_identifiers
        return np.array(
            [self.read(FormulaPram(names, text, change, invariant=True)) for change in changes]
        )

    def standard(self, changes: Sequence[float] = CHANGES) -> list[Floats]:
        names = self.table.schema.quasi_identifiers
        return [
            np.array([self.read(Pram(names, design, change, twice)) for change in changes])
            for design in Design
            for twice in (False, True)
        ]

    def scores(self, sweep: Floats) -> Floats:
        """The best score of a sweep for each wish, shares between those read interpolated."""
        loss, risk = np.vstack([self.as_it_is, sweep]).T
        at = np.array([0.0, *CHANGES])
        losses, risks = np.interp(FINE, at, loss), np.interp(FINE, at, risk)
        return np.array([np.maximum(w * losses, (1 - w) * risks).min() for w in WISHES])

    @cached_property
    def to_beat(self) -> Floats:
        """The best score of any standard design for each wish."""
        best: Floats = np.min([self.scores(sweep) for sweep in self.standard()], axis=0)
        return best

    def ratios(self, text: str) -> Floats:
        """Logarithms of a formula's scores over the best of the standard designs."""
        ratios: Floats = np.log(self.scores(self.formula(text)) / self.to_beat)
        return ratios


@dataclass(frozen=True, eq=False)
class Travelling:
    """Formulas on several files at once.

    Args:
        known: what was read, by formula: a row for each file, a column for each wish.
    """

    files: Sequence[Judged]
    language: Language
    known: dict[str, Floats] = field(default_factory=dict)
    hopeless: dict[str, float] = field(default_factory=dict)

    def work(self, task: Task[Equation], rng: np.random.Generator) -> Outcome[Equation]:
        if task.operator == FIRST:
            number = int(task.rival or 0)
            genome = (
                parse_equation(STARTS[number])
                if number < len(STARTS)
                else first_equation(number, self.language.symbols, LEVELS, rng)
            )
        else:
            genome = self.language.child(task, rng)
        return Outcome(genome, (self.cost(readable_formula(genome, RowRule.NORMALISED)),))

    def cost(self, text: str) -> float:
        """The mean ratio; that of two files where they show that it is hopeless."""
        if text in self.hopeless:
            return self.hopeless[text]
        if text not in self.known:
            read = [file.ratios(text) for file in self.files[:2]]
            if np.mean(read) > HOPELESS:
                self.hopeless[text] = 1.0 + float(np.mean(read))
                return self.hopeless[text]
            self.known[text] = np.array([*read, *(f.ratios(text) for f in self.files[2:])])
        return round(float(self.known[text].mean()), 9)

    def pack(self, genome: Equation) -> Mapping[str, Any]:
        return {"symbols": np.array(genome, dtype=np.str_)}

    def unpack(self, arrays: Mapping[str, Any]) -> Equation:
        return tuple(str(symbol) for symbol in arrays["symbols"])


def chosen(known: Mapping[str, Floats]) -> list[str]:
    """The library: each formula in turn lowers the mean of the best ratios most."""
    best, taken = np.full(next(iter(known.values())).shape, np.inf), []
    for _ in range(LIBRARY):
        joined = {text: float(np.minimum(best, r).mean()) for text, r in known.items()}
        text = min(joined, key=lambda name: (joined[name], len(name), name))
        taken.append(text)
        best = np.minimum(best, known[text])
    return taken


def remembered(cache: Path) -> tuple[dict[str, Floats], dict[str, float]]:
    if not cache.is_file():
        return {}, {}
    found = json.loads(cache.read_text())
    return {text: np.array(rows) for text, rows in found["known"].items()}, found["hopeless"]


def remember(problem: Travelling, cache: Path) -> None:
    known = {text: rows.tolist() for text, rows in problem.known.items()}
    cache.write_text(json.dumps({"known": known, "hopeless": problem.hopeless}))


def train(seconds: float, seed: int, cache: Path | None) -> None:
    files = [Judged(name, source.table(FEW_RECORDS), DRAWS) for name, source in TRAINING.items()]
    symbols = SYMBOLS[Terminals.MORE]
    rows = RowRule.NORMALISED
    language = Language(symbols, LEVELS, rows, tuple(MUTATIONS), simplify=True, invariant=False)
    problem = Travelling(files, language, *(remembered(cache) if cache else ()))
    for file in files:
        print(file.name, len(file.table), "to beat:", file.to_beat.round(2), flush=True)
    work, started = InProcess(Worker(problem, seed)), time.process_time()
    keep = Parsimonious(first_objective, PRICE)
    scheme = PlusSelection(CHILDREN // 4, {"mutate": CHILDREN // 2}, keep=keep)
    state = begin(POPULATION, work)
    while time.process_time() - started < seconds:
        until = generations(state.generation + 5)
        state = evolve(state, scheme, work, seed=seed, until=until)
        best = min(problem.known, key=lambda text: problem.known[text].mean())
        print(
            f"{time.process_time() - started:6.0f} s, generation {state.generation}, "
            f"{len(problem.known)} whole and {len(problem.hopeless)} hopeless: "
            f"{np.exp(problem.known[best].mean()):.4f}  {best}",
            flush=True,
        )
    if cache:
        remember(problem, cache)
    finals = finalists(problem.known)
    write(chosen(finals), finals, seed)


def moves(text: str) -> bool:
    """Whether values change even where all categories are equally frequent, two or many."""
    for size in (2, 3, 10, 40):
        apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / size
        domains = Domains.of([np.full(size, 7.0)] * 2, [apart, 1.0 - np.eye(size)])
        made = transitions(parse_equation(text), domains, RowRule.NORMALISED)
        if (made.diagonal(axis1=1, axis2=2).mean(axis=1) > MOSTLY).any():
            return False
    return True


def finalists(known: Mapping[str, Floats]) -> dict[str, Floats]:
    """The best formulas, read again on more records and over other draws."""
    files = [Judged(name, source.table(), FINAL_DRAWS) for name, source in TRAINING.items()]
    able = [text for text in known if moves(text)]
    best = sorted(able, key=lambda text: (float(known[text].mean()), len(text), text))
    return {text: np.array([file.ratios(text) for file in files]) for text in best[:FINALISTS]}


def write(texts: Sequence[str], known: Mapping[str, Floats], seed: int) -> None:
    lines = [
        "# Formulas of PRAM that travel: evolved on several files by benchmarks/make_formulas.py.",
        "# A ratio is the formula's best score over that of the best standard design, by file.",
        f'hash = "{hash_formulas(texts)}"',
        f"seed = {seed}",
        "",
    ]
    for text in texts:
        ratios = np.exp(known[text].mean(axis=1))
        told = ", ".join(f"{n} = {r:.3f}" for n, r in zip(TRAINING, ratios, strict=True))
        lines += ["[[formulas]]", f'formula = "{text}"', f"ratios = {{ {told} }}", ""]
    Path(FORMULAS_PATH).write_text("\n".join(lines))
    print("\n".join(lines))


ALL_CHANGES = tuple(step / 20 for step in range(1, 21))
"""What standard designs are tried over where they are compared in full."""


def test() -> None:
    """The library at its shares against all standard matrices over all theirs, on unseen files."""
    print("file         as it is  library  standard  ratio  best formula; best standard design")
    for name, source in UNSEEN.items():
        file = Judged(name, source.table(), UNSEEN_DRAWS)
        ours = {
            f"{text}, change {change:g}": max(read)
            for text in shipped_formulas().formulas
            for change, read in zip(
                shipped_formulas().changes,
                file.formula(text, shipped_formulas().changes).tolist(),
                strict=True,
            )
        }
        names = file.table.schema.quasi_identifiers
        theirs = {
            f"{design} {change:g}{' invariant' if twice else ''}": max(
                file.read(Pram(names, design, change, twice))
            )
            for design in Design
            for twice in (False, True)
            for change in ALL_CHANGES
        }
        best, other = min(ours, key=ours.__getitem__), min(theirs, key=theirs.__getitem__)
        print(
            f"{name:12} {max(file.as_it_is):8.2f} {ours[best]:8.2f} {theirs[other]:9.2f}  "
            f"{ours[best] / theirs[other]:.3f}  {best}; {other}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1] == "train":
        words = [*sys.argv[2:], *("600", "1")[len(sys.argv) - 2 :]]
        train(float(words[0]), int(words[1]), Path(words[2]) if len(words) > 2 else None)
    else:
        test()
