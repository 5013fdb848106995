# `make report` and `make test` do everything on a fresh machine; both use the virtual environment in $(VENV).
PYTHON ?= python3
VENV ?= .venv
OUT ?= report
JOBS ?= 2
WORKERS ?= 3
TESTS ?= tests
STAMP = $(VENV)/.installed

.PHONY: install report report-full smoke test test-plain nightly versions flower docs check lint ruff format types contracts clean

install: $(STAMP)

report: $(STAMP)
	$(VENV)/bin/fedverdict report --out $(OUT) --jobs $(JOBS)

report-full: $(STAMP)
	$(VENV)/bin/fedverdict report --full --out $(OUT) --jobs $(JOBS)

smoke: $(STAMP)
	$(VENV)/bin/fedverdict report --smoke --out $(OUT) --jobs $(JOBS)
	test -s $(OUT)/index.html && test -s $(OUT)/ledger.json

# Three workers on two cores: some tests wait. Hundreds of processes start: whatever the shell says, the second finds the modules that the first has compiled.
test nightly: export PYTHONDONTWRITEBYTECODE =
test: $(STAMP)
	$(VENV)/bin/python -m pytest -n $(WORKERS) --dist worksteal $(TESTS)

# Without the compiled kernels, which `make test` uses where there is a C compiler.
test-plain: $(STAMP)
	FEDVERDICT_KERNELS=0 $(VENV)/bin/python -m pytest -q tests/theory/simulate/test_simulate.py tests/theory/simulate/test_simulate_families.py tests/theory/simulate/test_simulate_modes.py tests/theory/simulate/test_simulate_protocol.py tests/theory/simulate/test_many_clients.py \
	  tests/theory/exact/test_exact_quick.py tests/theory/exact/test_exact_compiled.py tests/theory/worlds/test_sides.py tests/theory/simulate/test_compiled.py tests/theory/simulate/test_compiled_runs.py

# What `make test` leaves out: every mutant and parameter of which it has some, and long tests whose turn it is not.
nightly: $(STAMP)
	$(VENV)/bin/python -m pytest -n $(JOBS) --dist worksteal -m nightly $(TESTS)

# Oldest versions of the dependencies, or with WHICH=--newest the newest, in an environment of their own.
versions:
	$(PYTHON) .ci/lowest $(WHICH)

# Flower's simulation and Ray, on this machine, beside what is there: `make flower VENV=.venv-flower` for a place of their own.
flower: $(STAMP)
	$(VENV)/bin/python -m pip install --quiet --constraint constraints.txt 'flwr[simulation]>=1.32'
	$(VENV)/bin/python -m pytest -q tests/deep/flower tests/test_clusters.py

docs: $(STAMP)
	$(VENV)/bin/python -m mkdocs build --site-dir $(OUT)-docs

check: $(STAMP)
	$(VENV)/bin/fedverdict check --all --jobs $(JOBS)

lint: ruff format types contracts

ruff: $(STAMP)
	$(VENV)/bin/ruff check .

format: $(STAMP)
	$(VENV)/bin/ruff format --check .

types: $(STAMP)
	$(VENV)/bin/mypy

contracts: $(STAMP)
	$(VENV)/bin/lint-imports

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) $(OUT) build dist *.egg-info
