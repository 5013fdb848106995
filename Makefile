# `make report` and `make test` do everything on a fresh machine; both use the virtual environment in $(VENV).
PYTHON ?= python3
VENV ?= .venv
OUT ?= report
JOBS ?= 2
STAMP = $(VENV)/.installed

.PHONY: install report report-full test docs check lint clean

install: $(STAMP)

report: $(STAMP)
	$(VENV)/bin/fedverdict report --out $(OUT) --jobs $(JOBS)

report-full: $(STAMP)
	$(VENV)/bin/fedverdict report --full --out $(OUT) --jobs $(JOBS)

# Hundreds of processes start: whatever the shell says, the second finds the modules that the first has compiled.
test: export PYTHONDONTWRITEBYTECODE =
test: $(STAMP)
	$(VENV)/bin/python -m pytest -n $(JOBS) --dist worksteal

docs: $(STAMP)
	$(VENV)/bin/python -m mkdocs build --site-dir $(OUT)-docs

check: $(STAMP)
	$(VENV)/bin/fedverdict check --jobs $(JOBS)

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) $(OUT) build dist *.egg-info
