"""Peers that are not in Python: asked where a user has them, else told by committed figures.

``EVOMASK_RSCRIPT`` names an Rscript with sdcMicro (else the one on the path), ``EVOMASK_ARX``
the jar of ARX. Without them ``figures.json`` tells what was measured once, marked as such.
"""

import csv
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from roster import HERE
from works import QUASI, SUPPRESSION, Task, Work, trees

Asked = tuple[dict[str, Any], dict[str, Any]]
Ask = Callable[[str, str, Task, Path, float], Asked]

IN_R = ("mdav", "suppression", "pram")


def figures() -> list[dict[str, Any]]:
    """What was measured once of peers that may not be here."""
    found: list[dict[str, Any]] = json.loads((HERE / "figures.json").read_text(encoding="utf-8"))
    return found


def outside_rows(work: Work, size: int, limit: float) -> Iterator[dict[str, Any]]:
    """Rows of sdcMicro and ARX, where a user has them and they do this work."""
    rscript = os.environ.get("EVOMASK_RSCRIPT") or shutil.which("Rscript")
    jar = os.environ.get("EVOMASK_ARX")
    asked: list[tuple[str, Ask, str]] = []
    if rscript and work.name in IN_R:
        asked.append(("sdcMicro", _sdcmicro, rscript))
    if jar and work.name == "recoding":
        asked.append(("ARX", _arx, jar))
    for name, ask, program in asked:
        row = {"work": work.name, "title": work.title, "size": size, "peer": name}
        with tempfile.TemporaryDirectory() as folder:
            task = work.make(size, Path(folder))
            try:
                told, answer = ask(program, work.name, task, Path(folder), limit)
                yield {**row, **told, "quality": work.judge(task, answer)}
            except (subprocess.SubprocessError, OSError, ValueError) as failure:
                yield {**row, "failed": type(failure).__name__}


def _sdcmicro(rscript: str, work: str, task: Task, folder: Path, limit: float) -> Asked:
    out = folder / "out.txt"
    command = [rscript, HERE / "ask_sdcmicro.R", work, task["file"], str(task["k"]), out]
    subprocess.run(command, check=True, capture_output=True, timeout=limit)
    seconds, version, *values = out.read_text(encoding="utf-8").split()
    told = {"seconds": float(seconds), "version": version}
    if work == "mdav":
        return told, {"labels": [int(value) for value in values]}
    return told, {"value": float(values[0])}


def _arx(jar: str, _: str, task: Task, folder: Path, limit: float) -> Asked:
    out, levels = folder / "out.txt", trees()
    for name in QUASI:
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as lines:
            csv.writer(lines, delimiter=";").writerows(zip(*levels[name], strict=True))
    share = str(SUPPRESSION / 100)
    command = ["java", "-cp", jar, HERE / "AskArx.java", task["file"], folder, str(task["k"])]
    subprocess.run([*command, share, out, *QUASI], check=True, capture_output=True, timeout=limit)
    seconds, left, found = out.read_text(encoding="utf-8").splitlines()
    told = {"seconds": float(seconds), "version": "jar"}
    return told, {"levels": json.loads(found), "records": task["records"] - int(left)}
