"""Kernels before the clock starts."""

from evomask.kernels.ahead import Progress
from evomask.portfolio import worker


def test_progress_is_told_once_for_each_finished_module(monkeypatch):
    def compile_ahead(names, watch):
        for step in (Progress("a", 0, 2), Progress("b", 0, 2), Progress("b", 1, 2, 0.1)):
            watch(step)

    monkeypatch.setattr(worker, "compile_ahead", compile_ahead)
    monkeypatch.setattr(worker, "import_module", lambda _: None)
    texts = []
    worker.load_kernels(texts.append)
    assert [text.rsplit(": ")[-1] for text in texts] == ["0 of 2 done", "1 of 2 done"]


def test_the_kernels_of_the_searches_that_take_part_are_loaded(monkeypatch):
    names = []
    monkeypatch.setattr(worker, "compile_ahead", lambda *_: None)
    monkeypatch.setattr(worker, "import_module", names.append)
    worker.load_kernels(lambda _: None, ["files"])
    assert "evomask.kernels.tracked.bursts" in names
    assert "evomask.kernels.lattice.nodes" not in names
