"""``python -m evomask``: the command line, which runs nothing of the current folder."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]
    from evomask.cli.main import run

    run()
