"""The readers of evomask against a fuzzer that sees which code it reaches: ``make fuzz``.

    python tests/fuzz/readers.py table -max_total_time=60

Only errors of evomask may come of any bytes; atheris stops at the first other one and keeps
the bytes that made it.
"""

import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["evomask"]):
    from evomask.data.edits import parse_rule
    from evomask.data.schema import Attribute, Kind
    from evomask.errors import EvomaskError
    from evomask.io.hierarchies import read_lines
    from evomask.io.matrices import read_matrix
    from evomask.io.schemas import read_schema
    from evomask.io.tables import read_source
    from evomask.runs.store.journal import Journal, read_events
    from evomask.runs.store.run_folder import decode_plan
    from evomask_graphs.graph_files import GraphSource, read_graph

REGION = Attribute("region", Kind.NOMINAL, categories=("n", "s", "w"))


def as_file(read: Callable[[Path], object], path: Path, content: bytes) -> None:
    """Let a reader have the bytes as a file."""
    path.write_bytes(content)
    read(path)


def readers(folder: Path) -> dict[str, Callable[[bytes], object]]:
    """What can be read, each as a function of bytes."""
    return {
        "table": partial(as_file, lambda path: read_source(path).table(), folder / "a.csv"),
        "schema": partial(as_file, read_schema, folder / "a.toml"),
        "tree": partial(as_file, read_lines, folder / "tree.csv"),
        "matrix": partial(as_file, lambda path: read_matrix(path, REGION), folder / "m.csv"),
        "graph": partial(as_file, lambda path: read_graph(GraphSource(path)), folder / "edges.csv"),
        "plan": decode_plan,
        "journal": partial(as_file, Journal, folder / "journal.jsonl"),
        "events": partial(as_file, read_events, folder / "events.jsonl"),
        "rule": lambda content: parse_rule(content.decode(errors="replace")),
    }


SEEDS = {
    "table": 'age;income\n20;1,5\n21;"2"\n',
    "schema": '[attributes.age]\nkind = "ordinal"\ndecimals = 1\n[rules]\nedits = ["age <= 3"]\n',
    "tree": 'n;"a;b";*\ns;c;*\n',
    "matrix": "region,n,s,w\nn,1,0,0\ns,0,1,0\nw,0,0,1\n",
    "graph": "source,target\na,b\n",
    "plan": 'search = "grid"\nseed = 1\n[input]\npath = "a.csv"\n[budget]\nseconds = 1.0\n',
    "journal": '{"note": "a", "value": 1}\n{"seconds": 1.5}\n{"event": "noted", "text": "x"}\n',
    "events": '{"event": "ended", "how": "finished"}\n{"event": "noted", "text": "x"}\n',
    "rule": "0 <= `a b` + 2.5e3 * c < 7",
}
"""What each reader understands, for the fuzzer to begin with."""


def main() -> None:
    """Fuzz the reader that is named first; what follows are options of libFuzzer."""
    with tempfile.TemporaryDirectory() as folder:
        name = sys.argv.pop(1)
        read = readers(Path(folder))[name]
        (Path(folder) / "seeds").mkdir()
        (Path(folder) / "seeds" / name).write_text(SEEDS[name])
        sys.argv.append(f"{folder}/seeds")

        def once(content: bytes) -> None:
            with suppress(EvomaskError):
                read(content)

        atheris.Setup(sys.argv, once)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
