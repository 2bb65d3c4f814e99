"""What members of a portfolio ask for, and what comes back."""

from dataclasses import dataclass
from typing import Any

from evomask.evolution.brood import Outcome, Task
from evomask.measures.judging.risk import Judged


@dataclass(frozen=True)
class Breed:
    """A task of one member."""

    member: str
    task: Task[Any]


@dataclass(frozen=True)
class Make:
    """A file to be made and measured."""

    member: str
    genome: Any


@dataclass(frozen=True)
class Try:
    """A file to be made and measured on the sample."""

    member: str
    genome: Any


@dataclass(frozen=True)
class Adopt:
    """A file that another member made, for a member that goes on from given files."""

    member: str
    made: Make


@dataclass(frozen=True)
class Measured:
    """Loss and risk of a file in percent, and the parts of the risk where it has any."""

    loss: float
    risk: float
    judged: Judged | None = None


@dataclass(frozen=True)
class Refusal:
    """Why something could not be made."""

    reason: str


Single = Breed | Make | Try | Adopt


@dataclass(frozen=True)
class Numbered:
    """A task with the number that its random stream is named by."""

    task: "Request"
    serial: int


Request = Single | Numbered
Result = Outcome[Any] | Measured | Refusal
