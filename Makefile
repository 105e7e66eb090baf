# What can be done here, a line each. `make` alone prints the list.

PYTHON ?= python3
PORT   ?= 8000
BIN     = .venv/bin

export NO_MKDOCS_2_WARNING = 1

.PHONY: help book test test-long test-site site tangle check bench oracle clean

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | \
	  while read target says; do printf 'make %-9s  %s\n' "$$target" "$$says"; done

book: .venv/lock .venv/runtime.txt tangle  ## serve the book on localhost:8000 (or PORT=...); a saved chapter is shown
	$(BIN)/mkdocs serve --no-strict --dev-addr localhost:$(PORT)

test: .venv/lock .venv/runtime.txt  ## run every block, compare every printed number, then test the tools
	$(BIN)/pytest docs tests/test_terminal.py --cov -n auto --dist loadfile
	$(BIN)/pytest tests --ignore tests/test_terminal.py -m "not long" -n auto --dist loadgroup

test-long: .venv/lock  ## delete each line of tf/ and see who notices, try books at random: minutes
	$(BIN)/pytest tests -m long -n auto

test-site: .venv/lock .venv/runtime.txt  ## test the built site in Chromium, which has to be there already
	$(BIN)/pytest tests/site -n auto

site: .venv/lock .venv/runtime.txt  ## build the site into site/; a broken link or anchor is an error
	$(BIN)/mkdocs build --strict
	$(BIN)/python weave/links.py site

tangle:  ## write the code in tf/ out of the chapters, and into the Chinese pages
	$(PYTHON) tangle.py --sync
	$(PYTHON) tangle.py

check:  ## say whether the code in tf/, its reports and the Chinese pages follow the chapters; write nothing
	$(PYTHON) tangle.py --check
	$(PYTHON) -m tf.experiments --check
	$(PYTHON) weave/follows.py

bench: .venv/lock .venv/runtime.txt  ## measure speed, what a longer text costs, and how heavy the site is
	$(BIN)/python tests/bench/model.py
	$(BIN)/python tests/bench/cost.py
	$(BIN)/python tests/bench/flash.py
	$(BIN)/python tests/bench/tangle.py
	$(BIN)/python tests/bench/site.py
	$(BIN)/python tests/bench/page.py

oracle: .oracle/requirements.txt  ## let PyTorch and ONNX compute the golden numbers again, and compare
	.oracle/bin/python tests/oracle/make.py --check
	.oracle/bin/python tests/oracle/field.py --check

clean:  ## remove what the other targets made, except the environments in .venv and .oracle
	rm -rf site .cache .coverage .coverage.* .hypothesis .pytest_cache
	find . -name __pycache__ -not -path './.venv/*' -not -path './.oracle/*' -prune -exec rm -rf {} +

# Where PYTHON=... is given and is not the Python in .venv, that is made anew.
ifneq ($(origin PYTHON),file)
OTHER := $(filter-out $(shell $(BIN)/python -V 2>&1 || :),$(shell $(PYTHON) -V 2>&1 || :))
endif
ifneq ($(OTHER),)
.PHONY: .venv/lock
endif

# The environment. The copy of the lock is written last, so that one left half made is made again.
.venv/lock: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, and $(PYTHON) is `$(PYTHON) -V 2>&1`."; \
	    echo "Name another one: make PYTHON=python3.12"; exit 1; }
	@$(if $(OTHER),false,$(BIN)/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null) || \
	  $(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@cp requirements.lock $@

# The Python of the pages. Where it cannot be had the book is built without, and the build says so.
.venv/runtime.txt: weave/runtime.txt .venv/lock
	@$(BIN)/python -m pip install -qqq --disable-pip-version-check --retries 1 --no-deps -r $< && cp $< $@ || true

# PyTorch and ONNX have an environment of their own, for nothing else needs them.
.oracle/requirements.txt: tests/oracle/requirements.txt
	$(PYTHON) -m venv --clear .oracle
	.oracle/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@cp $< $@
