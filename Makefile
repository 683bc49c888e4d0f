# Two commands do everything: `make certify` and `make test`. `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

unexport PYTHONPATH PYTHONHOME PYTHONOPTIMIZE PYTHONDONTWRITEBYTECODE PYTEST_ADDOPTS PYTEST_PLUGINS
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# What an installed environment is made from: when one of these is newer, it is installed again.
INPUTS := pyproject.toml setup.py \
	$(wildcard pytest_vindex3/contract/shim/*.[ch]) \
	$(wildcard reference/vindex3_reference/kernels/build.py reference/vindex3_reference/kernels/csrc/*)

.PHONY: help certify test lint types unit test-wheel test-sanitized test-arm64 test-s390x mutants clean
.DEFAULT_GOAL := help

help:  ## say what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-14s %s\n", $$1, $$2 }'

certify: $(VENV)/.installed  ## install the kit here and certify the bundled reference implementation
	@$(BIN)/pytest --vindex3-impl=vindex3_reference

test: lint types unit  ## linters, types, the kit's own tests and the examples of the documents

lint: $(VENV)/.developed  ## ruff: rules and format
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet . && echo "ruff: clean"

types: $(VENV)/.developed  ## mypy --strict over every package
	@$(BIN)/mypy --strict

unit: $(VENV)/.developed  ## the kit's own tests
	@$(BIN)/python -m pytest --quiet --numprocesses=2 --dist=loadfile

test-wheel:  ## certify from the built wheel, away from the checkout, in every supported environment
	@.ci/test-wheel $(PYTHON)

test-sanitized: $(VENV)/.developed  ## the kernels' tests under the sanitizers of gcc
	@.ci/test-sanitized $(BIN)/python

test-arm64: $(VENV)/.developed  ## kernels, records and codebooks in an arm64 Python under qemu
	@.ci/test-arm64 $(BIN)/python

test-s390x: $(VENV)/.developed  ## portable kernels and the assembler in a big-endian Python under qemu
	@.ci/test-s390x $(BIN)/python

mutants: $(VENV)/.installed  ## try the suites on everything that is wrong on purpose, each until it is found
	@$(BIN)/vindex3 mutants --brief

clean:  ## remove everything that these commands made
	@rm -rf $(VENV) .python-3.13 .emulated build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .vindex3
	@rm -f pytest_vindex3/contract/shim/*.so reference/vindex3_reference/kernels/*.so
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed: $(INPUTS)
	@echo "$(VENV): installing the kit and what it needs"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --editable .
	@touch $@

$(VENV)/.developed: $(VENV)/.installed
	@echo "$(VENV): installing what the kit's own tests need"
	@$(BIN)/python -m pip install -qq --editable '.[dev,fuzz]'
	@touch $@
