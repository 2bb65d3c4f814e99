"""Files of recipes (``recipe.toml``): written beside every release, read by `apply` and `protect`.

A recipe file is a schema file with masking steps, requirement, seed and the loss and risk that the
recipe led to. It holds no records; of their values only the categories of automatic hierarchies
and of PRAM matrices that its steps need.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from evomask.data.hierarchy import Bands
from evomask.data.hierarchy_builders import natural_order
from evomask.data.schema import MISSING, Attribute, Kind, Role, Schema, Storage
from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import DECIMALS, FrontPoint
from evomask.errors import EvomaskError, RunError, SchemaError
from evomask.io.dialects import Dialect
from evomask.io.schemas import (
    BARE_KEY,
    AttributeEntry,
    FileSection,
    PromisedSection,
    RecipeFile,
    RulesSection,
    ScenarioEntry,
    read_recipe_file,
)
from evomask.masking.enforce.requirement import parse_requirement
from evomask.masking.provenance import Step
from evomask.masking.recipe import NEEDS_HIERARCHIES, Recipe, canonical, check_step, joined
from evomask.measures.disclosure.risk import RiskAssessment
from evomask.measures.loss.loss import EQUAL_WEIGHTS, LossWeights, parse_loss_weights
from evomask.measures.profiles import profile
from evomask.searches.catalogue import RECIPES

RECIPE = "recipe.toml"
"""Name of the recipe file in a run folder."""

FORMAT = 1

METHOD, ATTRIBUTES = "method", "attributes"
"""Keys of a step besides its parameters."""

MATRICES = "matrices"
"""Parameter with the transition matrices of attributes."""

HEAD = """\
# A recipe: how a file was masked. Edit it if you like, and mask another file of the same columns:
#   evomask apply recipe.toml FILE --output FOLDER
# Each step has a method, attributes and parameters (evomask mask --list explains them); what is
# required in general or in a scenario is enforced after the steps.
"""

SEED_NOTE = (
    "# Keep the seed secret: with it, random masking can be undone. Without it, one is drawn.\n"
)


@dataclass(frozen=True)
class SavedRecipe:
    """A recipe with its file."""

    file: RecipeFile
    recipe: Recipe


def read_recipe(path: Path) -> SavedRecipe:
    """Read and check the file of a recipe; an error names the step, column or parameter."""
    file = read_recipe_file(path)
    if file.format != FORMAT:
        raise RunError(f"{path} has format {file.format}, this version reads {FORMAT}")
    try:
        parse_requirement(file.require)
        parse_loss_weights(file.loss)
        profile(file.profile)
        steps = [_parse_step(number, plain) for number, plain in enumerate(file.steps, 1)]
        _check_columns(steps, file)
    except EvomaskError as error:
        raise type(error)(f"{path}: {error}") from None
    required = file.require or any(one.require for one in file.scenarios.values())
    if not steps and not required:
        raise SchemaError(f"{path} has no steps and requires nothing; add a step under [[steps]]")
    return SavedRecipe(file, canonical(steps))


def _parse_step(number: int, plain: Mapping[str, Any]) -> Step:
    method, names = plain.get(METHOD), plain.get(ATTRIBUTES)
    if not isinstance(method, str):
        raise SchemaError(f'step {number} names no method; add method = "…"')
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise SchemaError(f'step {number} ({method}) names no attributes; add attributes = ["…"]')
    own = {key: value for key, value in plain.items() if key not in (METHOD, ATTRIBUTES)}
    return Step(method, own, tuple(names))


def _check_columns(steps: Iterable[Step], file: RecipeFile) -> None:
    """Check the steps as far as the file declares its columns."""
    declared = tuple(
        Attribute(name, entry.kind or Kind.NOMINAL, entry.role or Role.OTHER)
        for name, entry in file.attributes.items()
    )
    check_steps(steps, Schema(declared) if declared else None)


def check_steps(steps: Iterable[Step], schema: Schema | None) -> None:
    """Raise where a step cannot mask the attributes of a schema; the error names the step."""
    for number, step in enumerate(steps, 1):
        try:
            check_step(step, schema)
        except EvomaskError as error:
            raise type(error)(f"step {number}: {error}") from None


def recipe_file(
    context: EvaluationContext,
    point: FrontPoint,
    genome: Any,  # noqa: ANN401
    dialect: Dialect | None = None,
) -> RecipeFile | None:
    """Return the recipe of a point; None for a masking that belongs to its records.

    Args:
        genome: genome of the point.
        dialect: dialect of the file that it was found on.
    """
    if point.member != RECIPES:
        return None
    table, settings = context.table, context.settings
    recipe: Recipe = genome
    generalized = {
        n for step in recipe if step.method == NEEDS_HIERARCHIES for n in step.attributes
    }
    by_position = {n for step in recipe if MATRICES in step.parameters for n in step.attributes}
    return RecipeFile(
        require=settings.requirement.as_text,
        profile=settings.profile,
        loss=_loss_text(settings.loss),
        seed=context.seed,
        steps=[
            {METHOD: step.method, ATTRIBUTES: list(step.attributes), **step.parameters}
            for step in joined(recipe)
        ],
        promised=PromisedSection(
            records=len(table),
            loss=round(point.loss, DECIMALS),
            risk=round(point.risk, DECIMALS),
            scenarios=scenario_risks(point.assessment),
        ),
        attributes={a.name: _entry(a, generalized, by_position) for a in table.schema},
        hierarchies=dict(_automatic_hierarchies(context, generalized)),
        scenarios={one.name: ScenarioEntry.of_scenario(one) for one in table.schema.scenarios},
        rules=RulesSection(list(table.schema.edits)),
        file=FileSection(missing=list(dialect.missing)) if dialect else FileSection(),
    )


def scenario_risks(assessment: RiskAssessment | None) -> dict[str, float]:
    """Risk in each scenario in percent, if there are several."""
    several = assessment.scenarios if assessment and len(assessment.scenarios) > 1 else ()
    return {one.name: round(one.risk, DECIMALS) for one in several}


def _loss_text(weights: LossWeights) -> str:
    if weights == EQUAL_WEIGHTS:
        return ""
    return ",".join(f"{name}={value:g}" for name, value in weights._asdict().items())


def _entry(attribute: Attribute, generalized: set[str], by_position: set[str]) -> AttributeEntry:
    """Declare a column, so that another file is read in the same way.

    Args:
        by_position: attributes whose matrices a recipe holds, in the order of their categories.
    """
    known = [category for category in attribute.categories if category != MISSING]
    has_order = attribute.kind is Kind.ORDINAL and attribute.storage is Storage.TEXT
    is_needed = attribute.name in by_position or (has_order and known != natural_order(known))
    has_decimals = attribute.storage is Storage.REAL and attribute.kind is Kind.CONTINUOUS
    path = attribute.hierarchy if attribute.name in generalized else None
    return AttributeEntry(
        kind=Kind.DATE if attribute.is_date else attribute.kind,
        role=Role.PSEUDONYM if attribute.pseudonym else attribute.role,
        categories=known if is_needed else [],
        decimals=attribute.decimals if has_decimals else None,
        hierarchy=str(Path(path).absolute()) if path and _is_file(path) else None,
        linked=attribute.linked,
        since=attribute.since,
    )


def _is_file(path: str | None) -> bool:
    return path is not None and Path(path).is_file()


def _automatic_hierarchies(
    context: EvaluationContext, names: Iterable[str]
) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the hierarchies that no file has."""
    for name in sorted(names):
        lines = context.hierarchies.get(name)
        if lines is None or isinstance(lines, Bands):
            continue
        if not _is_file(context.table.attribute(name).hierarchy):
            yield name, [list(line) for line in lines]


