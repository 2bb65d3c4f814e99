"""``evomask search``: one command for each search of the catalogue; ``evomask resume``.

The options of a search are the fields of its parameters, so its command is built when it is
first used: shared options, and its own.
"""

import inspect
from collections.abc import Iterable, Mapping
from enum import StrEnum
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from evomask.cli import outofcore
from evomask.cli.protect import resume_protected
from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples, register_command
from evomask.cli.terminal.output import (
    analyses_as_json,
    analysis_summary,
    notes,
    progress,
    say,
    say_json,
    throttled,
)
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.execution.evaluator import Evaluators
    from evomask.runs.catalogue import Parameter, Search
    from evomask.runs.search import Run
    from evomask.runs.store.journal import EventCallback

OWN = "Options of this search"
BUDGET = "Budget"
MAX_POINTS = 40
"""Points of a front that are printed; JSON has all."""


class Study(StrEnum):
    """Studies that can follow a search."""

    OPERATORS = "operators"
    POPULATION = "population"


LIMITS = {
    "generations": (int, "Stop after N generations."),
    "evaluations": (int, "Stop after N evaluations."),
    "seconds": (float, "Time budget in seconds."),
    "stalled": (int, "Stop after N generations without improvement."),
    "equal_means": (int, "Stop after N generations with the same mean fitness of the population."),
    "target": (float, "Stop at this best score or lower."),
}
"""Budget options of every search, the fields of `evomask.runs.search.Limits`."""

MaskedOut = Annotated[
    Path | None, typer.Option("--out", "-o", help="Masked file of the picked point.")
]
Pick = Annotated[
    str,
    typer.Option(
        "--pick", "--point", help="Point to write: its number, best, knee, max-risk=R, max-loss=L."
    ),
]
RunFolder = Annotated[
    Path | None, typer.Option("--run", help="Folder to save the run in, so that it can be resumed.")
]
StudyOption = Annotated[
    Study | None,
    typer.Option(
        "--study",
        help="Add a study: operators (repeats the search with each operator alone), or population "
        "(diversity of the files, by replaying the run).",
    ),
]
Figures = Annotated[
    Path | None,
    typer.Option("--figures", help="Folder for charts and data of --study [--run DIR/study]."),
]


class SearchGroup(TyperGroup):
    """The commands of all searches; the module of a search is imported when it is used."""

    def list_commands(self, _ctx: typer.Context) -> list[str]:  # type: ignore[override]
        from evomask.runs.catalogue import search_names

        return list(search_names())

    def get_command(self, _ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # noqa: ANN401
        from evomask.runs.catalogue import search_named, search_names

        return _command_of(search_named(cmd_name)) if cmd_name in search_names() else None


searches = typer.Typer(
    cls=SearchGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Run one search on one file; every search has its own --help.",
)


@searches.callback()
def _searches() -> None:
    """Run one search on one file; every search has its own --help."""


def _command_of(search: "Search") -> Any:  # noqa: ANN401
    from evomask.runs.catalogue import parameters_of, summary_of

    parameters = parameters_of(search.parameters)

    def command(**values: Any) -> None:  # noqa: ANN401
        limits = {limit: values.pop(limit) for limit in LIMITS}
        given = {p.name: values.pop(p.name) for p in parameters}
        texts = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in given.items()
            if value is not None
        }
        _search(search.name, texts, limits, **values)

    file, *shared = list(inspect.signature(_search).parameters.values())[3:]
    own = [_own_option(parameter) for parameter in parameters]
    budget = [_limit_option(*item) for item in LIMITS.items()]
    signature = [file, *own, *budget, *shared]
    command.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    needs_k = any(p.option == "-k" and p.is_required for p in parameters)
    example = (
        f"evomask search {search.name} survey.csv --quasi age,sex,income"
        f"{' -k 5' if needs_k else ''} --seconds 30 --out masked.csv"
    )
    register_command(app, name=search.name, help=summary_of(search))(examples(example)(command))
    return get_command(app)


