"""``python -m evomask``: the command line."""

from evomask.cli.main import run

if __name__ == "__main__":
    run()
