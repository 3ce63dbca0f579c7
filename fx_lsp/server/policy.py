"""What the worker of a root is allowed, put together from files alone: nothing of the workspace is run to find out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping

from platformdirs import user_cache_dir

import fx_lsp
from fx_lsp.analysis.config import Config
from fx_lsp.analysis.visible import visible
from fx_lsp.model.comparison import COMPARISON
from fx_lsp.model.sandbox import Policy
from fx_lsp.server.pythons import look_at
from fx_lsp.server.secrets import Secrets
from fx_lsp.server.user_config import UserConfig

PACKAGE = os.path.dirname(os.path.abspath(fx_lsp.__file__))


def policy_for(
    root: str,
    interpreter: str,
    config: Config | None = None,
    user: UserConfig | None = None,
    environment: Mapping[str, str] | None = None,
) -> Policy:
    """The policy of a worker that runs the models of `root` in `interpreter`.

    Raises:
        OSError: there is no place for the home folder of the worker.
    """
    config, user = config or Config(), user or UserConfig()
    environment = os.environ if environment is None else environment
    secrets = Secrets(environment)
    python = look_at(interpreter, environment)
    downloaded = [path for path in caches(environment) if os.path.isdir(path)]
    installed, inside = secrets.split([*python.own, PACKAGE, *downloaded], search=False)
    wished = [os.path.join(root, os.path.expanduser(path)) for path in config.read]
    sources, split = secrets.split([root, *python.paths, *wished, *user.read], search=True)
    return Policy(
        read=tuple(dict.fromkeys((*installed, *sources))),
        names=tuple(dict.fromkeys((*inside, *split))),
        execute=python.execute,
        home=home(),
        memory=config.memory,
        seconds=config.timeout * COMPARISON,
        off=user.off,
        bubblewrap=user.bubblewrap,
    )


def remark_on(root: str, environment: Mapping[str, str]) -> str:
    """What the user should know about a root that is too large; empty for most."""
    if not Secrets(environment).is_home(root):
        return ""
    return (
        f"{visible(root)} is a home folder or holds one, so its models may read everything in it that is neither "
        "hidden nor known to be secret. Open the folder of the project alone, or put a pyproject.toml into it."
    )


def home() -> str:
    """The folder that stands for a worker's home, empty and made when it is missing.

    Raises:
        OSError: it can be made in neither of the places for it.
    """
    own = os.path.join(user_cache_dir("fx-lsp", appauthor=False), "home")
    try:
        os.makedirs(own, mode=0o700, exist_ok=True)
    except OSError:  # a user whose home is missing or read-only
        owner = os.getuid() if hasattr(os, "getuid") else "user"
        own = os.path.join(tempfile.gettempdir(), f"fx-lsp-{owner}")
        os.makedirs(own, mode=0o700, exist_ok=True)
        status = os.lstat(own)
        if os.path.islink(own) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            raise PermissionError(f"{own} belongs to somebody else") from None
    return own


def caches(environment: Mapping[str, str]) -> Iterator[str]:
    """Where models and their configurations are kept by hubs; the tokens of the hubs lie elsewhere."""
    user = environment.get("HOME") or os.path.expanduser("~")
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(user, ".cache")
    yield os.path.join(environment.get("TORCH_HOME") or os.path.join(cache, "torch"), "hub")
    of_hub = environment.get("HF_HOME") or os.path.join(cache, "huggingface")
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "HF_MODULES_CACHE"):
        if path := environment.get(variable):
            yield path
    yield from (os.path.join(of_hub, name) for name in ("hub", "modules"))
