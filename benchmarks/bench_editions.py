"""Loss and risk of the same masked files in two editions of evomask, side by side.

    python benchmarks/bench_editions.py write FOLDER
    python benchmarks/bench_editions.py measure FOLDER
    python benchmarks/bench_editions.py table FOLDER

Between the first step and the last, *measure* runs once under every edition (PYTHONPATH); it uses
nothing of evomask but `evomask.measure`. Files are those of the outside judges, with people who are
held out as the control group where an edition takes one. Reference data are read through
EVOMASK_DATA.
"""

import argparse
import inspect
import json
from pathlib import Path

import polars as pl

FILES = ("adult", "census", "german")
MASKINGS = (
    "microaggregation 3", "microaggregation 10", "mondrian 5", "PRAM 0.1", "swapping 5",
    "permuted", "half permuted as a block", "all permuted as a block",
)  # fmt: skip


def write(folder: Path) -> None:
    """Write originals, held-out people and masked files."""
    from bench_judges import simple_files
    from evomask.data.frames import polars_from
    from outside_files import FILES as STUDY_FILES

    for name in FILES:
        file, own = STUDY_FILES[name](), folder / name
        own.mkdir(parents=True, exist_ok=True)
        polars_from(file.table).write_parquet(own / "original.parquet")
        polars_from(file.others).write_parquet(own / "others.parquet")
        given = {"quasi": file.names, "confidential": [file.confidential],
                 "nominal": file.categories}  # fmt: skip
        (own / "roles.json").write_text(json.dumps(given))
        permuted = 0
        for title, masked in simple_files(file):
            permuted += title.endswith(" permuted")
            wanted = title in MASKINGS or (title.endswith(" permuted") and permuted == 1)
            if wanted:
                polars_from(masked).write_parquet(own / f"masked {title}.parquet")


def measure(folder: Path) -> None:
    """Measure all files with this edition."""
    import evomask

    version = "new" if "control" in inspect.signature(evomask.measure).parameters else "old"
    found = {}
    for own in sorted(path for path in folder.iterdir() if path.is_dir()):
        original = pl.read_parquet(own / "original.parquet")
        roles = json.loads((own / "roles.json").read_text())
        if version == "new":
            texts = [name for name in original.columns if original[name].dtype == pl.String]
            seen = [pl.col(name).is_in(original[name].unique().to_list()) for name in texts]
            roles["control"] = pl.read_parquet(own / "others.parquet").filter(*seen)
        for path in sorted(own.glob("masked *.parquet")):
            one = evomask.measure(original, pl.read_parquet(path), **roles)
            found[f"{own.name}: {path.stem[7:]}"] = [one.loss, one.risk]
    (folder / f"{version}.json").write_text(json.dumps(found, indent=1))


def table(folder: Path) -> None:
    """Print both editions as a table for docs/measures.md."""
    old, new = (json.loads((folder / f"{name}.json").read_text()) for name in ("old", "new"))
    print("| file | loss, 0.1 | loss | risk, 0.1 | risk |\n|---|---|---|---|---|")
    for title, (loss, risk) in old.items():
        now = new[title]
        print(f"| {title} | {loss:.1f} | {now[0]:.1f} | {risk:.1f} | {now[1]:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    steps = {"write": write, "measure": measure, "table": table}
    parser.add_argument("step", choices=steps)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    steps[given.step](given.folder)


if __name__ == "__main__":
    main()
