"""``evomask search``: one command for each search in the catalogue, and ``evomask resume``.

A search's options are the fields of its parameters, so a command is put together when it is
first asked for: the options that all share, and its own.
"""

import inspect
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from evomask.cli import parts as in_parts_of
from evomask.cli.protect import resume_protected
from evomask.cli.terminal import keeping, options
from evomask.cli.terminal.help import examples, registered
from evomask.cli.terminal.output import counter, notes, progress, say, say_json
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.execution.evaluator import Evaluators
    from evomask.runs.catalogue import Listed, Parameter
    from evomask.runs.kept.events import Watch
    from evomask.runs.perform import Run

OWN = "Its own"
BUDGET = "Budget"
MOST_LISTED = 40


class Study(StrEnum):
    """Studies that a search can add to its answer."""

    OPERATORS = "operators"
    POPULATION = "population"


Generations = Annotated[
    int | None, typer.Option("--generations", help="Stop after so many.", rich_help_panel=BUDGET)
]
Evaluations = Annotated[
    int | None, typer.Option("--evaluations", help="Stop after so many.", rich_help_panel=BUDGET)
]
Seconds = Annotated[
    float | None, typer.Option("--seconds", help="Stop after so long.", rich_help_panel=BUDGET)
]
Stalled = Annotated[
    int | None,
    typer.Option(
        "--stalled", help="Stop after so many without a better best.", rich_help_panel=BUDGET
    ),
]
EqualMeans = Annotated[
    int | None,
    typer.Option(
        "--equal-means",
        help="Stop when the population's mean has been the same for so many generations.",
        rich_help_panel=BUDGET,
    ),
]
Target = Annotated[
    float | None,
    typer.Option("--target", help="Stop at this best score or less.", rich_help_panel=BUDGET),
]
MaskedOut = Annotated[
    Path | None, typer.Option("--out", "-o", help="Where to write the picked masked file.")
]
Pick = Annotated[
    str,
    typer.Option(
        "--pick", "--point", help="A point's number, or best, knee, max-risk=R, max-loss=L."
    ),
]
RunFolder = Annotated[
    Path | None, typer.Option("--run", help="Folder that keeps the run, to resume it.")
]
StudyWanted = Annotated[
    Study | None,
    typer.Option(
        "--study",
        help="Study the operators, each of which also gets a run of its own, as long at most; "
        "or the population (of files), by going through the run again.",
    ),
]
Figures = Annotated[
    Path | None,
    typer.Option("--figures", help="Folder for charts and a study's data [--run DIR/study]."),
]


