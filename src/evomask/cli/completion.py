"""``evomask completion``: what a shell needs to complete commands, options and columns.

The script is printed, nothing is installed. While typing, the shell asks the hidden command
``evomask complete`` what the last word can become; where nothing is offered it takes files.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import say

FIRST_LINE = 1_000_000
"""Characters of a file that are read to find its columns."""

COLUMNS = {
    "--quasi", "--confidential", "--drop", "--keep", "--household", "--weight", "--ordinal",
    "--nominal",
}  # fmt: skip
"""Options that name columns."""

TAKES_COLUMNS = {"hierarchy"}
"""Commands that name a column besides the file."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "--profile": ("strict", "papers"),
    "--pick": ("suggested", "balanced", "knee", "sum", "max-risk=", "max-loss="),
    "--by": ("suiting", "intervals=", "quantiles=", "dates", "codes", "order", "likeness", "top"),
    "--require": ("k=", "l=", "t="),
}
"""What other options take."""


class Shell(StrEnum):
    """Shells that can be told how to complete."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


SCRIPTS = {
    Shell.BASH: """_evomask() {
    local IFS=$'\\n'
    COMPREPLY=($(evomask complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    COMPREPLY=("${COMPREPLY[@]// /\\\\ }")
}
complete -o default -F _evomask evomask""",
    Shell.ZSH: """#compdef evomask
_evomask() {
    local -a offered
    offered=("${(@f)$(evomask complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n $offered ]]; then compadd -- $offered; else _files; fi
}
compdef _evomask evomask""",
    Shell.FISH: """function __evomask
    set -l typed (commandline -opc) (commandline -ct)
    evomask complete -- $typed[2..-1] 2>/dev/null
end
complete -c evomask -a '(__evomask)'""",
}


@examples(
    'eval "$(evomask completion bash)"                    # now; put it into ~/.bashrc to keep it',
    'eval "$(evomask completion zsh)"                     # the same in ~/.zshrc',
    "evomask completion fish > ~/.config/fish/completions/evomask.fish",
)
def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print what makes a SHELL complete commands, options and columns; nothing is installed."""
    say(SCRIPTS[shell])


def complete(
    words: Annotated[
        list[str] | None, typer.Argument(help="The words so far, after evomask.")
    ] = None,
) -> None:
    """Print what the last of the WORDS can become, a line each; shells ask this."""
    from evomask.cli.main import app

    found = offered(typer.main.get_command(app), words or [""])
    if found:
        say("\n".join(found))


def offered(command: Any, words: Sequence[str]) -> list[str]:  # noqa: ANN401
    """What the last word can become; nothing where only the shell knows, as with files."""
    *typed, last = (word for word in words if word != "=")
    command, arguments = _walked(command, typed)
    before = typed[-1] if typed else ""
    if _takes_value(command, before):
        return _values(before, last, arguments)
    if last.startswith("-"):
        names = [name for p in command.params for name in (*p.opts, *p.secondary_opts)]
        return [name for name in ("--help", *names) if name.startswith(last) and name[:2] == "--"]
    if hasattr(command, "list_commands"):
        context = typer.Context(command)
        names = [n for n in command.list_commands(context) if n.startswith(last)]
        return [n for n in names if not command.get_command(context, n).hidden]
    if command.name in TAKES_COLUMNS and arguments:
        return _starting(columns_of(arguments), last)
    return _starting(Shell, last) if command.name == "completion" else []


def _walked(command: Any, typed: Sequence[str]) -> tuple[Any, list[str]]:  # noqa: ANN401
    """The command that the words name, and its arguments so far."""
    arguments: list[str] = []
    before = ""
    for word in typed:
        is_value = _takes_value(command, before)
        before = word
        if is_value or word.startswith("-"):
            continue
        below = None
        if hasattr(command, "list_commands"):
            below = command.get_command(typer.Context(command), word)
        command = below or command
        if below is None:
            arguments.append(word)
    return command, arguments


def _takes_value(command: Any, word: str) -> bool:  # noqa: ANN401
    options = (p for p in command.params if p.param_type_name == "option" and not p.is_flag)
    return any(word in option.opts for option in options)


def _values(option: str, last: str, arguments: Sequence[str]) -> list[str]:
    """What an option can be given; of columns the next one of a list."""
    if option in COLUMNS:
        done, comma, begun = last.rpartition(",")
        taken = done.split(",")
        free = [name for name in columns_of(arguments) if name not in taken]
        return [f"{done}{comma}{name}" for name in _starting(free, begun)]
    if option == "--method":
        from evomask.runs.catalogue import methods_listed

        return _starting([entry.name for entry in methods_listed()], last)
    if option == "--searches":
        from evomask.runs.catalogue import search_names

        done, comma, begun = last.rpartition(",")
        return [f"{done}{comma}{name}" for name in _starting(search_names(), begun)]
    return _starting(WORDS.get("--pick" if option == "--point" else option, ()), last)


def _starting(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun) and "\n" not in name]


def columns_of(arguments: Sequence[str]) -> list[str]:
    """The columns of the first text file among the arguments; none where reading would be slow."""
    for word in arguments:
        path = Path(word).expanduser()
        if path.suffix.lower() in (".csv", ".tsv", ".txt") and path.is_file():
            return _header(path)
    return []


def _header(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            line = file.readline(FIRST_LINE)
        mark = max(",;\t|", key=line.count)
        return [name.strip() for name in next(csv.reader([line], delimiter=mark), [])]
    except (OSError, csv.Error):
        return []
