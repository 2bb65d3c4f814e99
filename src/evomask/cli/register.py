"""``evomask register``: a register of releases, with signatures that strangers can check."""

from pathlib import Path
from typing import Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import GroupedCommands, examples, register_command
from evomask.cli.terminal.output import say, say_json

register = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Keep a register of releases: what, when, to whom, under which recipe, withdrawn.",
)
RegisterFile = Annotated[
    Path,
    typer.Option("--register", help="Register file, or its folder, which several may share."),
]
SigningKey = Annotated[
    Path | None,
    typer.Option("--key-file", help="Ed25519 private key (PEM) or shared key that signs."),
]


@examples(
    'evomask register add release --to "research data centre"',
    "evomask register add release --to public --project survey --key-file office.pem",
)
def add(
    folder: options.RunFolder,
    to: Annotated[str, typer.Option("--to", help="Recipients.")],
    register_file: RegisterFile = Path(),
    project: Annotated[str, typer.Option("--project", help="Project that releases.")] = "",
    key_file: SigningKey = None,
    json: options.Json = False,
) -> None:
    """Append the release in DIR to a register; a changed release is refused."""
    from evomask.runs.store.register import add_release, register_path
    from evomask.runs.store.signature import read_key

    key = None if key_file is None else read_key(key_file)
    path = register_path(register_file)
    entry = add_release(path, folder, to=to, project=project, key=key)
    _say(entry.number, f"{folder} is release {entry.number} of {path}", json=json)


@examples('evomask register withdraw 3 --reason "a column was left in"')
def withdraw(
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Number of the release.")],
    reason: Annotated[str, typer.Option("--reason", help="Why it was withdrawn.")],
    register_file: RegisterFile = Path(),
    key_file: SigningKey = None,
    json: options.Json = False,
) -> None:
    """Append the withdrawal of a release to a register."""
    from evomask.runs.store.register import register_path, withdraw_release
    from evomask.runs.store.signature import read_key

    key = None if key_file is None else read_key(key_file)
    path = register_path(register_file)
    entry = withdraw_release(path, number, reason=reason, key=key)
    _say(entry.number, f"release {number} of {path} is withdrawn", json=json)


@examples("evomask register show", "evomask register show --register /shared/releases.toml --json")
def show(register_file: RegisterFile = Path(), json: options.Json = False) -> None:
    """List the releases of a register."""
    from evomask.runs.store.register import read_register, register_path, rows_of

    rows = rows_of(read_register(register_path(register_file)))
    if json:
        say_json({"releases": rows})
        return
    for row in rows:
        gone = f"; withdrawn {row['withdrawn']}: {row['reason']}" if row["withdrawn"] else ""
        figures = f"loss {row['loss']:.2f} %, risk {row['risk']:.2f} %"
        project = f"{row['project']}, " if row["project"] else ""
        say(
            f"{row['number']:>4}  {row['at']}  {row['release']}: to {row['to']} ({project}"
            f"{row['required'] or 'nothing required'}, {figures}){gone}"
        )
    if not rows:
        say("no release is registered")


@examples(
    "evomask register check                                    # was an entry changed or removed?",
    "evomask register check --key-file office.pub              # and signed by this office?",
)
def check(
    register_file: RegisterFile = Path(),
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="Public key (PEM) or shared key to check.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Check the chain of a register, and its signatures if a key is given."""
    from evomask.runs.store.register import check_register, register_path
    from evomask.runs.store.signature import read_key

    key = None if key_file is None else read_key(key_file)
    sentence, holds = check_register(register_path(register_file), key)
    if json:
        say_json({"holds": holds, "sentence": sentence})
    else:
        say(sentence)
    if not holds:
        raise typer.Exit(1)


def _say(number: int, sentence: str, *, json: bool) -> None:
    if json:
        say_json({"entry": number, "sentence": sentence})
    else:
        say(sentence)


for command in (add, withdraw, show, check):
    register_command(register)(command)
