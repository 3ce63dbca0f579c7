"""Folders are split around secrets, and around nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fx_lsp.server.secrets import Secrets


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with secrets, a project and letters."""
    home = tmp_path / "home"
    for name in (".ssh/id_rsa", ".config/gh/hosts.yml", ".config/nvim/init.lua", "letters/a.txt", "project/net.py"):
        put(home / name)
    for name in (".netrc", ".cache/huggingface/token", ".cache/huggingface/hub/model/x", "notes.txt"):
        put(home / name)
    return home


def put(file: Path) -> Path:
    """A file with something in it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x")
    return file


def split(home: Path, *trees: Path, search: bool = True, **environment: str) -> tuple[set[str], set[str]]:
    """Relative to the parent of the home."""
    secrets = Secrets({"HOME": str(home), **environment})
    read, names = secrets.split(map(str, trees), search=search)
    return {os.path.relpath(path, home.parent) for path in read}, {os.path.relpath(path, home.parent) for path in names}


def test_a_folder_without_secrets_stays_whole(home: Path) -> None:
    assert split(home, home / "project") == ({"home/project"}, set())


@pytest.mark.parametrize("name", [".git", ".env", ".env.local", ".envrc", ".npmrc", ".aws", "id_ed25519"])
def test_secrets_in_a_workspace(home: Path, name: str) -> None:
    put(home / "project" / "models" / "gpt.py")
    secret = home / "project" / name
    put(secret / "config" if name in (".git", ".aws") else secret)
    assert split(home, home / "project") == ({"home/project/net.py", "home/project/models"}, {"home/project"})


def test_secrets_further_down(home: Path) -> None:
    put(home / "project" / "apps" / "web" / ".env")
    put(home / "project" / "apps" / "web" / "app.py")
    put(home / "project" / "lib" / "x.py")
    read, names = split(home, home / "project")
    assert read == {"home/project/net.py", "home/project/lib", "home/project/apps/web/app.py"}
    assert names == {"home/project", "home/project/apps", "home/project/apps/web"}


def test_a_folder_with_nothing_but_a_secret(home: Path) -> None:
    put(home / "project" / "keys" / ".env")
    put(home / "project" / "deep" / "keys" / ".env")
    read, names = split(home, home / "project")
    assert read == {"home/project/net.py"}
    assert names == {"home/project", "home/project/keys", "home/project/deep", "home/project/deep/keys"}


def test_what_only_looks_like_a_secret(home: Path) -> None:
    put(home / "project" / ".env.example")
    put(home / "project" / ".env" / "pyvenv.cfg")
    put(home / "project" / "node_modules" / "x" / ".npmrc")
    assert split(home, home / "project") == ({"home/project"}, set())


def test_of_a_home_nothing_hidden_is_opened(home: Path) -> None:
    read, names = split(home, home)
    assert read == {"home/letters", "home/project", "home/notes.txt"}
    assert names == {"home"}


def test_a_folder_above_a_home(home: Path) -> None:
    put(home.parent / "srv" / "x.py")
    read, names = split(home, home.parent)
    assert read == {"home/letters", "home/project", "home/notes.txt", "srv"}
    assert names == {".", "home"}


def test_secrets_that_are_known_by_their_path(home: Path) -> None:
    assert split(home, home / ".config", search=False) == ({"home/.config/nvim"}, {"home/.config"})
    assert split(home, home / ".cache" / "huggingface", search=False)[0] == {"home/.cache/huggingface/hub"}
    assert split(home, home / ".ssh", home / ".ssh" / "id_rsa") == (set(), set())


def test_secrets_that_the_environment_names(home: Path) -> None:
    key = put(home / "project" / "key.json")
    put(home / "project" / "hub" / "token")
    put(home / "project" / "hub" / "models" / "x")
    found = {"GOOGLE_APPLICATION_CREDENTIALS": str(key), "HF_HOME": str(home / "project" / "hub")}
    read, _ = split(home, home / "project", **found)
    assert read == {"home/project/net.py", "home/project/hub/models"}


def test_links_are_not_followed(home: Path) -> None:
    put(home / "project" / ".env")
    (home / "project" / "keys").symlink_to(home / ".ssh")
    (home / "project" / "letters").symlink_to(home / "letters")
    assert split(home, home / "project")[0] == {"home/project/net.py"}
    (home / "project" / ".env").unlink()
    assert split(home, home / "project") == ({"home/project"}, set())


def test_a_workspace_that_is_a_link(home: Path) -> None:
    (home.parent / "alias").symlink_to(home)
    assert split(home, home.parent / "alias") == split(home, home)


def test_there_is_an_end_to_what_is_listed(home: Path) -> None:
    put(home / "project" / ".env")
    for number in range(2_000):
        put(home / "project" / f"{number:0100}.txt")
    read, _ = split(home, home / "project")
    assert "home/project/net.py" in read
    assert sum(len(path) for path in read) < 60_000


def test_homes(home: Path) -> None:
    secrets = Secrets({"HOME": str(home)})
    assert secrets.is_home(str(home))
    assert secrets.is_home(str(home.parent))
    assert secrets.is_home("/")
    assert not secrets.is_home(str(home / "project"))
