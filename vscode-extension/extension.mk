# The VS Code extension. Everything is set up in vscode-extension/.cache and node_modules, once.

EXTENSION := vscode-extension
NPM := npm --prefix $(EXTENSION) --silent run
MODULES := $(EXTENSION)/node_modules/.installed
VSIX := $(EXTENSION)/dist/fx-lsp.vsix
# The server is shipped inside, so that its sources are sources of the package.
VSIX_SOURCES := $(shell find fx_lsp $(EXTENSION)/src $(EXTENSION)/webview $(EXTENSION)/server $(EXTENSION)/scripts \
	$(EXTENSION)/media $(EXTENSION)/walkthrough -type f -not -name '*.pyc' 2>/dev/null) \
	$(addprefix $(EXTENSION)/,package.json package-lock.json esbuild.mjs README.md CHANGELOG.md .vscodeignore) \
	constraints.txt pyproject.toml
E2E := node --import tsx

.PHONY: extension extension-lint extension-unit extension-package extension-e2e vscode pictures vsix

vsix: $(VSIX)

extension: extension-lint extension-unit extension-package extension-e2e

extension-lint: $(MODULES)
	$(NPM) check
	$(NPM) lint

extension-unit: $(MODULES) $(VSIX)
	$(NPM) test:unit
	$(NPM) test:package

extension-package: $(VSIX)
	$(NPM) test:package

# Status 3 of the set-up: there is no such editor for this platform. That is said, and the rest counts.
extension-e2e: $(VSIX) $(STAMP)
	@$(EXTENSION)/scripts/setup-editor.sh; status=$$?; \
	if [ $$status -eq 3 ]; then echo "NOT RUN: the tests of the extension in the real editor"; exit 0; fi; \
	[ $$status -eq 0 ] || exit $$status; \
	cd $(EXTENSION) && $(E2E) test/e2e/run.ts

vscode: $(VSIX) $(STAMP)
	@$(EXTENSION)/scripts/setup-editor.sh
	@cd $(EXTENSION) && exec $(E2E) test/e2e/open.ts

pictures: $(VSIX) $(STAMP)
	@$(EXTENSION)/scripts/setup-editor.sh
	cd $(EXTENSION) && $(E2E) test/e2e/pictures.ts

$(VSIX): $(VSIX_SOURCES) $(MODULES) | $(STAMP)
	PYTHON=$(abspath $(BIN)/python) $(NPM) package
	@touch $@

$(MODULES): $(EXTENSION)/package.json $(EXTENSION)/package-lock.json $(EXTENSION)/.npmrc
	@command -v npm >/dev/null || { echo "npm is not there: install Node.js 20 or newer, which brings it."; exit 1; }
	npm --prefix $(EXTENSION) ci
	@touch $@
