"""Hooks into the import system, loaders and the worker's own modules.  Harm: they are still there for the next run, or
forge its answer."""

import builtins
import sys

from kit import Harmless

BRIEF = True


class Everything:
    def find_spec(self, name, path=None, target=None):
        raise ImportError(f"not today: {name}")

    def __call__(self, path):
        raise ImportError(path)


def broken(*arguments, **options):
    raise SystemExit("broken")


sys.meta_path.insert(0, Everything())
sys.path_hooks.insert(0, Everything())
sys.path_importer_cache.clear()
for name, module in list(sys.modules.items()):
    if name.startswith("fx_lsp."):
        for attribute, value in list(vars(module).items()):
            if callable(value):
                setattr(module, attribute, broken)
builtins.__import__ = builtins.open = builtins.compile = broken


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
