"""Work on parts that is never done twice: each result is kept when its part is finished."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from evomask.errors import RunError
from evomask.execution.evaluator import Evaluators
from evomask.io.files import for_owner, replace_file

Result = dict[str, Any]
"""What is known of a finished part: numbers, the name of its file and its hash."""

WORK, MASKED, ORDER, JOURNAL = "work", "masked", "order", "journal.jsonl"
AT_ONCE = 4
"""Parts for each worker that are handed out together."""


@dataclass(frozen=True)
class Step:
    """Makes parts by number; what is finished is known, also to whoever comes later.

    Args:
        folder: of the run.
        make: makes one part; its result may name the file that it wrote, and its sha256.
    """

    folder: str
    name: str
    make: Callable[[int], Result]

    def __call__(self, number: int, serial: int) -> Result:
        """The result of one part, made now unless it is known; its serial number says nothing."""
        known = self.known(number)
        if known is not None:
            return known
        result = self.make(number)
        text = json.dumps(result).encode()
        replace_file(self._path(number), lambda file: file.write(text))
        return result

    def known(self, number: int) -> Result | None:
        """The result of a part that is finished, and whose file is as it was written."""
        try:
            result: Result = json.loads(self._path(number).read_bytes())
        except (OSError, ValueError):
            return None
        return result if self._is_whole(result) else None

    def _is_whole(self, result: object) -> bool:
        if not isinstance(result, dict):
            return False
        if "sha256" not in result:
            return bool(result)
        name = result.get("file")
        if not isinstance(name, str) or Path(name).parent != Path(MASKED):
            return False
        with suppress(OSError, ValueError), (Path(self.folder) / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == str(result["sha256"])
        return False

    def _path(self, number: int) -> Path:
        return Path(self.folder) / WORK / f"{self.name}-{number:06}.json"


Told = Callable[[str, int, int], None]
"""Is told the name of a step, how many parts are finished and how many there are."""


def carried_out(
    step: Step, count: int, evaluators: Evaluators, told: Told = lambda *_: None
) -> list[Result]:
    """The results of all parts of a step, in order; each is a line in the journal of the run."""
    known = {n: result for n in range(count) if (result := step.known(n)) is not None}
    rest = [number for number in range(count) if number not in known]
    told(step.name, len(known), count)
    if rest:
        with evaluators(step) as work:
            for some in _batches(rest, AT_ONCE * evaluators.workers):
                for number, result in zip(some, work(some, first=some[0]), strict=True):
                    known[number] = result
                    _note(Path(step.folder), step.name, number, result)
                told(step.name, len(known), count)
    return [known[number] for number in range(count)]


def _batches(numbers: Sequence[int], size: int) -> Iterator[list[int]]:
    waiting = iter(numbers)
    while some := list(islice(waiting, size)):
        yield some


def _note(folder: Path, step: str, number: int, result: Result) -> None:
    line = {"step": step, "part": number} | {
        name: result[name] for name in ("records", "file", "sha256") if name in result
    }
    try:
        with open(folder / JOURNAL, "a", encoding="utf-8", opener=for_owner) as file:
            file.write(json.dumps(line) + "\n")
    except OSError as error:
        raise RunError(f"{folder / JOURNAL} cannot be written: {error.strerror}") from None
