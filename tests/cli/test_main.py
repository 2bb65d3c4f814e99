from contextlib import suppress

import pytest

from evomask.cli import main
from evomask.errors import RunError
from evomask.runs.store.run_control import InterruptHandler


@pytest.mark.parametrize(("is_asked", "code"), [(True, 130), (False, 1)])
def test_what_fails_because_it_was_interrupted_counts_as_interrupted(monkeypatch, is_asked, code):
    heard = InterruptHandler()

    def fails(**_):
        if is_asked:
            with suppress(KeyboardInterrupt):
                heard(2, None)
        raise RunError("nothing was found yet")

    monkeypatch.setattr(main, "app", fails)
    assert main._exit_code(heard) == code
