"""The policy of a worker, and when it is outgrown."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fx_lsp.analysis.config import Config
from fx_lsp.model import wire
from fx_lsp.model.sandbox import Policy
from fx_lsp.server import policy as module
from fx_lsp.server.cache import NAME, folder
from fx_lsp.server.permit import Permit
from fx_lsp.server.policy import PACKAGE, policy_for, remark_on
from fx_lsp.server.user_config import UserConfig


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return home


@pytest.fixture
def root(home: Path) -> Path:
    root = home / "project"
    root.mkdir()
    (root / "net.py").write_text("")
    return root


def made(root: Path, config: Config | None = None, user: UserConfig | None = None, **more: str) -> Policy:
    """For this interpreter; with the environment of a user who has set nothing but `more`."""
    return policy_for(str(root), sys.executable, config, user, {"HOME": os.environ["HOME"], **more})


def test_what_every_worker_may(root: Path, home: Path) -> None:
    policy = made(root)
    assert {str(root), PACKAGE, os.path.realpath(sys.prefix)} <= set(policy.read)
    assert policy.execute == (os.path.realpath(sys.executable),)
    assert policy.home.startswith(str(home))
    assert os.listdir(policy.home) == []
    assert os.stat(policy.home).st_mode & 0o777 == 0o700
    assert (policy.memory, policy.seconds, policy.off, policy.bubblewrap) == (4 << 30, 3 * 20.0, (), False)
    assert wire.decode(wire.encode(policy)) == policy


@pytest.mark.parametrize("below", ["", ".cache", ".cache/fx-lsp", ".cache/fx-lsp/answers"])
def test_what_sessions_found_is_out_of_reach(home: Path, below: str) -> None:
    """A model that could read it knew other workspaces, and one that could write it lied about them."""
    answers = Path(folder())
    assert answers.is_relative_to(home)
    answers.mkdir(parents=True)
    (answers / NAME).write_text("")
    policy = made(home / below, user=UserConfig(read=(str(home / ".cache"), str(answers))))
    for path in (answers, answers / NAME):
        assert not [allowed for allowed in (*policy.read, *policy.execute, policy.home) if path.is_relative_to(allowed)]


def test_what_is_asked_for(root: Path, home: Path) -> None:
    for name in ("beside", "data", "own"):
        (home / name).mkdir()
    config = Config(timeout=3.0, memory=1 << 20, read=("../beside", "~/data", "/no/such/folder"))
    user = UserConfig(read=(str(home / "own"),), off=("seccomp-child",), bubblewrap=True)
    policy = made(root, config, user)
    assert {str(home / name) for name in ("beside", "data", "own")} <= set(policy.read)
    assert (policy.memory, policy.seconds) == (1 << 20, 3 * 3.0)
    assert (policy.off, policy.bubblewrap) == (("seccomp-child",), True)


def test_hubs_without_their_tokens(root: Path, home: Path) -> None:
    for name in (".cache/torch/hub", ".cache/huggingface/hub", "elsewhere/hub", "given"):
        (home / name).mkdir(parents=True)
    (home / "elsewhere" / "token").write_text("secret")
    read = set(made(root).read)
    assert {str(home / ".cache/torch/hub"), str(home / ".cache/huggingface/hub")} <= read
    moved = set(made(root, HF_HOME=str(home / "elsewhere"), HF_HUB_CACHE=str(home / "given")).read)
    assert {str(home / "elsewhere" / "hub"), str(home / "given")} <= moved
    assert not {str(home / "elsewhere"), str(home / "elsewhere" / "token"), str(home)} & moved


def test_a_root_with_secrets_is_split(root: Path) -> None:
    (root / ".env").write_text("KEY=1")
    policy = made(root)
    assert str(root) in policy.names
    assert str(root) not in policy.read
    assert str(root / "net.py") in policy.read
    assert str(root / ".env") not in policy.read


def test_an_environment_may_be_called_like_a_secret(root: Path, home: Path) -> None:
    venv = root / ".env"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    (venv / "pyvenv.cfg").write_text(f"home = {os.path.dirname(sys.executable)}\n")
    policy = policy_for(str(root), str(venv / "bin" / "python"), environment={"HOME": str(home)})
    assert str(root) in policy.read


def test_a_home_that_cannot_be_made(root: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").write_text("")
    monkeypatch.setattr(module, "user_cache_dir", lambda *given, **more: str(home / "file"))
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(tmp_path))
    policy = made(root)
    assert policy.home == str(tmp_path / f"fx-lsp-{os.getuid()}")
    assert os.path.isdir(policy.home)
    os.rmdir(policy.home)
    os.symlink(root, policy.home)
    with pytest.raises(PermissionError, match="somebody else"):
        made(root)


def test_a_root_that_is_too_large_is_said(root: Path, home: Path) -> None:
    environment = {"HOME": str(home)}
    assert remark_on(str(root), environment) == ""
    for large in (home, home.parent, Path("/")):
        assert "home folder" in remark_on(str(large), environment)


def outgrown(permit: Permit, root: Path, key: object = 0, **fields: object) -> bool:
    return permit.outgrown(lambda: replace(made(root), **fields), key)  # type: ignore[arg-type]


def test_a_permit_that_still_holds(root: Path) -> None:
    (root / ".env").write_text("")
    permit = Permit(made(root), str(root))
    assert not outgrown(permit, root)
    (root / ".env.local").write_text("")
    (root / "net.py").write_text("x = 1\n")
    assert not outgrown(permit, root)
    assert not outgrown(permit, root, key=1, memory=1, seconds=1.0)
    assert permit.sources == ()


@pytest.mark.parametrize("fields", [{"memory": 8 << 30}, {"seconds": 90.0}, {"off": ("limits",)}, {"execute": ()}])
def test_a_permit_that_does_not_say_enough(root: Path, fields: dict[str, object]) -> None:
    permit = Permit(made(root), str(root))
    assert outgrown(permit, root, **fields)


def test_a_folder_that_appears_in_a_split_root(root: Path) -> None:
    (root / ".env").write_text("")
    permit = Permit(made(root), str(root))
    assert not outgrown(permit, root)
    (root / "layers").mkdir()
    assert outgrown(permit, root)


def test_sources_that_a_split_root_gets_are_given_to_the_worker(root: Path) -> None:
    (root / ".env").write_text("")
    permit = Permit(made(root), str(root))
    assert not outgrown(permit, root)
    (root / "new.py").write_text("")
    os.replace(root / "new.py", root / "net.py")  # as editors save
    (root / "other.py").write_text("")
    assert not outgrown(permit, root)
    assert set(permit.sources) == {str(root / "net.py"), str(root / "other.py")}


def test_a_root_that_gets_its_first_secret(root: Path) -> None:
    permit = Permit(made(root), str(root))
    assert not outgrown(permit, root)
    (root / ".git").mkdir()
    assert outgrown(permit, root)
