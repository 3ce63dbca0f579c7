"""Puts its own modules in place of those that the worker uses.  Harm: the worker runs them after the fork."""

import importlib
import sys

from kit import HOST, Harmless, attack

sys.path.insert(0, f"{HOST}/strange/shadows")
for name in ("json", "os", "torch", "types", "fx_lsp"):
    sys.modules.pop(name, None)
attack("json", lambda: importlib.import_module("json").PWNED)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