def _own_option(parameter: "Parameter") -> inspect.Parameter:
    is_flag = parameter.hint is bool
    default = "required" if parameter.is_required else parameter.default
    name = f"{parameter.option}/--no-{parameter.option[2:]}" if is_flag else parameter.option
    option = typer.Option(name, help=f"{parameter.meaning} [{default}]", rich_help_panel=OWN)
    return _optional(parameter.name, Annotated[bool | None if is_flag else str | None, option])


def _limit_option(name: str, about: tuple[type, str]) -> inspect.Parameter:
    kind, text = about
    option = typer.Option(f"--{name.replace('_', '-')}", help=text, rich_help_panel=BUDGET)
    return _optional(name, Annotated[kind | None, option])


def _optional(name: str, annotation: Any) -> inspect.Parameter:  # noqa: ANN401
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=None, annotation=annotation)


@options.with_data_options
def _search(
    name: str,
    texts: dict[str, str],
    limits: dict[str, Any],
    file: options.DataFile,
    out: MaskedOut = None,
    pick: Pick = "best",
    run: RunFolder = None,
    study: StudyOption = None,
    figures: Figures = None,
    keep_table: options.KeepTable = None,
    keep_model: options.KeepModel = None,
    keep_indicator: options.KeepIndicator = None,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    from evomask.execution.local import open_evaluators
    from evomask.runs.search import Limits, SearchJob, search_file
    from evomask.runs.store.preserved_analyses import parse_analyses

    job = SearchJob(
        source=source(file), search=name, options=texts, limits=Limits(**limits), out=out,
        pick=pick, folder=run, seed=seed, force=force,
        keep=parse_analyses(keep_table, keep_model, keep_indicator),
    )  # fmt: skip
    with open_evaluators(workers, cluster) as evaluators:
        done = search_file(job, evaluators=evaluators, watch=_progress_callback(quiet=quiet))
        more = _run_study(done, study, figures or (run and run / "study"), evaluators)
    if figures is not None and done.charts:
        from evomask.runs.figures import write_charts

        more["figures"] = write_charts(done.charts, figures) + more.get("figures", [])
    _print_run(done, run, more, json=json, quiet=quiet)


@examples(
    "evomask resume release                       # with the rest of its budget",
    "evomask resume release --seconds 300         # with 300 seconds more",
)
def resume(
    folder: options.RunFolder,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=0, help="Search N seconds more; 0 releases at once."),
    ] = None,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    key_file: options.KeyFile = None,
    edited_plan: options.EditedPlan = False,
    strict_releases: options.StrictReleases = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Continue the interrupted or finished run in DIR."""
    from evomask.cli.terminal.live_view import busy

    if outofcore.is_chunked_run(folder):
        outofcore.refuse(seconds=seconds, edited_plan=edited_plan, strict_releases=strict_releases)
        outofcore.resume(folder, key_file, workers, cluster, json=json, quiet=quiet)
        return
    with busy(f"opening {folder}", quiet=quiet):
        from evomask.execution.local import open_evaluators
        from evomask.runs.protect import is_protection
        from evomask.runs.search import resume as resume_search
        from evomask.runs.store.run_folder import RunFolder

        plan = RunFolder(folder).plan()
    if seconds is not None and not is_protection(plan):
        raise ParameterError("--seconds is for runs of protect; a single search follows its plan")
    with open_evaluators(workers, cluster) as evaluators:
        if is_protection(plan):
            resume_protected(
                folder,
                evaluators=evaluators,
                json=json,
                quiet=quiet,
                key_file=key_file,
                seconds=seconds,
                edited_plan=edited_plan,
                strict_releases=strict_releases,
            )
            return
        done = resume_search(folder, evaluators=evaluators, watch=_progress_callback(quiet=quiet))
    _print_run(done, folder, {}, json=json, quiet=quiet)


def _progress_callback(*, quiet: bool) -> "EventCallback | None":
    """Return a callback that prints compilation, and the best score twice a second."""
    from evomask.runs.store.journal import Event, GenerationFinished, Phase, PhaseStarted

    show = throttled(str)

    def watch(event: Event) -> None:
        if isinstance(event, GenerationFinished):
            show(f"generation {event.generation}, best {event.best:.4f}")
        elif isinstance(event, PhaseStarted) and event.phase in (Phase.COMPILING, Phase.PROVING):
            progress(event.text, quiet=False)

    return None if quiet else watch


def _print_run(
    run: "Run", folder: Path | None, more: Mapping[str, Any], *, json: bool, quiet: bool
) -> None:
    if "matrices" in run.answer:
        from evomask.runs.figures import write_matrices

        written = write_matrices(run, folder)
        more = {**more, "files": written} if written else more
    notes(run.notes, quiet=quiet)
    if json:
        say_json({**_as_json(run, folder), **more})
    else:
        say(_text(run, folder))
        for path in more.get("figures", ()):
            say(f"figure {path}")
        for path in more.get("files", ()):
            say(f"file {path}")


def _run_study(
    run: "Run", study: Study | None, folder: Path | None, evaluators: "Evaluators"
) -> dict[str, Any]:
    if study is None:
        return {}
    from evomask.runs.figures import write_study

    found = tuple(entry_points(group="evomask.studies", name=study.value))
    if not found:
        raise ParameterError(f"no installed package offers the study {study.value!r}")
    done = found[0].load().of(run, evaluators=evaluators)
    if folder is None:
        return {"study": done.as_json}
    written = write_study(done.as_json, done.charts, folder)
    return {"study": done.as_json, "figures": written}


def _as_json(run: "Run", folder: Path | None) -> dict[str, object]:
    from evomask.runs.store.run_summary import finite_json

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
        **({"kept": analyses_as_json(run.kept)} if run.kept else {}),
    }
    if run.plan.out is not None:
        result |= {"masked": str(run.plan.out), "chosen": run.chosen.as_json()}
    if folder is not None:
        result["run"] = str(folder)
    shown: dict[str, object] = finite_json(result)
    return shown


def _text(run: "Run", folder: Path | None) -> str:
    state = run.state
    answer: Mapping[str, Any] = run.answer
    lines = [
        f"{run.plan.search}: {len(run.front)} points in {run.seconds:.1f} s",
        f"{state.generation} generations, {state.evaluations} evaluations",
        f"initial best {_values(run.initial_best.items())}",
        f"best         {_values(run.best.as_json().items())}",
        *(f"{', '.join(p['attributes'])}: {p['because']}" for p in answer.get("explanation", ())),
        *([f"at most {answer['gap']:.2f} % above the optimum"] if "gap" in answer else []),
        *_point_lines(run),
        *(f"preserved: {analysis_summary(statistic)}" for statistic in run.kept),
    ]
    if run.plan.out is not None:
        lines.append(f"point {run.chosen.point} is written to {run.plan.out}")
    if folder is not None:
        lines.append(f"the run is saved in {folder}; it holds records, keep it confidential")
    return "\n".join(lines)


def _point_lines(run: "Run") -> list[str]:
    if len(run.front) < 2:
        return []
    points = run.front[:MAX_POINTS]
    lines = [f"point {p.point}: {_values(p.readings.items())}" for p in points]
    rest = len(run.front) - len(lines)
    return [*lines, f"and {rest} more points, see --json"] if rest else lines


def _values(readings: Iterable[tuple[str, Any]]) -> str:
    numbers = {name: value for name, value in readings if isinstance(value, float)}
    texts = {name: f"{value:.4f}".rstrip("0").rstrip(".") for name, value in numbers.items()}
    return ", ".join(f"{name} {text}" for name, text in texts.items())