def recipe_text(file: RecipeFile) -> str:
    """Return a recipe as the text of its file."""
    plain: dict[str, Any] = _drop_none(msgspec.to_builtins(file))
    steps = plain.pop("steps", [])
    plain.pop("format", None)
    top = {n: plain.pop(n) for n in ("require", "profile", "loss", "seed") if n in plain}
    lines = [HEAD, SEED_NOTE if "seed" in top else "", f"format = {FORMAT}\n"]
    lines += [f"{name} = {_value(value)}\n" for name, value in top.items()]
    for step in steps:
        lines += ["\n[[steps]]\n", *(f"{_key(n)} = {_value(v)}\n" for n, v in step.items())]
    order = ("promised", "scenarios", "rules", "attributes", "file")
    rest = {name: plain[name] for name in order if plain.get(name)}
    return "".join([*lines, "\n", tomli_w.dumps(rest), *_hierarchy_lines(file.hierarchies)])


def _hierarchy_lines(hierarchies: Mapping[str, list[list[str]]]) -> Iterator[str]:
    """Yield the section of the hierarchies, one value with its ancestors a line."""
    if hierarchies:
        yield "\n[hierarchies]\n"
    for name, lines in hierarchies.items():
        yield f"{_key(name)} = [\n"
        yield from (f"    {_value(line)},\n" for line in lines)
        yield "]\n"


def _drop_none(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {name: _drop_none(part) for name, part in value.items() if part is not None}
    return value


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else _value(name)


def _value(value: Any) -> str:  # noqa: ANN401
    """Encode a value on one line; text and lists of TOML are those of JSON."""
    if isinstance(value, Mapping):
        parts = (f"{_key(key)} = {_value(part)}" for key, part in value.items())
        return f"{{ {', '.join(parts)} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
