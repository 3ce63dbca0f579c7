"""Its own `json`, `types`, `torch`, `fx_lsp` and others in the root of the workspace.  Harm: the server or the worker
runs them outside of the sandbox, or the worker does not start."""

from kit import Harmless

OWN = True
PLANT = {
    "json.py": "open('@HOST@/home/pwned-json', 'w')\nraise SystemExit",
    "types.py": "open('@HOST@/home/pwned-types', 'w')\nraise SystemExit",
    "torch.py": "open('@HOST@/home/pwned-torch', 'w')\nraise SystemExit",
    "fx_lsp.py": "open('@HOST@/home/pwned-fx', 'w')\nraise SystemExit",
    "pygls/__init__.py": "open('@HOST@/home/pwned-pygls', 'w')\nraise SystemExit",
    "typing.py": "open('@HOST@/home/pwned-typing', 'w')\nraise SystemExit",
    "ast.py": "open('@HOST@/home/pwned-ast', 'w')\nraise SystemExit",
    "encodings/__init__.py": "open('@HOST@/home/pwned-encodings', 'w')\nraise SystemExit",
    "ctypes.py": "open('@HOST@/home/pwned-ctypes', 'w')\nraise SystemExit",
    "numpy/__init__.py": "open('@HOST@/home/pwned-numpy', 'w')\nraise SystemExit",
    "typing_extensions.py": "open('@HOST@/home/pwned-extensions', 'w')\nraise SystemExit",
    "worker.py": "open('@HOST@/home/pwned-worker', 'w')\nraise SystemExit",
}


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
