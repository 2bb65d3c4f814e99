# evomask: `make demo` shows it at work, `make test` checks everything.
PYTHON ?= python3
VENV ?= .venv
ORACLES ?= .venv-oracles
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
WORKERS ?= 2
DEMO ?= demo-output
FUZZING ?= .venv-fuzz
ASKING ?= .venv-schemathesis
SITE ?= .venv-site
PACKAGING ?= .venv-packaging
OLDEST ?= .venv-oldest
PEERS := anjana anonypy anonypyx microagg1d clustering pyclustering anonymeter sdmetrics sdv
PEERS_OPTIONS ?=
FUZZ_SECONDS ?= 60
READERS := table schema tree matrix graph plan journal events rule

# Tests start many processes: without compiled modules each compiles all sources again, and each
# worker of the tests all assertions.
unexport PYTHONDONTWRITEBYTECODE

ifdef UV
PIP_INSTALL := $(UV) pip install --quiet --python $(BIN)/python
MAKE_VENV := $(UV) venv --quiet --python $(PYTHON) $(VENV)
else
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
MAKE_VENV := $(PYTHON) -m venv $(VENV)
endif

.PHONY: help install wheel demo serve test check quick-tests test-plain test-slow test-browser test-oldest packages lock pictures fuzz campaigns bench bench-peers docs site format clean

help:
	@echo "make install    what a user needs, into $(VENV), and its kernels compiled"
	@echo "make wheel      a package that carries compiled kernels, into build/wheels"
	@echo "make demo       the main job on bundled data"
	@echo "make serve      the web app on the demo's run"
	@echo "make test       format, lint, types, tests, architecture"
	@echo "make test-plain the kernels without hooks into numba, and with checked indices"
	@echo "make test-slow  the long studies too"
	@echo "make test-browser  web app and reports in Chromium, by axe-core and schemathesis (installs them where it may)"
	@echo "make test-oldest  a part of the tests with the oldest dependencies that are allowed"
	@echo "make packages   sdist and wheel into build/packages: built twice, compared, checked"
	@echo "make fuzz       the readers of files against atheris, FUZZ_SECONDS each"
	@echo "make campaigns  all hostile campaigns on this commit, into docs/reliability.md; hours"
	@echo "make site       the documentation as pages with search, into build/site"
	@echo "make bench      every claim about speed and quality, as a ratio"
	@echo "make bench-peers  the same work by others, each in an environment of its own; writes docs/benchmarks.md"

$(BIN)/python:
	$(MAKE_VENV)

$(VENV)/.installed: pyproject.toml packaging/constraints.txt | $(BIN)/python
	$(PIP_INSTALL) --constraint packaging/constraints.txt -e ".[web]"
	@touch $@

$(VENV)/.developed: $(VENV)/.installed
	$(PIP_INSTALL) --constraint packaging/constraints.txt -e ".[all,dev]"
	@touch $@

# Independent verifiers pin old libraries, so they have an environment of their own; where it
# cannot be made, the tests that ask them are skipped and say so.
$(ORACLES)/.installed:
	-$(PYTHON) -m venv $(ORACLES) && $(ORACLES)/bin/python -m pip install --quiet \
		--disable-pip-version-check pycanon==1.3.6 && touch $@

install: $(VENV)/.installed
	$(BIN)/evomask compile

