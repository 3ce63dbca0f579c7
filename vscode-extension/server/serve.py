"""Starts the language server that is shipped beside this file, whatever Python runs it."""

import os
import sys

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    sys.exit(f"The FX language server needs Python {OLDEST[0]}.{OLDEST[1]} or newer, not {sys.version.split()[0]}.")

# Before everything else: packages of the interpreter must not take the place of those tested with this server.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "libs"))

from fx_lsp.server.serve import serve_io  # noqa: E402

if __name__ == "__main__":
    serve_io()
