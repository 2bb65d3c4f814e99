from evomask.kernels import compiler


def _names(module):
    sources = compiler._sources_of(compiler.SOURCES / f"{module}.py")
    return {path.stem for path in sources}


def test_a_module_depends_on_what_it_calls_however_far_away():
    assert {"tracked_measures", "tracked_numbers", "journal", "compiler"} <= _names(
        "tracked_measures"
    )


def test_a_module_does_not_depend_on_what_it_never_calls():
    assert "tracked_measures" not in _names("mdav")


def test_every_import_between_kernels_is_of_the_form_that_is_followed():
    for path in compiler.SOURCES.glob("[a-z]*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.count("evomask.kernels.") == len(compiler.IMPORTED.findall(text)), path.name
