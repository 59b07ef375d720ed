# make demo and make test each set up what they need first.

VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
# Linux only: where the small CPU build of torch lies. Empty: whatever build PyPI has.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

# Files that end in _inside.py are run by others.
BENCHMARKS = $(filter-out benchmarks/soak_% %_inside.py,$(wildcard benchmarks/*.py))
SOAKS = $(wildcard benchmarks/soak_*.py)

export OMP_NUM_THREADS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help install demo test lint docs bench soak clean

help: ## list these targets
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1	/p' Makefile

install: $(READY) ## set up .venv with the tested versions

$(READY): pyproject.toml constraints.txt
	@set -eu; \
	if ! $(PY) -m pip --version >/dev/null 2>&1; then \
	  found=; \
	  for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
	    if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      found=$$python; break; \
	    fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo "Python 3.11 or newer is needed. If yours has another name: make PYTHON=/path/to/python" >&2; \
	    exit 1; \
	  fi; \
	  echo "Setting up $(VENV) with $$("$$found" --version)"; \
	  if ! "$$found" -m venv $(VENV); then \
	    rm -rf $(VENV); \
	    echo "$$found cannot make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv" >&2; \
	    exit 1; \
	  fi; \
	fi
	@if [ "$$(uname -s)" = Linux ] && [ -n "$(TORCH_INDEX)" ] && ! $(PY) -c 'import torch' 2>/dev/null; then \
	  $(PY) -m pip install --quiet --no-deps --retries 1 --timeout 20 -c constraints.txt \
	    --index-url $(TORCH_INDEX) torch \
	  || echo "No torch from $(TORCH_INDEX); taking PyPI's build, which is larger."; \
	fi
	$(PY) -m pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(READY) ## grade the small classes that ship with the project
	@$(VENV)/bin/grade demo

test: $(READY) ## run all tests
	$(PY) -m pytest -q -n 2 --dist loadfile

lint: $(READY) ## ruff, and mypy --strict on grader/
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

docs: $(READY) ## the pages under docs/, built into site/
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
	@echo site/index.html

bench: $(READY) ## whole-process comparisons
	@set -eu; for file in $(BENCHMARKS); do echo "$$file"; $(PY) "$$file"; done

soak: $(READY) ## what takes minutes: tests and long runs
	$(PY) -m pytest -q -m soak
	@set -eu; for file in $(SOAKS); do echo "$$file"; $(PY) "$$file"; done

clean: ## remove .venv, builds and caches
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
