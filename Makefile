# Every target sets up what it needs: Python packages in .venv, Node modules in node_modules.
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
PY := $(VENV)/Scripts/python.exe
else
PY := $(VENV)/bin/python
endif
PIP := $(PY) -m pip --disable-pip-version-check --quiet
NODE := $(shell command -v node)
NPM := $(shell command -v npm)

.PHONY: help build demo test test-packages fuzz bench wheel serve lint pyodide-dist clean node venv-%

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: venv-run ## build the WebAssembly binary and the generated Python files into the source tree
	$(PY) wasm/build.py

demo: build node ## train a network on handwritten digits, in CPython and in Node, to the same bits
	$(PY) web-demo/demo.py

test: build node venv-test wheel ## run all tests: C, Python, Pyodide in Node, the page in browsers
	$(PY) -m pytest

test-packages: build wheel venv-bench ## run packages as a person installs them, and write docs/packages.md
	$(PY) -m tests.packages.jobs --torch $(PY)

SECONDS ?= 600
SEED ?= 0
fuzz: build venv-bench ## call all public names with random arguments, here and in PyTorch: SECONDS=600 SEED=0
	$(PY) -m tests.fuzz --seconds $(SECONDS) --seed $(SEED)

bench: build node venv-bench ## measure against torch and this machine's own limit; a table and JSON
	$(PY) benchmarks/run.py

wheel: venv-run ## build dist/*.whl, one for all platforms
	@mkdir -p dist
	@rm -f dist/*.whl
	$(PIP) wheel --no-deps --wheel-dir dist .
	@ls -l dist/*.whl

serve: build node wheel ## serve the page on this machine, isolated so that it may use threads
	$(PY) web-demo/serve.py

lint: venv-lint ## check style and types
	$(PY) -m ruff check .
	$(PY) -m mypy

pyodide-dist: wheel node venv-pyodide ## make dist/pyodide: Pyodide with this package in its lock, to be served as it is
	$(PY) wasm/pyodide_dist.py dist/*.whl dist/pyodide

clean: ## remove what was built (not .venv and node_modules)
	rm -rf build dist pywasmtorch/_core/generated pywasmtorch/pywasmtorch.wasm pywasmtorch/pywasmtorch.json \
	  pywasmtorch/_core/host/*.js .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -not -path './node_modules/*' -prune -exec rm -rf {} +

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or newer is needed"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; exit 1; }
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

venv-%: $(VENV)/installed-% ;

.PRECIOUS: $(VENV)/installed-%
$(VENV)/installed-%: pyproject.toml $(VENV)/made
	$(PIP) install --group $*
	@touch $@

node_modules/.package-lock.json: package-lock.json
	$(NPM) ci --no-audit --no-fund
	@touch $@

ifneq ($(and $(NODE),$(NPM)),)
node: node_modules/.package-lock.json
else
node:
	@echo "Node is missing (https://nodejs.org, or: apt-get install nodejs npm): Pyodide and browsers are not used"
endif