# A wheel for this kind of machine, this Python and this numba, with its kernels compiled for a level
# of processors; elsewhere they are compiled when they are needed. Without them: pip wheel .
wheel: $(VENV)/.developed
	rm -rf build/level
	mkdir -p build && mkdir -m 700 build/level
	EVOMASK_CACHE=build/level NUMBA_CPU_FEATURES= \
		NUMBA_CPU_NAME=$$($(BIN)/python -c "from evomask.kernels.compiler.cache import level; print(level().name)") \
		$(BIN)/python -m evomask.kernels
	EVOMASK_WHEEL_KERNELS=build/level/kernels $(PYTHON) -m pip wheel --quiet --disable-pip-version-check \
		--no-deps --wheel-dir build/wheels .
	@ls -l build/wheels/*.whl

demo: $(VENV)/.installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh $(DEMO)

serve: $(VENV)/.installed
	$(BIN)/evomask serve $(DEMO)

check: $(VENV)/.developed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/vulture

# Checks run beside the tests; the fifty slowest tests are listed in build/durations.txt.
test: $(VENV)/.developed $(ORACLES)/.installed
	$(BIN)/python -m evomask.kernels
	$(MAKE) -j2 --output-sync=target check quick-tests

quick-tests:
	@mkdir -p build
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not slow and not browser" --durations=50 \
		> build/tests.txt 2>&1; code=$$?; sed -n '/slowest 50/,/^====.* in /p' build/tests.txt > build/durations.txt; \
		grep -v '^ *[0-9.]*s \(call\|setup\|teardown\)' build/tests.txt | tail -n 300; exit $$code

# The tests of kernels on the plain path of compilation, then with every index checked.
test-plain: $(VENV)/.developed
	for variant in EVOMASK_PLAIN EVOMASK_CHECK_INDICES; do \
		env $$variant=1 $(BIN)/python -m evomask.kernels && \
		env $$variant=1 $(BIN)/pytest -n $(WORKERS) --dist loadfile tests/kernels || exit 1; done

test-slow: check $(ORACLES)/.installed test-plain
	$(BIN)/python -m evomask.kernels
	EVOMASK_TESTS=thorough $(BIN)/pytest -n $(WORKERS) --dist loadfile -m "not browser"

# What builds and checks packages is needed for nothing else.
$(PACKAGING)/.installed: packaging/requirements.txt
	$(PYTHON) -m venv $(PACKAGING)
	$(PACKAGING)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

packages: $(PACKAGING)/.installed
	PYTHON=$(CURDIR)/$(PACKAGING)/bin/python sh packaging/build.sh build/packages

# The oldest versions that pyproject.toml allows, of direct dependencies.
test-oldest: $(PACKAGING)/.installed
	$(PACKAGING)/bin/uv venv --quiet --clear --python $(PYTHON) $(OLDEST)
	$(PACKAGING)/bin/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct -e ".[all,dev]"
	$(OLDEST)/bin/python -m evomask.kernels
	$(OLDEST)/bin/pytest -q -W default -n $(WORKERS) --dist loadfile -m "not slow and not browser" \
		tests/test_system.py tests/io tests/data tests/masking tests/runs tests/cli

# Versions that `make demo` and `make test` install, the same tomorrow; made anew on request.
lock: $(PACKAGING)/.installed
	$(PACKAGING)/bin/uv pip compile --quiet --universal --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
		--python-version 3.11 --extra all --extra dev pyproject.toml --output-file packaging/constraints.txt

.browser/node_modules/axe-core:
	command -v chromium >/dev/null || { apt-get update --quiet; apt-get install --yes --quiet chromium; }
	npm install --silent --no-package-lock --prefix .browser axe-core@4

# What drives the browser, and what asks the interface, stand apart from what others need.
$(VENV)/.browsing: $(VENV)/.developed
	$(PIP_INSTALL) "playwright>=1.50"
	@touch $@

$(ASKING)/.installed:
	$(PYTHON) -m venv $(ASKING)
	$(ASKING)/bin/python -m pip install --quiet --disable-pip-version-check "schemathesis>=4.30"
	@touch $@

test-browser: $(VENV)/.browsing $(ASKING)/.installed .browser/node_modules/axe-core
	$(BIN)/pytest -m browser

pictures: $(VENV)/.browsing .browser/node_modules/axe-core
	$(BIN)/python benchmarks/pictures.py

# The fuzzer is compiled for few versions of Python, so it has an environment of its own.
$(FUZZING)/.installed: pyproject.toml
	$(PYTHON) -m venv $(FUZZING)
	$(FUZZING)/bin/python -m pip install --quiet --disable-pip-version-check atheris -e ".[graphs]"
	@touch $@

fuzz: $(FUZZING)/.installed
	@for reader in $(READERS); do echo "== $$reader"; \
		$(FUZZING)/bin/python tests/fuzz/readers.py $$reader -max_total_time=$(FUZZ_SECONDS) || exit 1; done

# Hours; what is done on a commit is not done again. CAMPAIGNS="--only kills --seconds 1800" for some.
campaigns: $(VENV)/.developed $(FUZZING)/.installed $(ASKING)/.installed
	$(BIN)/python -m evomask.kernels
	$(BIN)/python benchmarks/campaigns.py $(CAMPAIGNS)

docs: $(VENV)/.developed
	$(BIN)/python docs/reference.py docs
	$(BIN)/python packaging/public_api.py

# What makes the pages is needed for nothing else, so it has an environment of its own.
$(SITE)/.installed: docs/requirements.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check -r docs/requirements.txt
	@touch $@

site: $(SITE)/.installed
	$(SITE)/bin/sphinx-build --quiet -W --keep-going -c docs . build/site
	@printf '<!doctype html><meta charset="utf-8"><title>evomask</title><meta http-equiv="refresh" content="0; url=docs/index.html"><a href="docs/index.html">evomask</a>\n' > build/site/index.html
	@echo "open build/site/index.html"

bench: $(VENV)/.developed
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# Peers pin each other's libraries, so each has an environment of its own; one that cannot be
# installed leaves the reason behind, is named on the page and left out.
.venv-peers-%/.installed: benchmarks/peers/requirements/%.txt
	@$(PYTHON) -m venv $(@D)
	@rm -f $(@D)/.failed; $(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $< \
		2> $(@D)/.complaint && touch $@ || tail -n 1 $(@D)/.complaint > $(@D)/.failed

bench-peers: $(VENV)/.developed $(ORACLES)/.installed $(PEERS:%=.venv-peers-%/.installed)
	$(BIN)/python -m evomask.kernels
	$(BIN)/python benchmarks/peers/compare.py --docs docs $(PEERS_OPTIONS)

format: $(VENV)/.developed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(ORACLES) $(FUZZING) $(ASKING) $(SITE) $(PACKAGING) $(OLDEST) .venv-peers-* build .mypy_cache .ruff_cache .pytest_cache .browser $(DEMO)
