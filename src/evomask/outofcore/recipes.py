"""A recipe for a file larger than memory: found on a sample, applied chunk by chunk.

The sample is protected like any file, in a run folder of its own. The chosen recipe masks every
chunk as `evomask apply` masks a file. Chunks are random samples of the file (`shuffle.mix_chunks`),
so a recipe does to each what it did to the sample; classes that are large enough in every chunk are
so in the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import tomli_w

from evomask.data.hierarchy import with_unknown_values
from evomask.data.schema import MISSING, Attribute
from evomask.errors import EvomaskError
from evomask.evolution.streams import member_seed
from evomask.execution.evaluator import Evaluators
from evomask.io.chunks import (
    FLAG,
    Parts,
    Place,
    became_texts,
    joined_frames,
    with_masked,
    write_part,
)
from evomask.io.files import replace_file
from evomask.io.paired_chunks import with_flags
from evomask.io.schemas import AttributeEntry, ScenarioEntry
from evomask.io.sources import Source
from evomask.measures.disclosure.control_group import control_size
from evomask.outofcore import prepare
from evomask.outofcore.prepare import (
    OWNER_ALONE,
    SAMPLE_FOLDER,
    WORK,
    Overview,
    PreparedFile,
    Progress,
    Result,
    Step,
    run_step,
)
from evomask.runs.apply import mask_by_recipe, recipe_context
from evomask.runs.inputs import Input, declarations_of, intruders_of, load_source
from evomask.runs.recipes import SavedRecipe, read_recipe

DATA, SCHEMA = "sample.parquet", "schema.toml"
"""Files of the sample and of its schema."""


TWIN = "twin"
"""Folder of the masked file without its control group, among the work files."""


def sample_input(source: Input, file: PreparedFile, overview: Overview) -> Input:
    """Write a sample of mixed chunks, and a schema with the categories of all of them.

    They stay in the folder, for later choices.
    """
    folder = file.folder / SAMPLE_FOLDER
    path, schema = folder / DATA, folder / SCHEMA
    if schema.exists():
        return Input(path, schema)
    folder.mkdir(mode=OWNER_ALONE, exist_ok=True)
    share = min(1.0, prepare.SAMPLE / file.parts.records)
    first = (
        file.parts.read(number).head(int(np.ceil(share * place.records)))
        for number, place in enumerate(file.parts.places)
    )
    write_part(joined_frames(first), path)
    declared = declarations_of(source)[1]
    known = {a.name: a for a in overview.attributes}
    attributes = {
        a.name: _entry(known.get(a.name, a), is_known=a.name in known)
        for a in file.schema
        if a.role.is_released
    }
    scenarios = {one.name: ScenarioEntry.of_scenario(one) for one in intruders_of(declared, source)}
    content = msgspec.structs.replace(declared, attributes=attributes, scenarios=scenarios)
    text = tomli_w.dumps(_without_none(msgspec.to_builtins(content))).encode()
    replace_file(schema, lambda target: target.write(text))
    return Input(path, schema)


def _entry(attribute: Attribute, *, is_known: bool) -> AttributeEntry:
    """Declare a column of the sample as in the whole file.

    Args:
        is_known: whether the categories are those of the whole file.
    """
    tree = attribute.hierarchy
    return AttributeEntry(
        kind=attribute.kind,
        role=attribute.role,
        categories=[c for c in attribute.categories if c != MISSING] if is_known else [],
        decimals=attribute.decimals if not attribute.is_categorical else None,
        hierarchy=str(Path(tree).absolute()) if tree and Path(tree).is_file() else None,
        linked=attribute.linked,
    )


def _without_none(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {name: _without_none(part) for name, part in value.items() if part is not None}
    return value


@dataclass(frozen=True)
class ApplyTask:
    """Masks one chunk by a recipe, and enforces there what the recipe requires.

    Args:
        recipe: its file.
    """

    parts: Parts
    recipe: Path
    folder: str
    seed: int

    def __call__(self, number: int) -> Result:
        saved, frame = read_recipe(self.recipe), self.parts.read(number)
        loaded = load_source(Source(frame), Input(self.recipe, self.recipe))
        context = recipe_context(saved, loaded, member_seed(self.seed, number))
        masked = mask_by_recipe(context, saved.recipe)
        suppressed = masked.suppressed
        made = with_masked(frame, replace(masked, suppressed=np.zeros_like(suppressed)), ())
        write_part(with_flags(made, suppressed), _applied_path(self.folder, number))
        texts = became_texts(frame, made)
        return {"records": len(frame), "suppressed": int(suppressed.sum()), "texts": texts}


@dataclass(frozen=True)
class AppliedChunks:
    """Masked chunks in the order of the mixed ones; nothing is released yet."""

    parts: Parts
    suppressed: int


def apply_recipe(
    file: PreparedFile, recipe: Path, seed: int, evaluators: Evaluators, told: Progress
) -> AppliedChunks:
    """Mask all chunks of a mixed file by a recipe.

    A column that has texts in any chunk, such as intervals, has texts in all of them.
    """
    folder = str(file.folder)
    task = ApplyTask(file.parts, recipe, folder, seed)
    rows = run_step(Step(folder, "apply", task), len(file.parts), evaluators, told)
    places = (
        Place(str(_applied_path(folder, number)), 0, place.records)
        for number, place in enumerate(file.parts.places)
    )
    texts = tuple(dict.fromkeys(name for row in rows for name in row["texts"]))
    parts = Parts(tuple(places), (*file.parts.columns, FLAG), texts)
    return AppliedChunks(parts, sum(int(row["suppressed"]) for row in rows))


@dataclass(frozen=True)
class Twin:
    """A file without its control group, masked by the same recipe.

    Args:
        control: records of the control group, as read.
    """

    file: PreparedFile
    masked: Parts
    control: Any


def masked_twin(
    file: PreparedFile, masked: Parts, recipe: Path, evaluators: Evaluators, told: Progress
) -> Twin | None:
    """Mask a mixed file without the last records of every chunk; None if it has too few records.

    A recipe that cannot mask the others leaves them as in the release.
    """
    size = -(-control_size(file.parts.records) // len(file.parts))
    places = file.parts.places
    if not size or size >= min(place.records for place in places):
        return None
    folder = file.folder / WORK / TWIN
    (folder / WORK).mkdir(parents=True, exist_ok=True)
    others = replace(file.parts, places=tuple(_shorter(place, size) for place in places))
    twin = replace(file, folder=folder, parts=others)
    try:
        made = apply_recipe(twin, recipe, file.seed, evaluators, told).parts
    except EvomaskError:
        made = replace(masked, places=tuple(_shorter(place, size) for place in masked.places))
    out = (file.parts.read(number).tail(size) for number in range(len(places)))
    return Twin(twin, made, joined_frames(out))


def _shorter(place: Place, size: int) -> Place:
    return replace(place, records=place.records - size)


def with_recipe_hierarchies(
    file: PreparedFile, saved: SavedRecipe, attributes: Sequence[Attribute]
) -> PreparedFile:
    """Add the hierarchies of a recipe, which say what generalized cells mean."""
    categories = {a.name: a.categories for a in attributes}
    trees = {
        name: with_unknown_values([tuple(line) for line in lines], categories[name])
        for name, lines in saved.file.hierarchies.items()
    }
    return replace(file, trees={**file.trees, **trees})


def _applied_path(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"made-{number:06}.parquet"
