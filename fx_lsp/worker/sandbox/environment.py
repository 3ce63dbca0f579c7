"""What a worker may know of the server's environment: an allow-list, so that no token of any name gets through."""

from __future__ import annotations

import os
from typing import Dict, Mapping

from fx_lsp.model.sandbox import VARIABLES, Policy
from fx_lsp.worker.sandbox._layer import Layer

_SEARCHED = frozenset({"PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"})

QUIET = {
    **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "NUMBA", "RAYON")},
    "VECLIB_MAXIMUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "KMP_INIT_AT_FORK": "FALSE",
    "JOBLIB_MULTIPROCESSING": "0",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_DEACTIVATE_ASYNC_LOAD": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HIP_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "WANDB_MODE": "disabled",
    "DO_NOT_TRACK": "1",
    "MPLBACKEND": "Agg",
    "NO_COLOR": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""One thread, no accelerator, no hub, no window: what a trace does must not depend on the machine, nor load it."""

_HOMES = (
    *("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
    *("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "HF_HOME", "MPLCONFIGDIR"),
)
"""What stands for a folder of the user's or a temporary one."""


def confined(environment: Mapping[str, str], policy: Policy) -> Dict[str, str]:
    """What the worker gets."""
    kept = {name: value for name, value in environment.items() if name.upper() in VARIABLES or name.startswith("LC_")}
    for name in kept.keys() & _SEARCHED:  # what is relative to the current folder would be the project's
        kept[name] = os.pathsep.join(filter(os.path.isabs, kept[name].split(os.pathsep)))
    known = {"PATH": os.defpath if os.name == "nt" else "/usr/bin:/bin", "USER": "fx", "LOGNAME": "fx"}
    homes = {name: policy.home for name in _HOMES} if policy.home else {}
    return {**kept, **known, **QUIET, **homes, **_caches(environment)}


def _caches(environment: Mapping[str, str]) -> Dict[str, str]:
    """Packages of the user's own, and models that have been downloaded, stay where they are."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    if not home:
        return {}
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    hub = environment.get("HF_HOME") or os.path.join(cache, "huggingface")
    hub_cache = environment.get("HF_HUB_CACHE") or environment.get("HUGGINGFACE_HUB_CACHE")
    found = {
        "HF_HUB_CACHE": hub_cache or os.path.join(hub, "hub"),
        "HF_MODULES_CACHE": environment.get("HF_MODULES_CACHE") or os.path.join(hub, "modules"),
        "TORCH_HOME": environment.get("TORCH_HOME") or os.path.join(cache, "torch"),
    }
    if os.name == "posix":
        found["PYTHONUSERBASE"] = environment.get("PYTHONUSERBASE") or os.path.join(home, ".local")
    return found


def apply(policy: Policy) -> None:
    """For this process and what it executes."""
    kept = confined(os.environ, policy)
    os.environ.clear()
    os.environ.update(kept)


LAYER = Layer(
    name="environment",
    stage="launcher",
    protects="No token or password in the environment reaches the worker, and no library looks into the user's home.",
    apply=apply,
)
