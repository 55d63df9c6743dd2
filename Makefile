PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ACYCLIC := calor_guest calor.engine calor.plan calor.resources calor.service calor.stacks calor.store calor.types calor.clouds calor.localcloud calor.server
# They run on the Python of any server.
GUEST_TOOLS := $(addprefix src/calor_guest/,apply cfn collect common config refresh compiled.py install.py programs.py)
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --editable
# In random order; `make test PYTEST_ARGS=--randomly-seed=SEED` repeats one by the seed that its first lines show.
# Tests wait a third of their time: three for two cores.
PROCESSES := $(shell cores=$$(getconf _NPROCESSORS_ONLN); echo $$((cores + (cores + 1) / 2)))
# With bytecode, also in containers, which often switch it off: tests start hundreds of processes.
TESTS := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --ignore=tests/conformance --numprocesses=$(PROCESSES) --dist=worksteal

.PHONY: help setup demo demo-down test test-all check conformance docs soak bench fuzz format clean

help: ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(VENV)/.installed ## Make the virtual environment

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[dev]'
	@touch $(VENV)/.runtime $@

# What running takes installs in half the time of everything.
$(VENV)/.runtime: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) .
	@touch $@

demo: $(VENV)/.runtime ## Start Calor and make a first stack
	$(BIN)/python scripts/demo.py up

demo-down: ## Stop what the demo started
	$(PYTHON) scripts/demo.py down

test: setup ## Run the tests, in a few minutes: on SQLite, and without what is slow
	$(TESTS) -m "not extended" $(PYTEST_ARGS)

test-all: setup ## Run all tests: also on PostgreSQL and MariaDB, with kills of servers and hundreds of random plans
	$(TESTS) $(PYTEST_ARGS)

check: setup ## Lint, check types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_cycles.py $(ACYCLIC)
	$(BIN)/vermin --quiet --no-tips --eval-annotations --violations --target=3.6- $(GUEST_TOOLS)

conformance: setup $(VENV)/.conformance ## Run other people's suites; EXAMPLES= and SEED= choose how much schemathesis tries
	CALOR_EXAMPLES=$${EXAMPLES:-3} CALOR_EXAMPLES_SEED=$${SEED:-1} $(BIN)/python -m pytest -p no:randomly tests/conformance -rA

$(VENV)/.conformance: pyproject.toml
	$(INSTALL) '.[dev,conformance]'
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(VENV)/openstack-heat \
		'openstack-heat==27.*'
	@touch $@

docs: setup ## Build the documentation into site/; broken links fail
	$(BIN)/python -m mkdocs build

soak: setup ## An hour of load (MINUTES=, CLIENTS=), 240 kills (KILLS=), 300 rounds against the cloud (ROUNDS=), 100 pauses of engines (PAUSES=); SEED= chooses
	$(BIN)/python benchmarks/soak.py
	CALOR_KILLS=$${KILLS:-240} CALOR_KILL_SEED=$${SEED:-$$(date +%s)} \
		$(BIN)/python -m pytest -s tests/kill/test_killed_servers.py
	CALOR_ROUNDS=$${ROUNDS:-300} CALOR_ROUNDS_SEED=$${SEED:-$$(date +%s)} \
		$(BIN)/python -m pytest -s tests/kill/test_cloud_rounds.py
	CALOR_PAUSES=$${PAUSES:-100} CALOR_PAUSE_SECONDS=30 CALOR_PAUSE_SEED=$${SEED:-$$(date +%s)} \
		$(BIN)/python -m pytest -s tests/kill/test_paused_engines.py -k "sqlite or postgresql"

bench: setup ## Run the benchmarks; HEAT_PYTHON= measures Heat in the same run, DATABASE_URL= uses that empty database
	$(BIN)/python benchmarks/language.py
	$(BIN)/python benchmarks/server.py
	$(BIN)/python benchmarks/cloud.py
	$(BIN)/python benchmarks/software.py

fuzz: setup ## Throw 200,000 odd inputs at the reader
	$(BIN)/python benchmarks/fuzz_reader.py

format: setup ## Format the source
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove what was built
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name '*.egg-info' -o -name __pycache__ | xargs rm -rf
