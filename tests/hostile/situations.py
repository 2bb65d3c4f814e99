"""Bad situations and what they get: the table of docs/reliability.md, as something that runs."""

import fcntl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Words = tuple[object, ...]


@dataclass(frozen=True)
class Situation:
    """Something that goes wrong.

    Args:
        title: the situation, as the documentation names it.
        words: what is called; given the folder of the test, which holds ``people.csv``.
        gets: a part of the sentence that is the answer.
        code: the exit code.
        run: whether the folder holds a finished protection, ``release``, too.
    """

    title: str
    words: Callable[[Path], Words]
    gets: str
    code: int = 1
    run: bool = False


def put(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def init(name: str, content: bytes | str, *options: object) -> Callable[[Path], Words]:
    """Propose a schema for a file of that content."""
    return lambda folder: ("init", put(folder, name, content), *options)


def mask(
    *options: object, schema: str | bytes = "", out: str = "out.csv"
) -> Callable[[Path], Words]:
    """Mask the people with some options, or a schema."""

    def words(folder: Path) -> Words:
        named = ("--schema", put(folder, "people.toml", schema)) if schema else ()
        return ("mask", folder / "people.csv", *named, *options, "--out", folder / out)

    return words


def protect(*options: object) -> Callable[[Path], Words]:
    """Protect the people with some options."""
    few = ("--evaluations", 2, "--searches", "recipes", "--quasi", "age,income")
    return lambda folder: (
        "protect", folder / "people.csv", "--out", folder / "new", *few, *options
    )  # fmt: skip


def choose(change: Callable[[Path], object], *options: object, verb: str = "choose"):
    """Do something to the folder of a protection, then choose from it."""

    def words(folder: Path) -> Words:
        change(folder / "release")
        return (verb, folder / "release", *options)

    return words


def changed(name: str, old: bytes, new: bytes) -> Callable[[Path], object]:
    def change(run: Path) -> None:
        content = (run / name).read_bytes()
        assert old in content
        (run / name).write_bytes(content.replace(old, new, 1))

    return change


def held(run: Path) -> None:
    """Hold the lock of a run until the process ends, as another process would."""
    HELD.append((run / ".lock").open("wb"))
    fcntl.flock(HELD[-1], fcntl.LOCK_EX)


HELD: list[object] = []


def graph(verb: str, nodes: str, edges: str, *options: object) -> Callable[[Path], Words]:
    def words(folder: Path) -> Words:
        put(folder, "graph/nodes.csv", nodes)
        put(folder, "graph/edges.csv", edges)
        return ("graph", verb, folder / "graph", *options, "--out", folder / "out.graphml")

    return words


NODES, EDGES = "node,city,topic1\na,Rome,x\nb,Rome,x\n", "source,target\na,b\n"
USER = '{"id": "ann", "following": ["bob"]}\n'


def crawl(users: str, *options: object, **files: str) -> Callable[[Path], Words]:
    def words(folder: Path) -> Words:
        put(folder, "users/a.jsonl", users)
        for name, content in files.items():
            put(folder, name.replace("__", "/").replace("_dot_", "."), content)
        given = [folder / str(o)[1:] if str(o).startswith("@") else o for o in options]
        small = put(folder, "places.csv", "city,country,continent\nRome,Italy,Europe\n")
        places = () if "--places" in options else ("--places", small)
        out = ("--out", folder / "out.graphml", "--start", "ann", *places)
        return ("graph", "crawl", folder / "users", *out, *given)

    return words


def measure(content: str, *options: object) -> Callable[[Path], Words]:
    return lambda folder: (
        "measure", folder / "people.csv", put(folder, "masked.csv", content), *options
    )  # fmt: skip


AGE = "[attributes.age]\n"
LONG = "x" * 200_000
WIDE = ",".join(f"c{i}" for i in range(100_000)) + "\n" + ",".join(["1"] * 100_000) + "\n"
PARQUET = b"PAR1" + bytes(100) + b"PAR1"
ROW = "20,1000,n\n"

TABLES = [
    Situation("a field of 200,000 characters", init("a.csv", f"a,b\n1,{LONG}\n2,y\n"), "", 0),
    Situation("a column's name of 200,000 characters", init("a.csv", f"a,{LONG}\n1,2\n"), "", 0),
    Situation("100,000 columns", init("a.csv", WIDE), "has 100000 columns, and at most 10000 are"),
    Situation("an empty file", init("a.csv", ""), "is empty; give a file with a header"),
    Situation("blanks and line ends only", init("a.csv", " \n \n"), "is empty; give a file"),
    Situation("a header and nothing else", init("a.csv", "a,b\n"), "has a header and no records"),
    Situation("a folder in the place of a file", lambda f: ("init", f), "there is no file"),
    Situation("a file that is not there", lambda f: ("init", f / "no.csv"), "there is no file"),
    Situation("an ending that tells no format", init("a.doc", "a\n1\n"), "is not known by its"),
    Situation("zero bytes in text", init("a.csv", b"a,b\n1,\x002\n"), "is not text"),
    Situation("zero bytes in named UTF-8", init("a.csv", b"a\n\x00\n", "--encoding", "utf-8"),
              "it holds zero bytes"),
    Situation("a record with a field too many", init("a.csv", "a,b\n1,2\n1,2,3\n"), "record 2 of"),
    Situation("a quote that is never closed", init("a.csv", 'a,b\n1,"2\n'), "opened and not closed"),
    Situation("two columns of one name", init("a.csv", "a,a\n1,2\n"), "has two columns named 'a'"),
    Situation("a column without a name", init("a.csv", "a,\n1,2\n"), "column 2 of"),
    Situation("an encoding that is none", init("a.csv", "a\n1\n", "--encoding", "base64"),
              "no encoding is called 'base64'"),
    Situation("an encoding of host names", init("a.csv", "a\n1\n", "--encoding", "idna"),
              "no encoding is called 'idna'"),
    Situation("an encoding with a zero byte", init("a.csv", "a\n1\n", "--encoding", "\0"),
              "no encoding is called"),
    Situation("bytes that are not the encoding", init("a.csv", b"a\n\xff\n", "--encoding", "utf-8"),
              "is not utf-8 (line 2)"),
    Situation("UTF-16 cut in the middle of a letter",
              init("a.csv", "a\n1\n".encode("utf-16")[:-1]), "is not utf-16"),
    Situation("a delimiter of two letters", init("a.csv", "a\n1\n", "--delimiter", ";;"),
              "a delimiter is a single plain character"),
    Situation("an empty delimiter", init("a.csv", "a\n1\n", "--delimiter", ""), "a delimiter is a single plain character"),
    Situation("a decimal mark that is none", init("a.csv", "a\n1\n", "--decimal", "x"),
              "a decimal mark is '.' or ','"),
    Situation("one mark for both", init("a.csv", "a,b\n1,2\n", "--decimal", ",", "--delimiter", ","),
              "cannot both be ','"),
    Situation("no Parquet behind the ending", init("a.parquet", "a\n1\n"), "cannot be read as parquet"),
    Situation("Parquet without a middle", init("a.parquet", PARQUET), "cannot be read as parquet"),
    Situation("no SPSS behind the ending", init("a.sav", "a\n1\n"), "cannot be read as sav"),
    Situation("an empty SPSS file", init("a.sav", ""), "cannot be read as sav"),
    Situation("no Stata behind the ending", init("a.dta", "a\n1\n"), "cannot be read as dta"),
    Situation("no SAS behind the ending", init("a.sas7bdat", "a\n1\n"), "cannot be read as sas7bdat"),
    Situation("no SAS transport file behind the ending", init("a.xpt", "a\n1\n"),
              "cannot be read as xpt"),
]  # fmt: skip

MASKING = [
    Situation("1e308 in a column",
              lambda f: ("mask", put(f, "a.csv", "a\n1e308\n-1e308\n5\n"), "-k", 2, "--out", f / "o.csv"),
              "holds in record 1 a number beyond 1e+75"),
    Situation("an infinite number",
              lambda f: ("mask", put(f, "a.csv", "a\n1.5\ninf\n5\n"), "-k", 2, "--out", f / "o.csv"),
              "holds an infinite value in record 2"),
    Situation("k = 0", mask("-k", 0), "k must be"),
    Situation("k that is no number", mask("-k", "many"), "k"),
    Situation("k above the number of records", mask("-k", 21), "choose a smaller k"),
    Situation("a method that is none", mask("--method", "magic"), "magic"),
    Situation("an option of another method", mask("--window", 5), "mdav has no option --window", 2),
    Situation("an option without its value", mask("-m", "rank-swapping", "--window"), "needs a value"),
    Situation("a column that is not there", mask("-k", 3, "--quasi", "height"), "no column 'height'"),
    Situation("numbers asked of text", mask("-k", 3, "--attributes", "region"), "region"),
    Situation("an output in a folder that is not there", mask("-k", 3, out="no/such/out.csv"),
              "does not exist; create it first"),
    Situation("an output that is a folder",
              lambda f: ("mask", f / "people.csv", "-k", 3, "--out", f), "not known by its ending"),
    Situation("an output that is there already",
              lambda f: ("mask", f / "people.csv", "-k", 3, "--out", put(f, "o.csv", "mine")),
              "exists; choose another name"),
    Situation("an output onto the input", mask("-k", 3, "--force", out="people.csv"),
              "nothing is written onto an input"),
    Situation("an output in a format that is only read", mask("-k", 3, out="o.sas7bdat"),
              "SAS files can only be read"),
    Situation("an output in a format that is none", mask("-k", 3, out="o.doc"), "not known by its"),
    Situation("an output on a disk that is read-only",
              lambda f: ("mask", f / "people.csv", "-k", 3, "--out", "/proc/evomask.csv"),
              "/proc/evomask.csv could not be written"),
    Situation("matrices in a folder that is not there",
              mask("-m", "matrix-pram", "--attributes", "region", "--matrices", "/no/such"),
              "there is no matrix for 'region' in /no/such"),
    Situation("a matrix that is empty",
              lambda f: (*mask("-m", "matrix-pram", "--attributes", "region")(f), "--matrices",
                         put(f, "m/region.csv", "").parent), "must name every category"),
    Situation("a matrix of words",
              lambda f: (*mask("-m", "matrix-pram", "--attributes", "region")(f), "--matrices",
                         put(f, "m/region.csv", ",n,s,w\nn,a,b,c\ns,a,b,c\nw,a,b,c\n").parent),
              "must hold 3 probabilities"),
]  # fmt: skip

SCHEMAS = [
    Situation("a schema that is not there", mask("-k", 3, "--schema", "/no/such.toml"),
              "there is no schema file"),
    Situation("a schema that is no TOML", mask("-k", 3, schema="[["), "is not a schema"),
    Situation("a schema that is no text", mask("-k", 3, schema=b"\xff\xfe\x00"), "is not a schema"),
    Situation("a key that no schema has", mask("-k", 3, schema=AGE + "colour = 1\n"), "unknown key"),
    Situation("a role that is none", mask("-k", 3, schema=AGE + 'role = "secret"\n'), "secret"),
    Situation("400 decimals", mask("-k", 3, schema=AGE + "decimals = 400\n"), "decimals"),
    Situation("a schema's column that is not there",
              mask("-k", 3, schema='[attributes.height]\nrole = "other"\n'), "no column 'height'"),
    Situation("a hierarchy that is not there",
              mask("-k", 3, schema='[attributes.region]\nhierarchy = "no.csv"\n'),
              "there is no hierarchy file"),
    Situation("a hierarchy whose name holds a zero byte",
              mask("-k", 3, schema='[attributes.region]\nhierarchy = "\\u0000"\n'), "names no file"),
    Situation("a hierarchy that is a folder",
              mask("-k", 3, schema='[attributes.region]\nhierarchy = "."\n'), "cannot be read"),
    Situation("a category in no domain",
              mask("-k", 3, schema='[attributes.region]\ncategories = ["n", "s"]\n'), "region"),
    Situation("a rule that overflows", mask("-k", 3, schema='[rules]\nedits = ["age <= 1e999"]\n'),
              "a number in it lies beyond 1e+75"),
    Situation("a rule whose product overflows",
              mask("-k", 3, schema='[rules]\nedits = ["age <= 1e60 * 1e60"]\n'),
              "a number in it lies beyond 1e+75"),
    Situation("a rule that compares nothing", mask("-k", 3, schema='[rules]\nedits = ["age"]\n'),
              "it compares nothing"),
    Situation("a rule of a column that is not there",
              mask("-k", 3, schema='[rules]\nedits = ["age <= height"]\n'), "no such column"),
    Situation("a rule of text", mask("-k", 3, schema='[rules]\nedits = ["region <= 3"]\n'),
              "needs numbers"),
]  # fmt: skip

PROTECTING = [
    Situation("a folder that holds something",
              lambda f: ("protect", f / "people.csv", "--out", put(f, "x/mine", "").parent),
              "is not empty"),
    Situation("a file in the place of the folder",
              lambda f: ("protect", f / "people.csv", "--evaluations", 1, "--out", put(f, "x", "")),
              "is not empty; go on with"),
    Situation("a folder below a file",
              lambda f: ("protect", f / "people.csv", "--quasi", "age",
                         "--out", put(f, "x", "") / "y"),
              "cannot be made"),
    Situation("a folder on a disk that is read-only",
              lambda f: ("protect", f / "people.csv", "--evaluations", 1, "--quasi", "age,income",
                         "--out", "/proc/evomask"),
              "/proc/evomask cannot be made"),
    Situation("a requirement that is none", protect("--require", "q=3"), "q"),
    Situation("a requirement without a number", protect("--require", "k=many"), "k"),
    Situation("k required above the number of records", protect("--require", "k=500"), "500"),
    Situation("a wish that is none", protect("--pick", "prettiest"), "prettiest"),
    Situation("a search that is none", protect("--searches", "magic"), "magic"),
    Situation("a profile that is none", protect("--profile", "lenient"), "lenient"),
    Situation("a table to keep that is none", protect("--keep-table", "x: y: z"), "x: y: z"),
    Situation("a bound on a model that nobody named", protect("--max-model-error", 3),
              "limits the error of a model to preserve, and none is named"),
    Situation("a negative seed", protect("--seed", -1), "seed", 2),
    Situation("no worker", protect("--workers", 0), "workers", 2),
]  # fmt: skip

RUNS = [
    Situation("a folder without a run", lambda f: ("choose", f), "holds no run"),
    Situation("a run folder that is not there", lambda f: ("resume", f / "no"), "holds no run"),
    Situation("a plan that is no TOML", choose(lambda r: put(r, "plan.toml", "[[")),
              "plan.toml is not a plan this version can read", run=True),
    Situation("a plan that is no text", choose(lambda r: put(r, "plan.toml", b"\xff\xfe"), verb="resume"),
              "plan.toml is not a plan this version can read", run=True),
    Situation("a plan of a later version", choose(changed("plan.toml", b"format = 1", b"format = 9")),
              "plan.toml has format 9", run=True),
    Situation("data that changed since the run",
              choose(lambda r: put(Path(original(r)).parent, "people.csv", "age\n1\n")),
              "the data file has changed since the run began", run=True),
    Situation("data that are gone", choose(lambda r: Path(original(r)).unlink()),
              "cannot be read", run=True),
    Situation("a journal that is a folder",
              choose(lambda r: ((r / "journal.jsonl").unlink(), (r / "journal.jsonl").mkdir())),
              "journal.jsonl cannot be used: Is a directory", run=True),
    Situation("states that are all damaged",
              choose(lambda r: [path.write_bytes(b"PK") for path in r.glob("state-*.npz")]),
              "nothing was found yet", run=True),
    Situation("a point that no front has", choose(lambda r: None, "--pick", "9999"), "9999", run=True),
    Situation("a bound that no point meets",
              choose(lambda r: None, "--max-risk", 0, "--max-loss", 0), "risk", code=3, run=True),
    Situation("a run that another process works on", choose(held), "another process works on", run=True),
    Situation("a link in a run folder",
              choose(lambda r: (r / "masked" / "x").symlink_to("/etc/passwd")), "is a link", run=True),
    Situation("a report without a record",
              choose(lambda r: (r / "record.json").unlink(), verb="report"),
              "holds no record.json", run=True),
    Situation("a record that is damaged",
              choose(lambda r: put(r, "record.json", b"\xff{"), verb="report"), "record", run=True),
    Situation("matrices told in a way that is none",
              choose(lambda r: None, "--matrices", "some", verb="report"), "some", run=True),
    Situation("stopping what does not run", lambda f: ("runs", f, "--stop", "release"),
              "release is not running", run=True),
    Situation("stopping a run outside the folder", lambda f: ("runs", f, "--stop", "../x"),
              "there is no run '../x'"),
]  # fmt: skip


def original(run: Path) -> str:
    """Where the plan of a run says that its data are."""
    import tomllib

    return str(tomllib.loads((run / "plan.toml").read_text())["input"]["path"])


MEASURING = [
    Situation("a masked file with fewer records", measure("age,income,region\n" + ROW), "records"),
    Situation("a masked file without a column", measure("age\n" + "20\n" * 20, "--quasi", "age,income"),
              "the masked file has no column 'income'"),
    Situation("a masked file with words for numbers",
              measure("age,income,region\n" + "old,1000,n\n" * 20, "--quasi", "age"),
              "holds in record 1 a value outside"),
    Situation("a measure that is none", measure("age,income,region\n" + ROW * 20, "--measures", "x"),
              "'x'"),
    Situation("an explanation of nothing", lambda f: ("measure", "--explain", "magic"), "magic"),
    Situation("an audit of what is not text",
              lambda f: ("audit", put(f, "a.csv", b"\x00\x01")), "is not text"),
    Situation("an original that is not there",
              lambda f: ("audit", f / "people.csv", "--original", f / "no.csv"), "there is no file"),
]  # fmt: skip

GRAPHS = [
    Situation("a GraphML file that is none",
              lambda f: ("graph", "extract", put(f, "g.graphml", "<a"), "-k", 2, "--out", f / "o.csv"),
              "cannot be read as graphml"),
    Situation("a GEXF file that is none",
              lambda f: ("graph", "extract", put(f, "g.gexf", b"\x00"), "-k", 2, "--out", f / "o.csv"),
              "cannot be read as gexf"),
    Situation("an edge to nobody", graph("protect", NODES, "source,target\na,zed\n", "-k", 2),
              "names a node that the node table does not have"),
    Situation("edges without ends", graph("protect", NODES, "a,b\n1,2\n", "-k", 2),
              "is not an edge list"),
    Situation("a node without a name", graph("protect", "node,city\n,Rome\n", EDGES, "-k", 2),
              "has no node name in record 1"),
    Situation("k above the number of nodes", graph("protect", NODES, EDGES, "-k", 5), "k"),
    Situation("a key onto the graph",
              lambda f: (*graph("protect", NODES, EDGES, "-k", 2)(f), "--key", f / "out.graphml"),
              "cannot be one file"),
    Situation("a graph in a folder that is not there",
              lambda f: (*graph("protect", NODES, EDGES, "-k", 2)(f)[:-1], f / "no" / "graph"),
              "does not exist; create it first"),
    Situation("a crawl of a folder that is not there",
              lambda f: ("graph", "crawl", f / "no", "--start", "a", "--out", f / "o.graphml"),
              "there is no folder"),
    Situation("a crawl of an address that is none",
              lambda f: ("graph", "crawl", "http://[", "--start", "a", "--out", f / "o.graphml"),
              "a server's address begins with https://"),
    Situation("a line of users that is damaged", crawl('{"id": \n'), "line 1 of"),
    Situation("a crawl that begins with nobody", crawl('{"id": "bob"}\n'), "choose another user"),
    Situation("a crawl to go on with, without a seed", crawl(USER, "--run", "@kept"), "needs a seed"),
    Situation("a crawl kept among its users", crawl(USER, "--run", "@users", "--seed", 1),
              "cannot share a folder"),
    Situation("a crawl's journal that is damaged",
              crawl(USER, "--run", "@kept", "--seed", 1, kept__crawl_dot_jsonl="{\n"),
              "line 1 of"),
    Situation("another crawl in the folder",
              crawl(USER, "--run", "@kept", "--seed", 1, kept__crawl_dot_jsonl='{"seed": 2}\n'),
              "holds another crawl"),
    Situation("places in a table that is not there", crawl(USER, "--places", "@no.csv"),
              "there is no file"),
    Situation("places whose population is no number",
              crawl(USER, "--places", "@p.csv", p_dot_csv="city,country,continent,population\na,b,c,x\n"),
              "a population that is not a number"),
]  # fmt: skip

SITUATIONS = [*TABLES, *MASKING, *SCHEMAS, *PROTECTING, *RUNS, *MEASURING, *GRAPHS]
