# `make demo` and `make test` set up everything they need in .venv and vscode-extension/, again only when what is to be
# installed changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
MODELS := $(filter-out examples/train.py examples/test_%.py,$(wildcard examples/*.py))

EXTENSION := vscode-extension
MODULES := $(EXTENSION)/node_modules/.installed

.PHONY: help demo test lint types tests extension editor vscode format picture clean

help:
	@echo "make demo     the models of examples/ with their shapes, and what is wrong with them"
	@echo "make test     everything that has to pass: lint, types, tests"
	@echo "make vscode   the demo workspace in a VS Code in the browser"
	@echo "make format   let ruff repair what it can"
	@echo "make picture  draw docs/hints.svg anew"
	@echo "make clean    remove .venv"

demo: $(STAMP)
	$(BIN)/fx-lsp show --color always $(MODELS)
	@echo
	@echo "One of the models is wrong on purpose; fx-lsp check says so, and its status is 1:"
	$(BIN)/fx-lsp check --color always examples || test $$? -eq 1

test: lint types tests extension editor

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

tests: $(STAMP)
	$(BIN)/python -m pytest

# Lint, types and unit tests of the extension, and the package that people install.
extension: $(STAMP) $(MODULES)
	cd $(EXTENSION) && PYTHON=../$(BIN)/python npm run --silent test

# The package in the real VS Code, where there is one for this platform.
editor: extension
	$(EXTENSION)/scripts/test-editor.sh

vscode: $(STAMP) $(MODULES)
	cd $(EXTENSION) && PYTHON=../$(BIN)/python npm run --silent package
	$(EXTENSION)/scripts/setup-editor.sh
	cd $(EXTENSION) && npm run --silent open

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

$(MODULES): $(EXTENSION)/package.json $(EXTENSION)/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not there: install Node.js 20 or newer" >&2; exit 1; }
	cd $(EXTENSION) && npm ci --loglevel=error
	@touch $@

clean:
	rm -rf $(VENV) $(EXTENSION)/node_modules $(EXTENSION)/bundled $(EXTENSION)/dist $(EXTENSION)/.cache
