# make demo   a first look: needs Python 3.11 or later and a C++20 compiler, installs into .venv
# make test   all tests; make check: style and types; make bench: the figures in results/
# make sanitize   the native tests under ASan and UBSan

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

NATIVE := $(shell find native -name '*.cpp' -o -name '*.hpp' -o -name '*.h' 2>/dev/null)
BUILD_INPUTS := pyproject.toml constraints.txt CMakeLists.txt $(NATIVE)

.PHONY: demo test check bench sanitize native clean
.DELETE_ON_ERROR:

demo: $(VENV)/.package
	$(BIN)/prune4sed demo

test: $(VENV)/.dev $(VENV)/.package native
	$(BIN)/python -m pytest -q

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev $(VENV)/.package
	@for script in benchmarks/*.py; do \
	    case $$script in benchmarks/_*) continue;; esac; \
	    echo "== $$script"; $(BIN)/python $$script || exit 1; \
	done

# The engine's own tests, as it ships: no Python in them.
native: | $(VENV)/.tools
	@$(BIN)/cmake -S . -B build/native -DPRUNE4SED_NATIVE_TESTS=ON -DCMAKE_BUILD_TYPE=Release >build-native.log 2>&1 \
	    && $(BIN)/cmake --build build/native -j $(JOBS) >>build-native.log 2>&1 \
	    || { cat build-native.log; rm -f build-native.log; exit 1; }
	@rm -f build-native.log
	build/native/engine_tests

sanitize: | $(VENV)/.tools
	$(BIN)/cmake -S . -B build/sanitize -DPRUNE4SED_NATIVE_TESTS=ON -DPRUNE4SED_SANITIZE=ON \
	    -DCMAKE_BUILD_TYPE=RelWithDebInfo
	$(BIN)/cmake --build build/sanitize -j $(JOBS)
	build/sanitize/engine_tests

clean:
	rm -rf build $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# -- the environment ---------------------------------------------------------------------------------------

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; install Python 3.11 or later"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "make: Python 3.11 or later is needed; set PYTHON=python3.12 or the like"; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	    || { echo "make: Python has no venv; install it (Debian, Ubuntu: apt install python3-venv)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Build tools live in the environment too, so that a rebuild need not fetch them again.
$(VENV)/.tools: constraints.txt | $(VENV)/.created
	@for cxx in "$${CXX:-c++}" g++ clang++; do command -v $$cxx >/dev/null && exit 0; done; \
	    echo "make: no C++ compiler found; install one with C++20 (Debian, Ubuntu: apt install g++)"; exit 2
	$(PIP) install -c constraints.txt scikit-build-core nanobind cmake ninja
	@touch $@

# Editable: a change in Python shows at once; a change in native code is newer than the stamp and rebuilds.
$(VENV)/.package: $(BUILD_INPUTS) $(VENV)/.tools
	$(PIP) install --no-build-isolation -c constraints.txt -e '.[chem]'
	@touch $@

# torch first: nothing that comes after may pull in another build of it.
$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/.package
	$(PIP) install -c constraints.txt "$$(grep '^torch==' constraints.txt)"
	$(PIP) install --no-build-isolation -c constraints.txt -e '.[dev]'
	@touch $@
