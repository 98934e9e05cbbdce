# Needs Python 3.11 or newer with pip, and make. Every target does its own set-up in .venv;
# files under .venv/ record what is done, so that the second run is quick.
#
#   PYTHON=/path/to/python3.12 make test    another Python (the environment is made anew)
#   EW_MYPYC=1 make test                    the server compiled (EW_MYPYC=rules: the rules core alone)
#   make test ARGS="-k drain -x"            more arguments for pytest

PYTHON ?= python3
VENV ?= .venv
EW_MYPYC ?=
ARGS ?=
export EW_MYPYC

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
SETS := run test bench ray
NODE := clients/node/node_modules/.installed
WEB := clients/web/node_modules/.installed
TYPES := clients/web/endless_winter/web/contract.d.ts
PROTOS := $(sort $(shell find proto -name '*.proto'))
# Compiled modules shadow their sources, so a compiled build depends on the sources too.
COMPILED := $(if $(filter 1 all,$(EW_MYPYC)),rules views engine store)$(filter rules,$(EW_MYPYC))
SOURCES := $(sort $(foreach package,$(COMPILED),$(shell find server/endless_winter/$(package) -name '*.py' 2>/dev/null)))
SOURCES += $(if $(COMPILED),$(sort $(wildcard clients/python/endless_winter/bots/*.py)))

# "3.11.7" when the Python is new enough, "old-3.9.2" when it is not, empty when there is none.
VERSION_OF := import sys; v = sys.version_info; print(("old-" if v < (3, 11) else "") + ".".join(map(str, v[:3])))
FOUND := $(shell $(PYTHON) -c '$(VERSION_OF)' 2>/dev/null)
ADVICE = set PYTHON=/path/to/python3.11 (or newer)
need_python = $(if $(FOUND),,$(error Python 3.11 or newer is needed; found none at '$(PYTHON)'; $(ADVICE)))$(if \
	$(filter old-%,$(FOUND)),$(error Python 3.11 or newer is needed; found $(FOUND:old-%=%) at '$(PYTHON)'; $(ADVICE)))$(if \
	$(shell $(PYTHON) -m pip --version 2>/dev/null),,$(error pip is needed; '$(PYTHON)' has none; install pip for it, or $(ADVICE)))

# How long make has been running, for the last line of a target.
STARTED := $(shell date +%s)
took = it took $$(( ($$(date +%s) - $(STARTED)) / 60 )) min $$(( ($$(date +%s) - $(STARTED)) % 60 )) s

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help tournament test lint bench rules soak lock clean FORCE

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1@\2/p' $(firstword $(MAKEFILE_LIST)) | \
	while IFS=@ read -r name text; do printf '%-18s %s\n' "$$name" "$$text"; done

tournament: $(VENV)/.built $(VENV)/.sandbox ## run the main job: a small tournament of the bots that come along, with a report
	@$(BIN)/ew tournament --out runs/$$(date -u +%Y%m%d-%H%M%S)

test: $(VENV)/.built $(VENV)/.test $(NODE) $(WEB) $(VENV)/.sandbox $(VENV)/.browser ## run the tests (soak tests left out)
	@$(BIN)/python -m pytest -n 2 $(ARGS)
	@$(if $(ARGS),,$(BIN)/python tests/tools/mutate.py --quiet --sample 10 --seed 1)
	@echo "make test: every test passed$(if $(ARGS), of those asked for,; ten mutants of the rules were noticed);" \
	"$(took), set-up included; skipped tests are named above, slow ones are left to 'make soak'"

lint: $(VENV)/.built $(VENV)/.test $(WEB) ## check style, types and the contract
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy
	@if test -f $(WEB); then $(BIN)/python tests/tools/web_types.py > $(TYPES) && (cd clients/web && node_modules/.bin/tsc); \
	else echo "make lint: THE TYPES OF clients/web ARE NOT CHECKED: there is no node or no npm here" >&2; fi
	@$(BIN)/buf lint
	@$(BIN)/buf format --diff --exit-code
	@tag=$$(git describe --tags --abbrev=0 --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null); \
	if [ -n "$$tag" ]; then $(BIN)/buf breaking --against ".git#tag=$$tag" && echo "buf breaking: compatible with $$tag"; \
	else echo "buf breaking: skipped, there is no release tag (vX.Y.Z) yet"; fi
	@echo "make lint: ruff, mypy and buf found nothing"

bench: $(VENV)/.built $(VENV)/.bench ## measure the rules core and print the numbers
	@$(BIN)/python -m bench core

rules: $(VENV)/.built $(VENV)/.test ## check that each rule id of docs/rules.md has its tests
	@$(BIN)/python tests/tools/rules.py

# Ray has an environment of its own: other tests see what happens where it is not installed.
soak: $(VENV)/.built $(VENV)/.test $(NODE) $(WEB) $(VENV)/.sandbox $(VENV)/.browser ## run the long tests: every mutant, every kind of install, a Ray cluster
	@$(BIN)/python tests/tools/mutate.py --quiet --all
	@$(BIN)/python -m pytest -m soak --ignore tests/tournament/test_ray.py $(ARGS)
	@$(MAKE) --no-print-directory VENV=.venv-ray .venv-ray/.built .venv-ray/.test .venv-ray/.ray
	@.venv-ray/bin/python -m pytest -m soak tests/tournament/test_ray.py
	@echo "make soak: mutants and slow tests passed, those on a Ray cluster too; $(took)"

# All four sets are cut from one resolution, so that they agree and can share an environment.
LOCK := .venv-lock/bin/uv pip compile --quiet --upgrade --no-config --system-certs --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml --group build
lock: .venv-lock/.uv ## resolve the dependencies anew and write requirements/*.lock
	@mkdir -p requirements
	$(LOCK) --all-extras --group test --group bench -o .venv-lock/all.txt
	$(LOCK) -c .venv-lock/all.txt -o requirements/run.lock
	$(LOCK) -c .venv-lock/all.txt --extra pettingzoo --extra postgres --group test -o requirements/test.lock
	$(LOCK) -c .venv-lock/all.txt --group bench -o requirements/bench.lock
	$(LOCK) -c .venv-lock/all.txt --extra ray -o requirements/ray.lock
	@echo "make lock: wrote $(SETS:%=requirements/%.lock)"

.venv-lock/.uv:
	$(need_python)
	@$(PYTHON) -m venv --clear --without-pip .venv-lock
	@$(PYTHON) -m pip --disable-pip-version-check --python .venv-lock/bin/python install -qq uv
	@touch $@

clean: ## remove the environments, generated stubs, compiled modules and caches
	@rm -rf $(VENV) .venv-lock .venv-ray clients/node/node_modules clients/web/node_modules $(TYPES) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
	@find bench proto server clients tests \( -name '*_pb2*.py' -o -name '*_pb2*.pyi' -o -name '*.binpb' -o -name '*.so' \) -delete
	@find bench proto server clients tests -name __pycache__ -prune -exec rm -rf {} +
	@echo "make clean: removed everything that make can make again"

# The name carries the version: another Python makes the environment anew.
# --without-pip, because Debian splits ensurepip off; pip itself comes with the lock.
$(VENV)/.python-$(FOUND):
	$(need_python)
	@echo "setting up $(VENV) with Python $(FOUND) (the first time takes one to a few minutes)"
	@$(PYTHON) -m venv --clear --without-pip $(VENV)
	@touch $@

$(VENV)/.run: requirements/run.lock $(VENV)/.python-$(FOUND)
	@$(PYTHON) -m pip --disable-pip-version-check --python $(BIN)/python install -qq --require-hashes -r $<
	@touch $@

$(VENV)/.test $(VENV)/.bench $(VENV)/.ray: $(VENV)/.%: requirements/%.lock $(VENV)/.run
	@$(PIP) --require-hashes -r $<
	@touch $@

# The bot in JavaScript, and what checks the pages. A machine without node tests everything else, and make says what
# it misses.
$(NODE) $(WEB): %/node_modules/.installed: %/package-lock.json
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
	echo "installing what $* needs"; \
	(cd $* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) && touch $@; \
	else echo "make: THERE IS NO node OR NO npm HERE: the checks of $* that need it will be SKIPPED" >&2; fi

# Bubblewrap is not Python's to install. Tried once: without it everything runs, but bots of a tournament are
# not separated, and the tests of that are skipped.
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20
$(VENV)/.sandbox: $(VENV)/.python-$(FOUND)
	@if ! command -v bwrap > /dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	{ $(APT) update && $(APT) install -y bubblewrap; } > /dev/null 2>&1 || true; fi
	@command -v bwrap > /dev/null || echo "make: there is no bubblewrap (bwrap): bots of tournaments run WITHOUT A SANDBOX and its tests \
	are SKIPPED; the package 'bubblewrap' has it" | tr -s ' \t' ' ' >&2
	@touch $@

# The browser for the tests of the pages, tried once in the same way.
$(VENV)/.browser: $(VENV)/.python-$(FOUND)
	@if ! command -v chromium > /dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	echo "installing chromium, for the tests of the pages"; \
	{ $(APT) update && $(APT) install -y --no-install-recommends chromium fonts-dejavu-core; } > /dev/null 2>&1 || true; fi
	@command -v chromium > /dev/null || echo "make: THERE IS NO chromium HERE: the tests of the pages in a browser will be \
	SKIPPED; Debian's package 'chromium' has it" | tr -s ' \t' ' ' >&2
	@touch $@

# What goes into the build, rewritten only when it changes: notices removed files and EW_MYPYC.
$(VENV)/.inputs: $(VENV)/.python-$(FOUND) FORCE
	@echo '$(EW_MYPYC) $(PROTOS) $(SOURCES)' | cmp -s - $@ || echo '$(EW_MYPYC) $(PROTOS) $(SOURCES)' > $@

$(VENV)/.built: $(VENV)/.run $(VENV)/.inputs pyproject.toml proto/hatch_build.py $(PROTOS) $(SOURCES) \
		$(if $(COMPILED),$(VENV)/.test)
	@$(PIP) --no-deps --no-build-isolation -e .
	@$(if $(COMPILED),$(BIN)/ew --version; $(BIN)/ew --version | grep -q 'core: compiled' || \
	echo "make: THE CORE COULD NOT BE COMPILED and stays pure Python. To see why: EW_MYPYC=$(EW_MYPYC) $(PIP:-qq=-v) --no-deps --no-build-isolation -e ." >&2)
	@touch $@
