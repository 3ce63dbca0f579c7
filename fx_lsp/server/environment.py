"""What the worker may know of the server's environment: an allow-list, so that no token of any name gets through."""

from __future__ import annotations

from collections.abc import Mapping

ALLOWED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP"),
        *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
        *("PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH"),
        *("PYTHONPATH", "PYTHONUSERBASE", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV"),
        *("XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "TORCH_HOME"),
    }
)
"""How the system works, where packages are, where models are cached."""


def allowed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The part the worker gets; with a fixed hash seed, so that sets have the same order in every run."""
    kept = {name: value for name, value in environment.items() if name.upper() in ALLOWED or name.startswith("LC_")}
    return {**kept, "PYTHONHASHSEED": "0"}
