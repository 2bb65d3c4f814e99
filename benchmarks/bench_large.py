"""`evomask protect` of large files: files tried, time, memory, front.

    python benchmarks/bench_large.py RECORDS [SECONDS [COLUMNS [MORE...]]]

Made-up people with so many quasi-identifiers of all kinds, 6 by default, most combinations unique;
k = 5, two workers, seed 1; further arguments go to the command (``--evaluations 80``). A machine
that others use gives a run less than two cores: told are also the CPU seconds of all processes
and the load. Memory is what all processes hold together, shared parts counted once, looked at
every second.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import numpy as np
import polars as pl

K, WORKERS, SEED = 5, 2, 1


def people(n: int, columns: int) -> pl.DataFrame:
    """So many made-up people: two numbers, an ordinal and three nominal attributes, and again."""
    rng = np.random.default_rng(3)
    found: dict[str, object] = {}
    for part in range(-(-columns // 6)):
        z = rng.standard_normal((n, 2))
        age = np.clip(np.round(45 + 18 * z[:, 0]), 16, 95)
        own = {
            "age": age.astype(int),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice([f"R{i:02d}" for i in range(20)], n, p=np.arange(1, 21) / 210),
            "education": np.clip(np.round(3 + z[:, 1] + rng.standard_normal(n)), 1, 6).astype(int),
            "occupation": rng.choice([f"occ{i:03d}" for i in range(60)], n),
            "income": np.round(np.exp(9.8 + 0.5 * z[:, 1] + 0.01 * (age - 45))),
        }
        found |= {f"{name}{part or ''}": values for name, values in own.items()}
    return pl.DataFrame(dict(list(found.items())[:columns]))


def memory_of(process: int) -> int:
    """Bytes that a process and those it started hold, shared ones counted in parts."""
    total = 0
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        total = 1024 * int(text.split("\nPss:")[1].split()[0])
        for thread in Path(f"/proc/{process}/task").iterdir():
            total += sum(memory_of(int(p)) for p in (thread / "children").read_text().split())
    except (OSError, IndexError):
        pass  # it has ended
    return total


def protected(path: Path, names: list[str], arguments: list[str]) -> tuple[dict[str, object], str]:
    """The answer of the command, and what it took."""
    ordinal = ",".join(name for name in names if name.startswith("education"))
    command = [
        str(Path(sys.executable).with_name("evomask")), "protect", str(path),
        "--quasi", ",".join(names), "--require", f"k={K}", "--workers", str(WORKERS),
        "--seed", str(SEED), "--out", str(path.with_name("out")), "--json", "--quiet",
        *(["--ordinal", ordinal] if ordinal else []), *arguments,
    ]  # fmt: skip
    began, load, most = time.monotonic(), os.getloadavg()[0], 0
    with path.with_name("answer.json").open("w") as answer:
        process = subprocess.Popen(command, stdout=answer)
        while process.poll() is None:
            most = max(most, memory_of(process.pid))
            time.sleep(1.0)
    wall, used = time.monotonic() - began, getrusage(RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    words = f"{wall:.0f} s, {cpu:.0f} CPU s, load {load:.0f} to {os.getloadavg()[0]:.0f}"
    return (
        json.loads(path.with_name("answer.json").read_text()),
        f"{words}, {most / 1e9:.2f} GB in all, largest process {used.ru_maxrss / 1e6:.2f} GB",
    )


def volume_of(front: list[dict[str, float]]) -> float:
    """The share of all pairs of loss and risk that the front beats, in percent."""
    area, risk = 0.0, 100.0
    for point in sorted(front, key=lambda p: (p["loss"], p["risk"])):
        if point["risk"] < risk:
            area += (100.0 - point["loss"]) * (risk - point["risk"])
            risk = point["risk"]
    return area / 100.0


def main() -> None:
    """Print what became of one file."""
    records = int(sys.argv[1])
    seconds = sys.argv[2] if len(sys.argv) > 2 else "120"
    columns = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    arguments = sys.argv[4:] or ["--seconds", seconds]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        frame = people(records, columns)
        frame.write_parquet(path)
        names = frame.columns
        del frame
        answer, took = protected(path, names, arguments)
    print(f"{records:,} x {columns}, {' '.join(arguments)}: {took}")
    front: list[dict[str, float]] = answer["front"]  # type: ignore[assignment]
    found = f"{answer['trials']} on the sample, {answer['files']} on the whole"
    print(f"{found}, front of {len(front)}, hypervolume {volume_of(front):.2f} %")
    print(f"time: {json.dumps(answer.get('time'))}")
    for note in answer["notes"]:  # type: ignore[attr-defined]
        print(f"note: {note}")


if __name__ == "__main__":
    main()
