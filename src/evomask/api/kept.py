"""A run that the command kept in a folder, taken up from Python."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evomask.errors import RunError

if TYPE_CHECKING:
    from evomask.record.record import ReleaseRecord
    from evomask.reports.figures import Figure
    from evomask.runs.kept.runs import RunSummary


@dataclass(frozen=True, repr=False)
class KeptRun:
    """A run on disk: what it found, and its release.

    Args:
        folder: where it is kept; records are in it, so keep it to yourself.
    """

    folder: Path

    @property
    def summary(self) -> "RunSummary":
        """How the run stands: search, file, share of the budget, points, what was released."""
        from evomask.runs.kept.runs import Runs

        return Runs(self.folder.absolute().parent).find(self.folder.absolute().name)

    @property
    def record(self) -> "ReleaseRecord":
        """All that is known of the release, as data; it holds no record's values."""
        from evomask.runs.report import load_record

        return load_record(self.folder)

    @property
    def front(self) -> Any:  # noqa: ANN401
        """The points on offer as a polars frame, with every measure of each."""
        from evomask.io.tables import read_frame
        from evomask.runs.kept.store import FRONT

        return read_frame(self.folder / FRONT)

    @property
    def reports(self) -> tuple[Path, Path]:
        """The internal and the public report."""
        from evomask.runs.report import reports_in

        found = reports_in(self.folder)
        return found.internal, found.public

    @property
    def file(self) -> Path:
        """Where the released file is."""
        from evomask.runs.kept.sealing import MASKED

        files = sorted((self.folder / MASKED).glob("*"))
        if not files:
            raise RunError(f"{self.folder} holds no released file; go on with resume()")
        return files[0]

    def masked(self) -> Any:  # noqa: ANN401
        """The released records as a polars frame."""
        from evomask.api.files import read

        return read(self.file)

    def choose(self, wish: str) -> "KeptRun":
        """Release another point: ``knee``, ``balanced``, ``max-risk=20`` or a point's number."""
        from evomask.runs.protect import choose

        choose(self.folder, wish)
        return self

    def resume(self, *, workers: int = 1) -> "KeptRun":
        """Go on with the rest of the budget, and release what is chosen."""
        from evomask.execution.local import Local
        from evomask.runs.kept.store import Store
        from evomask.runs.perform import resume
        from evomask.runs.protect import is_protection, resume_protection

        if is_protection(Store(self.folder).plan()):
            resume_protection(self.folder, evaluators=Local(workers))
        else:
            resume(self.folder, evaluators=Local(workers))
        return self

    def __repr__(self) -> str:
        """How the run stands, in short."""
        run = self.summary
        released = "" if run.released is None else f", point {run.released} released"
        return (
            f"<evomask.KeptRun of {run.search} on {run.file}: {run.standing}, "
            f"{run.points} points{released}>"
        )

    def _repr_html_(self) -> str:
        """The map of loss and risk, for notebooks."""
        from evomask.reports.notebook import map_html

        return map_html(self.record.points)

    def plot(self) -> "Figure":
        """The map of loss and risk of every masking that was tried."""
        from evomask.reports.charts import map_chart
        from evomask.reports.figures import figure_of

        return figure_of(map_chart(self.record.points))


def load(folder: str | Path) -> KeptRun:
    """A run that ``evomask protect`` or ``evomask search --run`` kept in a folder.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "income").head(200)
        path = evomask.write(people, "people.csv")
        evomask.protect_file(path, "release", quasi=people.columns, evaluations=6)
        run = evomask.load("release")
        print(run)
        assert run.masked().height <= 200
        run.choose("knee")
    """
    run = KeptRun(Path(folder))
    _ = run.summary
    return run
