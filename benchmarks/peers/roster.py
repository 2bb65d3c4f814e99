"""Who is asked: where each peer's Python is, and what became of those that are not here."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OURS = "evomask"
LOOK = 1.0
"""Seconds between two looks at what a peer has used."""

PATIENCE = 20
"""A limit of CPU seconds may be so many seconds by the clock, on a busy machine."""


@dataclass(frozen=True)
class Peer:
    """A program that does some of our work.

    Args:
        environment: the folder of its Python at the root of the repository; none where ours
            has it.
        does: the works it is asked for, each under the name that its script has for it.
        about: what it is, in a few words.
    """

    name: str
    environment: str
    script: str
    does: Mapping[str, str]
    about: str

    @property
    def python(self) -> Path:
        """Its Python."""
        if not self.environment:
            return Path(sys.executable)
        return ROOT / self.environment / "bin" / "python"

    @property
    def absence(self) -> str:
        """Why it cannot be asked; nothing where it can."""
        if self.environment and not (ROOT / self.environment / ".installed").exists():
            told = ROOT / self.environment / ".failed"
            return told.read_text(encoding="utf-8").strip() if told.exists() else "not installed"
        return ""


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


PEERS = (
    Peer(
        OURS, "", "ask_evomask.py",
        _same("mdav", "univariate", "mondrian", "recoding", "suppression", "pram", "k", "l", "t",
              "linkage", "protect"),
        "evomask",
    ),
    Peer("pycanon", ".venv-oracles", "ask_pycanon.py", _same("k", "l", "t"), "checks of models"),
    Peer("anjana", ".venv-peers-anjana", "ask_anjana.py", _same("recoding"),
         "greedy recoding along value trees"),
    Peer("anonypy", ".venv-peers-anonypy", "ask_anonypy.py", _same("mondrian"), "Mondrian"),
    Peer("anonypyx", ".venv-peers-anonypyx", "ask_anonypyx.py", _same("mdav"),
         "MDAV in pandas, with a matrix of all distances"),
    Peer("microagg1d", ".venv-peers-microagg1d", "ask_microagg1d.py", _same("univariate"),
         "groups of one attribute by its usual method; its first call compiles"),
    Peer("k-means-constrained", ".venv-peers-clustering", "ask_clustering.py",
         {"mdav": "constrained"}, "k-means with sizes from k to 2k-1"),
    Peer("scikit-learn", ".venv-peers-clustering", "ask_clustering.py", {"mdav": "plain"},
         "k-means; nothing keeps a cluster from being smaller than k"),
    Peer("pyclustering", ".venv-peers-pyclustering", "ask_pyclustering.py", {"mdav": "plain"},
         "k-means; nothing keeps a cluster from being smaller than k"),
    Peer("recordlinkage", "", "ask_recordlinkage.py", _same("linkage"), "Fellegi and Sunter"),
    Peer("sdv", ".venv-peers-sdv", "ask_sdv.py", _same("synthetic", "ctgan"),
         "Gaussian copula and CTGAN"),
    Peer("anonymeter", ".venv-peers-anonymeter", "ask_anonymeter.py", _same("attacks"),
         "attacks on what is released"),
    Peer("sdmetrics", ".venv-peers-sdmetrics", "ask_sdmetrics.py", _same("quality"),
         "quality of what is released"),
)  # fmt: skip


def peer(name: str) -> Peer:
    """The peer of that name."""
    return next(one for one in PEERS if one.name == name)


class Failed(Exception):  # noqa: N818 - it is an answer too
    """A peer gave no answer, and why."""


def ask(one: Peer, work: str, task: Mapping[str, Any], folder: Path, limit: float) -> Any:
    """What a peer answers; it has *limit* CPU seconds for it, and longer by the clock."""
    if one.absence:
        raise Failed(one.absence)
    asked, answered = folder / "task.json", folder / "answer.json"
    answered.unlink(missing_ok=True)
    asked.write_text(json.dumps({**task, "work": one.does[work]}), encoding="utf-8")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    command: list[str | Path] = [one.python, "-W", "ignore", HERE / one.script, asked, answered]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, **threads},
    ) as process:  # fmt: skip
        complaint = _complaint(process, limit)
    if process.returncode or not answered.exists():
        raise Failed(_reason(complaint) or f"ended with code {process.returncode}")
    return json.loads(answered.read_text(encoding="utf-8"))


def _complaint(process: subprocess.Popen[str], limit: float) -> str:
    """What a program complained about when it is done; it is ended at its limit.

    A limit that the system watches would make the clock of the program coarse.
    """
    until = time.monotonic() + PATIENCE * limit
    while True:
        try:
            return process.communicate(timeout=LOOK)[1]
        except subprocess.TimeoutExpired:
            if _cpu_seconds(process.pid) > limit or time.monotonic() > until:
                process.kill()
                raise Failed(f"no answer in {limit:g} s of CPU") from None


def _cpu_seconds(pid: int) -> float:
    """What a process has used so far; 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    ticks = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _reason(told: str) -> str:
    """The last line of what a program complained about, without paths."""
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    return lines[-1].replace(str(ROOT), "")[:160] if lines else ""
