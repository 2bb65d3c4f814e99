"""Several masked frames of one original together: `difference`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from evomask.api.arguments import checked
from evomask.api.schema import Schema, known_frame, schema_of
from evomask.data.frames import Frame

if TYPE_CHECKING:
    from evomask.runs.difference import Difference


@checked
def difference(
    original: Frame,
    masked: Mapping[str, Frame],
    *,
    schema: Schema | str | Path | None = None,
    tables: Iterable[str] = (),
    require: str = "",
) -> "Difference":
    """Return what an intruder learns from several masked frames of one original together.

    Args:
        masked: masked frames by name, their records in the order of the original.
        schema: a `Schema`, or the path of a schema file, with the scenarios.
        tables: published tables of the original, such as ``education x sex``.
        require: k that all of them together must have, such as ``k=3``.

    ``scenarios`` of the result has, for each intruder, k together and in each, people who are
    unique, and people all of whose candidates share a confidential value; ``holds`` says whether
    the required k does, ``sentence`` describes the worst scenario.

    Example:
        import evomask

        people = evomask.read("survey.csv").select("age", "sex", "health").head(200)
        schema = evomask.Schema(quasi=["age", "sex"], confidential=["health"])
        masked = {
            f"k = {k}": evomask.mask(people, evomask.MdavGeneric(("age", "sex"), k=k), seed=1)
            for k in (3, 4)
        }
        found = evomask.difference(people, masked, schema=schema)
        assert found.scenarios[0].each == (3, 4) and found.scenarios[0].k < 3
        print(found.sentence)
    """
    from evomask.io.tables import source_of
    from evomask.runs.difference import difference_of_versions
    from evomask.runs.start import version_of

    loaded = known_frame(original, schema_of(schema, Schema()))
    versions = {name: version_of(source_of(frame), loaded) for name, frame in masked.items()}
    return difference_of_versions(loaded, versions, tuple(tables), require)