class SearchGroup(TyperGroup):
    """The searches there are; each one's module is imported when it is asked for."""

    def list_commands(self, _ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The names of all searches, those of other packages too."""
        from evomask.runs.catalogue import search_names

        return list(search_names())

    def get_command(self, _ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # noqa: ANN401
        """The command of one search; nothing for a name that no search has."""
        from evomask.runs.catalogue import search_listed, search_names

        return _command_of(search_listed(cmd_name)) if cmd_name in search_names() else None


searches = typer.Typer(
    cls=SearchGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Search for masked files of one file; every search has its own --help.",
)


@searches.callback()
def _searches() -> None:
    """Search for masked files of one file; every search has its own --help."""


def _command_of(search: "Listed") -> Any:  # noqa: ANN401
    parameters = search.parameters

    def command(**values: Any) -> None:  # noqa: ANN401
        texts = {p.name: values.pop(p.name) for p in parameters}
        given = {name: _as_text(value) for name, value in texts.items() if value is not None}
        _search(search.name, given, **values)

    shared = list(inspect.signature(_search).parameters.values())[2:]
    signature = [shared[0], *(_option(parameter) for parameter in parameters), *shared[1:]]
    command.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    shown = examples(_example(search))(command)
    registered(app, name=search.name, help=search.summary)(shown)
    return get_command(app)


def _example(search: "Listed") -> str:
    """A command that can be copied; what has to be said is said."""
    needed = " -k 5" if any(p.option == "-k" and p.is_required for p in search.parameters) else ""
    columns = "--quasi age,sex,income"
    return (
        f"evomask search {search.name} survey.csv {columns}{needed} --seconds 30 --out masked.csv"
    )


def _option(parameter: "Parameter") -> inspect.Parameter:
    is_flag = parameter.hint is bool
    default = "needed" if parameter.is_required else parameter.default
    name = f"{parameter.option}/--no-{parameter.option[2:]}" if is_flag else parameter.option
    option = typer.Option(name, help=f"{parameter.meaning} [{default}]", rich_help_panel=OWN)
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None,
        annotation=Annotated[bool | None if is_flag else str | None, option],
    )


def _as_text(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


@options.with_data_options
def _search(
    name: str,
    texts: dict[str, str],
    file: options.DataFile,
    generations: Generations = None,
    evaluations: Evaluations = None,
    seconds: Seconds = None,
    stalled: Stalled = None,
    equal_means: EqualMeans = None,
    target: Target = None,
    out: MaskedOut = None,
    pick: Pick = "best",
    run: RunFolder = None,
    study: StudyWanted = None,
    figures: Figures = None,
    keep_table: keeping.KeepTable = None,
    keep_model: keeping.KeepModel = None,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    from evomask.execution.choosing import computing
    from evomask.runs.kept.keeping import keeping as wanted
    from evomask.runs.search import Limits, SearchJob, search_file

    limits = Limits(generations, evaluations, seconds, stalled, equal_means, target)
    keep = wanted(keep_table, keep_model)
    job = SearchJob(source(file), name, texts, limits, out, pick, run, seed, force, keep)
    with computing(workers, cluster) as evaluators:
        done = search_file(job, evaluators=evaluators, watch=progress_line(quiet=quiet))
        shown = _studied(done, study, figures or (run and run / "study"), evaluators)
    if figures is not None and done.charts:
        from evomask.runs.figures import write_charts

        shown["figures"] = write_charts(done.charts, figures) + shown.get("figures", [])
    tell(done, run, json=json, quiet=quiet, more={**shown, **_with_matrices(done, run)})


@examples(
    "evomask resume release                       # with what is left of its budget",
    "evomask resume release --seconds 300         # and so much more",
)
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")],
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=0, help="Search so long from here; 0: release at once."),
    ] = None,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    key_file: options.KeyFile = None,
    edited_plan: options.EditedPlan = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Go on with the run kept in DIR; interrupt and resume at will."""
    from evomask.cli.terminal.live import busy

    if in_parts_of.are_in(folder):
        in_parts_of.refuse_others(seconds=seconds, edited_plan=edited_plan)
        in_parts_of.resume(folder, key_file, workers, cluster, json=json, quiet=quiet)
        return
    with busy(f"opening {folder}", quiet=quiet):
        from evomask.execution.choosing import computing
        from evomask.runs.kept.store import Store
        from evomask.runs.perform import resume as go_on
        from evomask.runs.protect import is_protection

        kept = Store(folder).plan()
    if seconds is not None and not is_protection(kept):
        raise ParameterError("--seconds is for protections; a single search goes by its plan")
    with computing(workers, cluster) as evaluators:
        if is_protection(kept):
            resume_protected(
                folder,
                evaluators=evaluators,
                json=json,
                quiet=quiet,
                key_file=key_file,
                seconds=seconds,
                edited_plan=edited_plan,
            )
            return
        done = go_on(folder, evaluators=evaluators, watch=progress_line(quiet=quiet))
    tell(done, folder, json=json, quiet=quiet, more=_with_matrices(done, folder))


def progress_line(*, quiet: bool) -> "Watch | None":
    """Lines on stderr: what is compiled, and now and then how far the search is."""
    from evomask.runs.kept.events import Began, Event, Generation, Phase

    count = counter(str)

    def show(event: Event) -> None:
        if isinstance(event, Generation):
            count(f"generation {event.generation}, best {event.best:.4f}")
        elif isinstance(event, Began) and event.phase in (Phase.COMPILING, Phase.PROVING):
            progress(event.text, quiet=False)

    return None if quiet else show


def tell(
    run: "Run",
    folder: Path | None,
    *,
    json: bool,
    quiet: bool,
    more: Mapping[str, Any] | None = None,
) -> None:
    """The result of a run, for a person or a program."""
    notes(run.notes, quiet=quiet)
    more = more or {}
    if json:
        say_json({**_as_json(run, folder), **more})
    else:
        say(_in_words(run, folder))
        for path in more.get("figures", ()):
            say(f"figure {path}")
        for path in more.get("files", ()):
            say(f"file {path}")


def _studied(
    run: "Run", study: Study | None, folder: Path | None, evaluators: "Evaluators"
) -> dict[str, Any]:
    if study is None:
        return {}
    from evomask.runs.figures import write_study
    from evomask.studies.files import FilesStudy
    from evomask.studies.operators import OperatorStudy

    done: OperatorStudy | FilesStudy
    if study is Study.POPULATION:
        done = FilesStudy.of(run)
    else:
        done = OperatorStudy.of(run, evaluators=evaluators)
    if folder is None:
        return {"study": done.as_json}
    written = write_study(done.as_json, done.charts, folder)
    return {"study": done.as_json, "figures": written}


def _with_matrices(run: "Run", folder: Path | None) -> dict[str, Any]:
    if "matrices" not in run.answer:
        return {}
    from evomask.runs.matrices import write_matrices

    written = write_matrices(run, folder)
    return {"files": written} if written else {}


def _as_json(run: "Run", folder: Path | None) -> dict[str, object]:
    from evomask.runs.kept.journal import plain

    result: dict[str, object] = {
        "search": run.plan.search,
        "front": [point.as_json() for point in run.front],
        "best": run.best.as_json(),
        "initial_best": run.initial_best,
        "generations": run.state.generation,
        "evaluations": run.state.evaluations,
        "seconds": run.seconds,
        **run.answer,
        "notes": run.notes,
        **({"kept": keeping.as_json(run.kept)} if run.kept else {}),
    }
    if run.plan.out is not None:
        result |= {"masked": str(run.plan.out), "chosen": run.chosen.as_json()}
    if folder is not None:
        result["run"] = str(folder)
    shown: dict[str, object] = plain(result)
    return shown


def _in_words(run: "Run", folder: Path | None) -> str:
    state = run.state
    lines = [
        f"{run.plan.search}: {len(run.front)} points in {run.seconds:.1f} s",
        f"{state.generation} generations, {state.evaluations} evaluations",
        f"first best {_measures(run.initial_best)}",
        f"best now   {_measures(run.best.as_json())}",
        *_explained(run.answer),
        *_proven(run.answer),
        *_listed(run),
        *(f"kept: {keeping.in_short(statistic)}" for statistic in run.kept),
    ]
    if run.plan.out is not None:
        lines.append(f"point {run.chosen.point} is written to {run.plan.out}")
    if folder is not None:
        lines.append(f"the run is kept in {folder}; it holds records, keep it to yourself")
    return "\n".join(lines)


def _explained(answer: Mapping[str, Any]) -> list[str]:
    """A line for each part that a search explains."""
    parts = answer.get("explanation", ())
    return [f"{', '.join(part['attributes'])}: {part['because']}" for part in parts]


def _proven(answer: Mapping[str, Any]) -> list[str]:
    """A line on how far from the best possible the result can be, where that was proved."""
    return [f"at most {answer['gap']:.2f} % above the best possible"] if "gap" in answer else []


def _listed(run: "Run") -> list[str]:
    """A line for each point that can be picked; of very many, the first."""
    if len(run.front) < 2:
        return []
    lines = [f"point {p.point}: {_measures(p.readings)}" for p in run.front[:MOST_LISTED]]
    left = len(run.front) - len(lines)
    return [*lines, f"and {left} points more, see --json"] if left else lines


def _measures(point: Any) -> str:  # noqa: ANN401
    shown = {name: value for name, value in point.items() if isinstance(value, float)}
    return ", ".join(f"{name} {_number(value)}" for name, value in shown.items())


def _number(value: float) -> str:
    text = f"{value:.4f}"
    return text.rstrip("0").rstrip(".")
