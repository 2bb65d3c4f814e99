"""The main job beside what users would release instead, judged by our judges and by others.

Each file is judged by our pair of loss and risk, by SDMetrics (do columns and pairs of columns look
the same?) and by anonymeter (how often do three attacks succeed?). Those read single values, so
a cell that may be several is read as one of them, by chance.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from roster import OURS, Failed, ask, peer
from works import (
    QUASI,
    Task,
    adult_lattice,
    adult_table,
    adult_task,
    hierarchies,
    trees,
    with_regions,
)
from works import SUPPRESSION as LEFT_OUT

from evomask.data.classes import classes_of
from evomask.data.table import Table
from evomask.errors import FileError
from evomask.io.masked_tables import masked_version
from evomask.io.tables import source_of
from evomask.masking.synthesis.synthesizer import matched
from evomask.measures.disclosure.risk import RiskReading
from evomask.measures.profiles import profile
from evomask.runs.synthetic import synthetic_file

SEED = 11
SHOWN = 3_000
"""Records of each file that anonymeter is shown; of more it takes very long."""

OVER = 3.0
"""Our search knows when to end; CPU seconds for each of its own before it is given up."""

JUDGING = 8.0
"""Other judges have so many times the limit: they look at all files in one go."""


def _read(table: Table, frame: pl.DataFrame) -> Table:
    """A file that somebody wrote, under the schema of the original."""
    return masked_version(table, source_of(frame.select(*QUASI)), hierarchies(table))


def _evomask(table: Table, task: Task, folder: Path, limit: float) -> Table:
    asked = {**task, "out": str(folder / "ours.csv"), "trees": trees()}
    answer = ask(peer(OURS), "protect", asked, folder, max(limit, OVER * task["seconds"]))
    return _read(table, pl.read_csv(answer["file"], infer_schema_length=None))


def _anonypy(table: Table, task: Task, folder: Path, limit: float) -> Table:
    return with_regions(table, ask(peer("anonypy"), "mondrian", task, folder, limit)["labels"])


def _anjana(_: Table, task: Task, folder: Path, limit: float) -> Table:
    """The recoding that anjana chose; classes below k are left out, as it does."""
    asked = {**task, "trees": trees(), "suppression": LEFT_OUT}
    levels = ask(peer("anjana"), "recoding", asked, folder, limit)["levels"]
    if levels is None:
        raise Failed("found no recoding")
    recoded = adult_lattice(task["records"]).applied(levels)
    classes = classes_of(recoded, QUASI)
    return recoded.suppressing(classes.sizes[classes.labels] < task["k"])


def _sdv(table: Table, task: Task, folder: Path, limit: float) -> Table:
    asked = {**task, "out": str(folder / "sdv.csv")}
    answer = ask(peer("sdv"), "synthetic", asked, folder, limit)
    drawn = _read(table, pl.read_csv(answer["file"], infer_schema_length=None))
    return drawn.take(matched(table, drawn, QUASI))


def _copula(table: Table, *_: Any) -> Table:
    return synthetic_file(table, np.random.default_rng(SEED))


FILES: dict[str, Callable[[Table, Task, Path, float], Table]] = {
    "evomask, suggested point": _evomask,
    "anonypy, Mondrian k = 5": _anonypy,
    "anjana, recoding k = 5": _anjana,
    "SDV, Gaussian copula": _sdv,
    "evomask, synthetic baseline": _copula,
}


def alternatives(n_records: int, seconds: float, limit: float) -> dict[str, Any]:
    """All files that could be released of Adult, each with what every judge says of it."""
    try:
        table = adult_table(n_records)
    except FileError as missing:
        return {"records": n_records, "seconds": seconds, "files": [], "failed": str(missing)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task = {**adult_task(n_records, folder), "seconds": seconds, "most": 1}
        rows = list(_judged(table, task, folder, limit))
    return {"records": n_records, "seconds": seconds, "files": rows}


def _judged(table: Table, task: Task, folder: Path, limit: float) -> Iterator[dict[str, Any]]:
    made: dict[str, Table] = {"the original": table}
    for title, make in FILES.items():
        try:
            made[title] = make(table, task, folder, limit)
        except Failed as failure:
            yield {"file": title, "failed": str(failure)}
    paths = [_written(masked, folder / f"file{i}.csv") for i, masked in enumerate(made.values())]
    few = [_cut(path) for path in paths]
    asked, shown = ({"file": files[0], "files": files, "most": 1} for files in (paths, few))
    theirs = [
        {**quality, **rates}
        for quality, rates in zip(
            _by(folder, asked, limit, "sdmetrics", "quality", "scores", len(paths)),
            _by(folder, shown, limit, "anonymeter", "attacks", "rates", len(paths)),
            strict=True,
        )
    ]
    for (title, masked), said in zip(made.items(), theirs, strict=True):
        row = {"file": title, **pair(table, masked), **said}
        print(row, flush=True)
        yield row


def pair(table: Table, masked: Table) -> dict[str, float]:
    """Loss and risk by our judges."""
    ours = profile("strict")
    read = ours.reported(QUASI).against(table)
    risk = read.assess(masked).risk if isinstance(read, RiskReading) else read(masked)
    return {"loss": ours.loss(QUASI).against(table)(masked), "risk": risk}


def _by(
    folder: Path, task: Task, limit: float, judge: str, work: str, key: str, length: int
) -> list[dict[str, Any]]:
    """What another judge says of every file; why it says nothing, where it does not."""
    try:
        told = ask(peer(judge), work, task, folder, JUDGING * limit)[key]
    except Failed as failure:
        return [{judge: str(failure)}] * length
    return [one if isinstance(one, dict) else {judge: one} for one in told]


def _written(masked: Table, path: Path) -> str:
    """A file of single values: what may be several is one of them."""
    rng = np.random.default_rng(SEED)
    columns = {name: _single(masked, name, rng) for name in QUASI}
    kept = np.flatnonzero(~masked.suppressed).tolist()
    pl.DataFrame(columns)[kept].write_csv(path)
    return str(path)


def _cut(path: str) -> str:
    """The file with so many of its records as anonymeter is shown."""
    frame = pl.read_csv(path, infer_schema=False)
    shorter = path.replace(".csv", "-few.csv")
    frame.sample(min(SHOWN, frame.height), seed=SEED).write_csv(shorter)
    return shorter


def _single(masked: Table, name: str, rng: np.random.Generator) -> Any:
    leaves = masked.recoding(name).leaves[masked[name]]
    chosen = np.where(leaves, rng.random(leaves.shape), -1.0).argmax(axis=1)
    return np.array(masked.attribute(name).categories)[chosen]
