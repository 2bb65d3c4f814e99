"""The library of named scenarios, and files of the same form that extend it."""

from functools import cache
from pathlib import Path

import msgspec

from evomask.data.roles.scenarios import NamedScenario, ScenarioLibrary
from evomask.data.scenario import parse_tolerance
from evomask.errors import EvomaskError, FileError, SchemaError
from evomask.io.files import read_regular_file
from evomask.io.schemas import describe_error

LIBRARY_PATH = Path(__file__).with_name("scenarios.toml")


class NamedScenarioEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[scenarios.NAME]`` of a library."""

    reason: str
    knows: list[str] = []
    knows_about: dict[str, str | float] = {}
    needs: list[str] = []
    any: int = 0
    takes_part: bool = True
    require: str = ""
    source: str = ""

    def scenario(self, name: str) -> NamedScenario:
        """Return the scenario of that name."""
        return NamedScenario(
            name=name,
            reason=self.reason,
            knows=tuple(self.knows),
            knows_about={n: parse_tolerance(amount) for n, amount in self.knows_about.items()},
            needs=tuple(self.needs),
            any=self.any,
            takes_part=self.takes_part,
            require=self.require,
            source=self.source,
        )


class LibraryFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A library of scenarios: words of each topic, and what intruders know of the topics."""

    topics: dict[str, str] = {}
    scenarios: dict[str, NamedScenarioEntry] = {}


@cache
def scenario_library() -> ScenarioLibrary:
    """Return the library that ships with evomask."""
    return _extended(ScenarioLibrary({}, ()), LIBRARY_PATH)


def read_library(path: Path | None = None) -> ScenarioLibrary:
    """Return the library, extended by the scenarios and words of a file.

    A scenario replaces the one of the same name; words are added to those of their topic, and new
    topics come first.
    """
    return scenario_library() if path is None else _extended(scenario_library(), path)


def _extended(library: ScenarioLibrary, path: Path) -> ScenarioLibrary:
    file = _read(path)
    words = {name: frozenset(text.split()) for name, text in file.topics.items()}
    topics = {n: stems | words.get(n, frozenset()) for n, stems in library.topics.items()}
    topics = {n: stems for n, stems in words.items() if n not in topics} | topics
    scenarios = {scenario.name: scenario for scenario in library.scenarios}
    for name, entry in file.scenarios.items():
        try:
            scenarios[name] = entry.scenario(name)
        except EvomaskError as error:
            raise SchemaError(f"{path}, scenario {name!r}: {error}") from None
        for topic in (*scenarios[name].topics, *entry.needs):
            if topic not in topics:
                raise SchemaError(
                    f"{path}, scenario {name!r}: there is no topic {topic!r}; "
                    f"add its words below [topics], or use one of {', '.join(topics)}"
                )
        if not 0 <= entry.any < max(1, len(scenarios[name].topics)):
            raise SchemaError(
                f"{path}, scenario {name!r}: any must be from 0 to less than the number of topics, "
                f"got {entry.any}"
            )
    return ScenarioLibrary(topics, tuple(scenarios.values()))


def _read(path: Path) -> LibraryFile:
    try:
        return msgspec.convert(msgspec.toml.decode(read_regular_file(path)), LibraryFile)
    except FileNotFoundError:
        raise FileError(f"there is no library of scenarios {path}; check the name") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(
            f"{path} is not a library of scenarios: {describe_error(error)}"
        ) from None
