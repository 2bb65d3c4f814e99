"""``evomask mask``: apply one masking method to a file."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import outofcore
from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import DASH, notes, output_path, progress, say, say_json
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.runs.catalogue import MethodEntry
    from evomask.runs.mask import MaskJob, MaskOutcome


@examples(
    "evomask mask survey.csv --method mdav -k 5 --out masked.csv",
    "evomask mask survey.csv --method rank-swapping --window 5 --attributes income,age --out -",
    "evomask mask --list",
)
@options.with_data_options
def mask(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="File of records, or - for standard input."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="Masking method; see --list.",
            autocompletion=options.complete_methods,
        ),
    ] = "mdav",
    k: Annotated[
        str | None, typer.Option("-k", help="Smallest group or equivalence class.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Masked file to write, or - for standard output."),
    ] = None,
    attributes: Annotated[
        str,
        typer.Option(
            "--attributes", help="Attributes to mask, A,B,C [default: all quasi-identifiers]."
        ),
    ] = "",
    matrices: Annotated[
        Path | None,
        typer.Option("--matrices", help="Folder of PRAM matrices, NAME.csv for each attribute."),
    ] = None,
    copies: Annotated[
        int, typer.Option("--copies", min=1, help="Synthetic copies: OUT-1, OUT-2 and so on.")
    ] = 1,
    list_: Annotated[
        bool, typer.Option("--list", help="List the methods with their options.")
    ] = False,
    in_parts: options.InParts = False,
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Mask FILE with one method; options of the method, such as --window 5, are accepted too."""
    from evomask.runs.catalogue import method_named
    from evomask.runs.mask import MaskJob, mask_file

    if list_:
        _list_methods(as_json=json)
        return
    if file is None or out is None:
        raise typer.BadParameter("give FILE and --out MASKED, or --list")
    parameters = method_options(method_named(method), context.args)
    progress(f"masking {file} with {method}", quiet=quiet)
    if k is not None:
        parameters["k"] = k
    names = options.names(attributes)
    if in_parts or file.is_dir():
        from evomask.outofcore.mask import PartsJob

        job = PartsJob(
            source=source(file), method=method, out=out, options=parameters, attributes=names,
            seed=seed,
        )  # fmt: skip
        outofcore.mask(job, workers, cluster, json=json, quiet=quiet)
        return
    if copies > 1:
        _mask_copies(
            MaskJob(
                source=source(file), method=method, out=out, options=parameters, attributes=names,
                seed=seed, force=force,
            ),
            copies, json=json, quiet=quiet,
        )  # fmt: skip
        return
    data = source(file)
    with output_path(out, data.path, json=json) as target:
        outcome = mask_file(
            MaskJob(
                source=data, method=method, out=target, options=parameters, attributes=names,
                matrices=matrices, seed=seed, force=force,
            )
        )  # fmt: skip
    notes(outcome.notes, quiet=quiet)
    if out == DASH:
        progress(_text(replace(outcome, out=Path("standard output"))), quiet=quiet)
    else:
        say_json(_as_json(outcome)) if json else say(_text(outcome))


def _mask_copies(job: "MaskJob", copies: int, *, json: bool, quiet: bool) -> None:
    from evomask.runs.mask import mask_copies

    outcomes = mask_copies(job, copies)
    together = (
        "several copies tell more of people than one: audit them together "
        "(evomask audit COPY... --original FILE); evomask combine estimates from all of them"
    )
    notes((*outcomes[0].notes, together), quiet=quiet)
    if json:
        say_json({"copies": [_as_json(one) for one in outcomes]})
    for one in outcomes if not json else ():
        say(_text(one))


def method_options(entry: "MethodEntry", words: list[str]) -> dict[str, str]:
    """Parse the options of a method, ``--name value`` or ``--name=value``, by parameter name."""
    known = {parameter.option: parameter for parameter in entry.parameters}
    texts: dict[str, str] = {}
    rest = list(words)
    while rest:
        option, equals, value = rest.pop(0).partition("=")
        if option not in known:
            raise typer.BadParameter(
                f"{entry.name} has no option {option}; it has {', '.join(known) or 'none'}"
            )
        if not equals and known[option].hint is not bool:
            if not rest:
                raise ParameterError(f"{option} needs a value: {known[option].meaning}")
            value = rest.pop(0)
        texts[known[option].name] = value
    return texts


def _as_json(outcome: "MaskOutcome") -> dict[str, object]:
    result: dict[str, object] = {
        "method": outcome.method,
        "masked": str(outcome.out),
        "records": outcome.records,
        "suppressed": outcome.suppressed,
        "suppressed_cells": dict(outcome.suppressed_cells),
        "attributes": list(outcome.attributes),
        "seconds": outcome.seconds,
        "notes": list(outcome.notes),
    }
    if outcome.aggregation:
        result |= {
            "sse": outcome.aggregation.sse,
            "il": outcome.aggregation.il,
            "groups": outcome.aggregation.groups,
        }
    return result


def _text(outcome: "MaskOutcome") -> str:
    masked = f"{outcome.records} records, {len(outcome.attributes)} attributes masked"
    lines = [f"{masked} by {outcome.method} in {outcome.seconds:.2f} s: {outcome.out}"]
    if outcome.suppressed:
        lines.append(f"{outcome.suppressed} records suppressed")
    if outcome.suppressed_cells:
        counts = outcome.suppressed_cells
        names = ", ".join(f"{name} {count}" for name, count in counts.items())
        lines.append(f"{sum(counts.values())} cells suppressed: {names}")
    if outcome.aggregation:
        aggregation = outcome.aggregation
        lines.append(
            f"{aggregation.groups} groups, SSE {aggregation.sse:.4f}, "
            f"information loss {aggregation.il:.4f} % "
            "(0 = original values, 100 = all records equal)"
        )
    return "\n".join(lines)


def _list_methods(*, as_json: bool) -> None:
    from evomask.runs.catalogue import ALL_METHODS

    if as_json:
        say_json({"methods": [_method_as_json(entry) for entry in ALL_METHODS]})
        return
    for entry in ALL_METHODS:
        say(f"{entry.name}: {entry.summary}")
        say(f"    masks {', '.join(sorted(entry.kinds))} attributes")
        for parameter in entry.parameters:
            default = "" if parameter.is_required else f" [{parameter.default}]"
            say(f"    {parameter.option}{default}  {parameter.meaning}")


def _method_as_json(entry: "MethodEntry") -> dict[str, object]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "kinds": sorted(entry.kinds),
        "options": [
            {"option": p.option, "meaning": p.meaning, "required": p.is_required}
            for p in entry.parameters
        ],
    }
