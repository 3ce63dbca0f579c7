# `make demo` and `make test` set up everything they need in .venv and vscode-extension/, again only when what is to be
# installed changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
MODELS := $(filter-out examples/train.py examples/fx_rewrites.py examples/test_%.py,$(wildcard examples/*.py))

SUITES := worker e2e other server fuzz
JOBS ?= 2

.PHONY: help demo test lint types tests format picture clean

help:
	@echo "make demo     the models of examples/ with their shapes, and what is wrong with them"
	@echo "make test     everything that has to pass: lint, types, tests"
	@echo "make vscode   the demo workspace in a VS Code in the browser"
	@echo "make format   let ruff repair what it can"
	@echo "make vsix     the VS Code extension, as one file to install"
	@echo "make picture  draw docs/hints.svg anew; make pictures: those of VS Code"
	@echo "make clean    remove everything that was set up"

include vscode-extension/extension.mk

demo: $(STAMP)
	$(BIN)/fx-lsp show --trust --color always $(MODELS)
	@echo
	@echo "One of the models is wrong on purpose; fx-lsp check says so, and its status is 1:"
	$(BIN)/fx-lsp check --trust --color always examples || test $$? -eq 1

test: lint types tests extension

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

# Suites run side by side, the longest first: most of their time they wait for processes that they started.  Hostile code
# is given seconds, and takes all that it gets: it runs alone.
tests: $(STAMP)
	@$(MAKE) --no-print-directory --keep-going --jobs=$(JOBS) --output-sync=target $(SUITES:%=suite-%)
	$(BIN)/python -m pytest tests/hostile

suite-%: $(STAMP)
	$(BIN)/python -m pytest tests/$*

suite-other: $(STAMP)
	$(BIN)/python -m pytest $(addprefix --ignore=tests/,hostile $(filter-out other,$(SUITES)))

format: $(STAMP) $(MODULES)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd $(EXTENSION) && npm run --silent format

picture: $(STAMP)
	$(BIN)/python docs/picture.py

# Both names of the constraints: newer versions of pip read the second one for what builds the package.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fx-lsp needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,dev]'
	@touch $@

clean:
	rm -rf $(VENV) $(EXTENSION)/node_modules $(EXTENSION)/bundled $(EXTENSION)/dist $(EXTENSION)/.cache
