"""Synthesis: time of a step, syntheses on fronts of `protect`, and other synthesizers beside them.

    python benchmarks/bench_synthesis.py time
    python benchmarks/bench_synthesis.py fronts [FILE ...] [--evaluations N]
    python benchmarks/bench_synthesis.py peers [FILE ...] [--evaluations N]

*time*: CPU seconds of one step on all of 100,000 records with six attributes. *fronts*: points of
the front with synthetic values, without a requirement. *peers*: every model with its default
parameters, SDV's Gaussian copula and CTGAN where ``make bench-peers`` has installed SDV, and points
of the front, all judged with people who are not in the file (`outside_files`): loss, risk,
SDMetrics' quality, the advantage of membership inference, and copies of unique people.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from bench_engine import ADULT, adult
from evomask.data.frames import Declaration, polars_from, table_from
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.engine.front import FrontPoint, balanced
from evomask.execution.local import Local
from evomask.io.masked_tables import masked_version
from evomask.io.tables import source_of
from evomask.masking.synthesis import SYNTHESES
from evomask.masking.synthesis.bayesian_network import BayesianNetwork
from evomask.masking.synthesis.cart import Cart
from evomask.masking.synthesis.copula import Copula
from evomask.masking.synthesis.synthesizer import Synthesizer, matched
from evomask.measures.attacks.copies import Copies
from evomask.measures.attacks.membership import MembershipInference
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.profiles import profile
from evomask.report.protection import Protection
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_table
from outside_files import FILES, StudyFile

sys.path.append(str(Path(__file__).parent / "peers"))
from roster import Failed, ask, peer

SEED, WORKERS, LIMIT = 1, 2, 900.0
MODELS: dict[str, type[Synthesizer]] = {
    "evomask, cart": Cart, "evomask, bayesian-network": BayesianNetwork, "evomask, copula": Copula,
}  # fmt: skip
SDV = {"SDV, Gaussian copula": "synthetic", "SDV, CTGAN": "ctgan"}
COLUMNS = (
    "file", "loss", "risk", "re-identification", "SDMetrics", "membership", "copies",
    "copies of control people", "dominated",
)  # fmt: skip
LEAST_RISKS = (20.0, 10.0, 5.0)
"""Limits of the risk within which the point of least loss is judged."""


def seconds_of_steps() -> None:
    quasi = dict.fromkeys(ADULT, Declaration(role=Role.QUASI_IDENTIFIER))
    table = table_from(adult(100_000).select(ADULT), quasi)
    small = table.take(np.arange(100))
    for title, model in MODELS.items():
        method = model(table.schema.quasi_identifiers)
        method.mask(small, np.random.default_rng(SEED))
        began = time.process_time()
        method.mask(table, np.random.default_rng(SEED))
        print(f"{title}: {time.process_time() - began:.2f} CPU s", flush=True)


def protected(file: StudyFile, evaluations: int) -> Protection:
    job = ProtectJob(Input(Path(file.name)), Path(), evaluations=evaluations, seed=SEED)
    return protect_table(file.table, job, hierarchies=file.lines, evaluators=Local(WORKERS))


def is_synthetic(file: StudyFile, point: FrontPoint) -> tuple[bool, bool]:
    """Whether a point has synthetic values, and whether all quasi-identifiers are synthetic."""
    steps = [step for step in point.making.steps if step.method in SYNTHESES]
    drawn = {n for step in steps if not step.parameters.get("rare") for n in step.attributes}
    return bool(steps), drawn.issuperset(file.names)


def fronts(names: list[str], evaluations: int) -> None:
    for name in names:
        file = FILES[name]()
        done = protected(file, evaluations)
        kinds = [is_synthetic(file, point) for point in done.front]
        some, whole = (sum(flags) for flags in zip(*kinds, strict=True))
        chosen = balanced(done.front)
        print(
            f"{name}: {len(kinds)} points, {some} with synthetic values, {whole} of them in all "
            f"quasi-identifiers; hypervolume {done.state.volume:.1f}; suggested: loss "
            f"{chosen.loss:.1f}, risk {chosen.risk:.1f}, {chosen.making.steps}",
            flush=True,
        )


def files_of(file: StudyFile, done: Protection, folder: Path) -> Iterator[tuple[str, Table]]:
    """Files to judge, by title."""
    yield "the original", file.table
    names = (*file.names, file.confidential)
    for title, model in MODELS.items():
        yield title, model(names).mask(file.table, np.random.default_rng(SEED))
    path = folder / "original.csv"
    polars_from(file.table.only(names)).write_csv(path)
    for title, work in SDV.items():
        task = {"file": str(path), "out": str(folder / f"{work}.csv"), "most": 1,
                "categories": list(file.categories)}  # fmt: skip
        try:
            answer = ask(peer("sdv"), work, task, folder, LIMIT)
        except Failed as failure:
            print(f"{title}: {failure}", flush=True)
            continue
        drawn = masked_version(file.table, source_of(pl.read_csv(answer["file"])), {})
        order = matched(file.table, drawn, names)
        yield title, file.table.with_columns({name: drawn[name][order] for name in names})
    for limit in LEAST_RISKS:
        within = [point for point in done.front if point.risk <= limit]
        if within:
            best = min(within, key=lambda point: point.loss)
            title = f"evomask, risk at most {limit:g}"
            yield title, done.files(best.number).masked


def single_values(table: Table, names: tuple[str, ...]) -> pl.DataFrame:
    """Released records with one of the values that each cell may stand for."""
    rng, columns = np.random.default_rng(SEED), {}
    for name in names:
        attribute = table.attribute(name)
        if not attribute.is_categorical:
            columns[name] = table.middles(name)
            continue
        leaves = table.recoding(name).leaves[table[name]]
        chosen = np.where(leaves, rng.random(leaves.shape), -1.0).argmax(axis=1)
        columns[name] = np.array(attribute.categories)[chosen]
    return pl.DataFrame(columns).filter(pl.Series(~table.suppressed))


def peers(names: list[str], evaluations: int) -> None:
    for name in names:
        file = FILES[name]()
        done = protected(file, evaluations)
        loss = profile("strict").loss(file.names).against(file.table)
        risk = DisclosureRisk(file.names, people=1000).against(file.table, file.others)
        membership, copies = (
            attack(file.names).against(file.table, file.others)
            for attack in (MembershipInference, Copies)
        )
        rows: dict[str, list[float]] = {}
        judged: list[str] = []
        with tempfile.TemporaryDirectory() as kept:
            for title, masked in files_of(file, done, Path(kept)):
                path = Path(kept) / f"judged{len(rows)}.csv"
                single_values(masked, file.names).write_csv(path)
                judged.append(str(path))
                assessed, copied = risk.assess(masked), copies(masked)
                rows[title] = [
                    loss(masked), assessed.risk, assessed.reidentification.percent,
                    membership(masked).gain, copied.success, copied.control,
                ]  # fmt: skip
            task = {"file": judged[0], "files": judged, "most": 1}
            try:
                scores = ask(peer("sdmetrics"), "quality", task, Path(kept), LIMIT)["scores"]
            except Failed as failure:
                print(f"SDMetrics: {failure}", flush=True)
                scores = [np.nan] * len(rows)
        own = [(point.loss, point.risk) for point in done.front]
        size = f"{len(file.table)} records, {len(file.names)} attributes"
        print(f"\n{name}: {size}, {evaluations} evaluations\n")
        print("|", " | ".join(COLUMNS), "|\n|---" + "|---" * (len(COLUMNS) - 1) + "|")
        for (title, row), score in zip(rows.items(), scores, strict=True):
            cells = [f"{value:.1f}" for value in (*row[:3], score, *row[3:])]
            beaten = any(a <= row[0] and b <= row[1] for a, b in own)
            print("|", " | ".join([title, *cells, "yes" if beaten else "no"]), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("time", "fronts", "peers"))
    parser.add_argument("files", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--evaluations", type=int, default=600)
    asked = parser.parse_args()
    if asked.what == "time":
        seconds_of_steps()
    elif asked.what == "fronts":
        fronts(asked.files or list(FILES), asked.evaluations)
    else:
        peers(asked.files or ["adult"], asked.evaluations)


if __name__ == "__main__":
    main()
