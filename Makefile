# Two commands are enough: `make run` and `make test`. Everything happens in .venv and build/; nothing is installed
# outside the repository, except Chromium for the browser tests where this is permitted.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps
BUILD  := build/editable
JOBS   ?= $(shell nproc 2> /dev/null || sysctl -n hw.ncpu)
# One more worker than processors: tests of servers, browsers and processes wait for them.
WORKERS ?= $(shell expr $(JOBS) + 1)
# Each worker starts with files of its own, so that their fixtures are made once; one that is done takes from the others.
PYTEST = $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal
PIP    := $(BIN)/python -m pip --disable-pip-version-check -qq

# An edit to any of these makes the next build compile again, and only what changed.
NATIVE := CMakeLists.txt $(shell find cpp bindings -name "*.?pp")

# One catalogue of messages per language, compiled beside its source.
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard src/vaglio/messages/locale/*.po))

# The least percentage of C++ lines the tests must reach, just below the last measured figure. The floor for Python is
# in pyproject.toml.
CPP_FLOOR := 97

# Tests that call the kernels with many shapes of tables, in a few minutes under a sanitizer.
KERNEL_TESTS := tests/core tests/kernels tests/learners/additive tests/learners/bayes tests/learners/boosting \
                tests/learners/forest tests/learners/linear tests/learners/neighbors tests/learners/rules \
                tests/learners/svm tests/learners/trees tests/table/readers/test_plain_csv.py \
                tests/table/readers/test_survey.py

export PATH := $(CURDIR)/$(BIN):$(PATH)
# Bytecode is kept even where the environment says otherwise: without it every process compiles the package anew, and
# pytest all tests, which takes as long as a fast run of them.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
FORCE: ;
.PHONY: FORCE help build version run test test-fast test-nightly test-native test-python chromium lint tidy format hooks docs front figures links coverage sanitize \
        sanitize-python fuzz fuzz-native mutants wheel bench bench-quick messages parity panel panel-numbers boosting-accuracy honest cells dropin dropin-clients clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

build: $(STAMPS)/install $(CATALOGUES) version ## make .venv, compile the core and install vaglio in it (seconds after an edit)

version:
	@$(PYTHON) tools/version/vaglio_version.py

run: build ## the main job on the bundled penguins table: train, evaluate, rules, model, predictions, report
	@$(BIN)/python examples/penguins.py --out out

test: test-native chromium test-python ## the tests that decide: native, Python, browser; minutes

# These wait for nothing but processors, and a further worker would only collect them once more.
test-fast: WORKERS = $(JOBS)
test-fast: build $(STAMPS)/test ## some Python tests of everything, without a browser: under a minute
	@$(PYTEST) -m "not slow and not nightly and not browser" $(ARGS)

test-nightly: build $(STAMPS)/test chromium ## what make test leaves out: further learners, formats and cases
	@$(PYTEST) -m nightly $(ARGS)

test-native: build
	@cmake -S . -B $(BUILD) -DVAGLIO_NATIVE_TESTS=ON > $(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) --parallel $(JOBS) > $(BUILD)/compile.log || { cat $(BUILD)/compile.log; exit 1; }
	@ctest --test-dir $(BUILD) --parallel $(JOBS) --output-on-failure --no-tests=ignore

test-python: build $(STAMPS)/test
	@VAGLIO_DATA="$(DATA)" $(PYTEST) -m "not nightly" $(ARGS)

chromium:
	@tools/chromium.sh

lint: build $(STAMPS)/test $(STAMPS)/lint ## ruff, mypy, import-linter, clang-format, clang-tidy; changes nothing
	ruff check
	ruff format --check
	mypy
	mypy tools benchmarks
	lint-imports --no-cache
	python -m tools.messages --check
	python -m tools.changes
	clang-format --dry-run -Werror $$(git ls-files '*.cpp' '*.hpp')
	tools/tidy.sh $(BUILD) $(JOBS)

messages: build $(STAMPS)/test ## bring the catalogues of messages up to date and list what is not translated
	@$(BIN)/python -m tools.messages $(ARGS)

tidy: build $(STAMPS)/lint ## clang-tidy alone (part of lint)
	tools/tidy.sh $(BUILD) $(JOBS)

format: $(STAMPS)/lint ## let ruff and clang-format rewrite the files
	ruff check --fix
	ruff format
	clang-format -i $$(git ls-files '*.cpp' '*.hpp')

hooks: $(STAMPS)/lint ## check every commit before it is made (pre-commit)
	pre-commit install

docs: build $(STAMPS)/docs ## the documentation as a site in build/site, every warning an error
	@$(BIN)/python -m sphinx -q -E -W --keep-going -n -j auto -d build/doctrees docs build/site
	@$(BIN)/python docs/check_site.py build/site
	@echo "the site is in build/site/index.html"

front: build ## the moving picture and the figures of the README
	@$(BIN)/python docs/front.py

figures: build ## all figures of the gallery on one page, in both languages, to look at: build/figures.html
	@$(BIN)/python docs/contact_sheet.py build/figures.html

links: build $(STAMPS)/docs ## do the addresses in the documentation answer? needs a network, so no other target asks
	@$(BIN)/python -m sphinx -q -b linkcheck -j auto -d build/doctrees docs build/links

coverage: build $(STAMPS)/coverage ## which lines the tests reach, in Python and in C++; fails below the floors
	@tools/coverage.sh $(BIN)/python build/coverage $(JOBS) $(CPP_FLOOR)

bench: build $(STAMPS)/bench ## compare speed with other libraries; TASK=name for one task, DATA=folder of real tables; for TASK=growth ROWS=1e6 SECONDS=10 MINUTES=20
	@DATA="$(DATA)" ROWS="$(ROWS)" SECONDS="$(SECONDS)" MINUTES="$(MINUTES)" FRESH="$(FRESH)" \
	  $(BIN)/python -m benchmarks $(TASK)

bench-quick: build $(STAMPS)/bench ## the short benchmarks beside the last figures; fails where one fell by more than 15 %
	@$(BIN)/python -m benchmarks.quick

parity: build ## compare accuracy with other libraries on real tables: DATA=folder [LEARNER=c45,ripper] [SEEDS=1,2,3]
	@test -n "$(DATA)" || { echo "Say where the tables are: make parity DATA=folder" >&2; exit 2; }
	@$(BIN)/python -m benchmarks.parity "$(DATA)" --learner "$(or $(LEARNER),c45)" --seeds "$(or $(SEEDS),1,2,3)"

sanitize: $(STAMPS)/build ## kernels and native tests under AddressSanitizer + UBSan, then ThreadSanitizer
	@tools/sanitize.sh address,undefined build/asan $(JOBS)
	@tools/sanitize.sh thread build/tsan $(JOBS)

sanitize-python: build $(STAMPS)/test ## the Python tests of the kernels under AddressSanitizer + UBSan; ARGS=tests/core for some
	@tools/sanitize_python.sh $(BIN)/python build/asan $(JOBS) $(or $(ARGS),$(KERNEL_TESTS))

panel: build ## defaults beside other libraries on many tables: [DATA=folder] [LEARNER=knn] [TABLES=iris,wine] [LEAVE_OUT=1] [CANDIDATE=text] [CALIBRATE=1] [SELECT=0] [NOISE=1,3,10] [ROWS=400] [FOLDS=3] [RECORDS=file]
	@$(BIN)/python -m benchmarks.panel $(DATA) --learner "$(LEARNER)" --tables "$(TABLES)" --seeds "$(or $(SEEDS),1)" --noise "$(NOISE)" \
	  --folds $(or $(FOLDS),3) --rows $(or $(ROWS),400) $(if $(RECORDS),--records $(RECORDS)) $(if $(LEAVE_OUT),--leave-out) \
	  --candidate "$(CANDIDATE)" $(if $(CALIBRATE),--calibrate) $(if $(SELECT),--select $(SELECT))

panel-numbers: build ## numeric targets: defaults beside other libraries on tables of PyPI packages (pip install statsmodels vega_datasets ISLP lightgbm xgboost catboost interpret) [LEARNER=linear,cart] [TABLES=diabetes] [FOLDS=10] [ROWS=2000] [OUT=file.csv]
	@$(BIN)/python -m benchmarks.panel.numbers --learner "$(LEARNER)" --tables "$(TABLES)" --folds $(or $(FOLDS),10) --rows $(or $(ROWS),2000) $(if $(OUT),--out $(OUT))

boosting-accuracy: build $(STAMPS)/bench ## gradient boosting beside four libraries of boosted trees, or LEARNER=additive beside interpret: DATA=folder [SEEDS=1,2,3] [FOLDS=10] [RECORDS=file] [WHO=LightGBM] [MINUTES=10]
	@$(BIN)/python -m benchmarks.boosting_accuracy "$(DATA)" --seeds "$(or $(SEEDS),1,2,3)" --folds $(or $(FOLDS),10) \
	  $(if $(RECORDS),--records $(RECORDS)) $(if $(MINUTES),--minutes $(MINUTES)) --who "$(WHO)" $(if $(LEARNER),--learner $(LEARNER))

honest: build $(STAMPS)/test ## does every interval, test and warning do what it says? simulations, written to docs/honest.md; an hour; [ONLY=text] [RUNS=100] prints some of them
	@$(BIN)/python -m tools.honest --jobs $(JOBS) $(if $(RUNS),--runs $(RUNS)) $(if $(ONLY),--only "$(ONLY)",$(if $(RUNS),,--write))

dropin: build $(STAMPS)/test ## scikit-learn's own tests with vaglio's classes in place; FILES="tree/tests test_forest" for some
	@$(BIN)/python -m tools.dropin --jobs $(JOBS) $(FILES)

dropin-clients: build $(STAMPS)/test ## the tests of projects that build on scikit-learn, with vaglio's classes in place; PROJECTS="skops mapie" for some
	@$(BIN)/python -m tools.dropin.clients $(PROJECTS)

cells: build $(STAMPS)/test ## compare every cell of many tables with its text, whole, in parts and for a model: DATA="folder folder" [JUDGED=file]
	@test -n "$(DATA)" || { echo "Say where the tables are: make cells DATA=folder" >&2; exit 2; }
	@$(BIN)/python -m tools.cells $(DATA) $(addprefix --judged ,$(JUDGED))

fuzz: build ## hostile model files, tables and options, a minute each; SECONDS=3600 SEED=1 TARGET=models; goes on next time
	@$(BIN)/python -m tools.fuzz --seconds $(or $(SECONDS),60) --seed $(or $(SEED),0) $(addprefix --target ,$(TARGET))

fuzz-native: $(STAMPS)/build ## the kernels under libFuzzer and sanitizers, a minute each; SECONDS=600 SEED=1 TARGET=svm; needs clang
	@mkdir -p build
	@tools/fuzz/native/run.sh build/fuzz-native $(JOBS) $(or $(SECONDS),60) $(or $(SEED),1) $(TARGET)

mutants: build $(STAMPS)/test ## do the tests notice small faults? [FOLDER=model] [SHARE=0.2] [SEED=1]; goes on next time
	@$(BIN)/python -m tools.mutants $(addprefix --folder ,$(FOLDER)) --share $(or $(SHARE),0.05) --seed $(or $(SEED),0)

wheel: $(STAMPS)/build ## build the wheel and try it in an empty venv outside the repository
	@tools/wheel.sh $(BIN)/python

clean: ## remove .venv, build and results
	rm -rf $(VENV) build dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis src/vaglio/_core*.so src/vaglio/_core.pyi src/vaglio/_build.py

# Each stamp is an installed group of pyproject.toml; it is renewed when the file changes.
$(STAMPS)/venv:
	@tools/check_system.sh $(PYTHON)
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade "pip>=25.1"
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build $(STAMPS)/test $(STAMPS)/lint $(STAMPS)/docs $(STAMPS)/coverage $(STAMPS)/bench: pyproject.toml | $(STAMPS)/venv
	@echo "installing what $(@F) needs"
	@$(PIP) install --group $(@F)
	@touch $@

# The editable install keeps a list of modules: this one changes when a module is added, moved or removed.
$(STAMPS)/modules: FORCE | $(STAMPS)/venv
	@find src -name '*.py' ! -name _build.py | sort > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(STAMPS)/install: $(NATIVE) $(STAMPS)/modules pyproject.toml README.md $(STAMPS)/build
	@echo "compiling and installing vaglio"
	@$(PIP) install --no-build-isolation -Cbuild-dir=$(BUILD) -e .
	@touch $@

%.mo: %.po | $(STAMPS)/install
	@$(BIN)/python tools/catalogue.py $< $@
