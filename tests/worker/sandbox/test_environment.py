"""The environment of a worker: an allow-list."""

from __future__ import annotations

import os

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import environment
from tests.worker.sandbox.confined import outcome

HOME = Policy(home="/home/of/worker")

USER = {
    "HOME": "/home/me",
    "PATH": "/home/me/bin:/usr/bin",
    "LANG": "de_DE.UTF-8",
    "LC_TIME": "C",
    "USER": "me",
    "TMPDIR": "/var/tmp/me",
    "XDG_CACHE_HOME": "/home/me/caches",
    "VIRTUAL_ENV": "/home/me/venv",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "HF_TOKEN": "secret",
    "GITHUB_TOKEN": "secret",
    "SSH_AUTH_SOCK": "/run/agent",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus",
    "DISPLAY": ":0",
    "LD_PRELOAD": "/home/me/evil.so",
    "PYTHONSTARTUP": "/home/me/start.py",
    "PYTHONHOME": "/home/me/python",
    "OMP_NUM_THREADS": "64",
}


def test_no_secret_of_any_name_gets_through() -> None:
    kept = environment.confined(USER, HOME)
    assert "secret" not in kept.values()
    unknown = {"SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "LD_PRELOAD", "PYTHONSTARTUP", "PYTHONHOME"}
    assert not unknown & kept.keys()


def test_how_the_system_speaks_is_kept() -> None:
    kept = environment.confined(USER, HOME)
    assert {name: kept[name] for name in ("LANG", "LC_TIME", "VIRTUAL_ENV")} == {
        name: USER[name] for name in ("LANG", "LC_TIME", "VIRTUAL_ENV")
    }


def test_every_home_is_that_of_the_worker() -> None:
    kept = environment.confined(USER, HOME)
    for name in ("HOME", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "HF_HOME"):
        assert kept[name] == HOME.home
    assert kept["USER"] == kept["LOGNAME"] == "fx"
    assert kept["PATH"] == "/usr/bin:/bin"


def test_packages_and_models_of_the_user_stay_where_they_are() -> None:
    kept = environment.confined(USER, HOME)
    assert kept["PYTHONUSERBASE"] == "/home/me/.local"
    assert kept["HF_HUB_CACHE"] == "/home/me/caches/huggingface/hub"
    assert kept["HF_MODULES_CACHE"] == "/home/me/caches/huggingface/modules"
    assert kept["TORCH_HOME"] == "/home/me/caches/torch"


def test_places_that_the_user_named_come_first() -> None:
    named = {"HF_HOME": "/data/hf", "TORCH_HOME": "/data/torch", "PYTHONUSERBASE": "/data/python"}
    kept = environment.confined({**USER, **named}, HOME)
    assert kept["HF_HUB_CACHE"] == "/data/hf/hub"
    assert (kept["TORCH_HOME"], kept["PYTHONUSERBASE"]) == ("/data/torch", "/data/python")
    assert kept["HF_HOME"] == HOME.home
    assert environment.confined({**USER, "HUGGINGFACE_HUB_CACHE": "/data/hub"}, HOME)["HF_HUB_CACHE"] == "/data/hub"


def test_nothing_is_searched_in_the_current_folder() -> None:
    """Which is the project's, when the editor was started there."""
    given = {name: os.pathsep.join(["", ".", "src", "/opt/lib"]) for name in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    kept = environment.confined({**USER, **given}, HOME)
    assert (kept["PYTHONPATH"], kept["LD_LIBRARY_PATH"]) == ("/opt/lib", "/opt/lib")


def test_it_is_quiet() -> None:
    kept = environment.confined(USER, HOME)
    assert kept["OMP_NUM_THREADS"] == kept["MKL_NUM_THREADS"] == "1"
    assert kept["CUDA_VISIBLE_DEVICES"] == ""
    assert kept["HF_HUB_OFFLINE"] == "1"
    assert kept["PYTHONHASHSEED"] == "0"


def test_it_works_without_a_home() -> None:
    kept = environment.confined({"LANG": "C"}, Policy())
    assert not {"HOME", "TMPDIR", "TORCH_HOME"} & kept.keys()


def test_it_replaces_that_of_the_process() -> None:
    def seen() -> list[str]:
        return [os.environ.get("FX_TEST_TOKEN", "none"), os.environ["HOME"]]

    os.environ["FX_TEST_TOKEN"] = "secret"
    try:
        assert outcome(seen, environment.LAYER, policy=HOME) == ["none", HOME.home]
    finally:
        del os.environ["FX_TEST_TOKEN"]
