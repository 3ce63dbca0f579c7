"""`python -m fx_lsp.cli`."""

from __future__ import annotations

import sys

from fx_lsp.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
