"""The user's own configuration: what applies, what is said of the rest, and how trust is written into it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fx_lsp.server.user_config import UserConfig, UserFile, load, set_trust

ALL = """# mine
trust = ["~/src", "/srv/models"]
interpreter = "~/envs/torch/bin/python"

[sandbox]
read = ["/data"]
off = ["seccomp-child"]
bubblewrap = true
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "config" / "config.toml"


def write(file: Path, text: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return str(file)


def test_no_file_is_no_configuration(file: Path) -> None:
    assert load(str(file)) == UserConfig()
    assert UserFile(str(file)).config == UserConfig()


def test_everything(file: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    config = load(write(file, ALL))
    assert config == UserConfig(
        trust=(str(home / "src"), os.path.realpath("/srv/models")),
        interpreter=str(home / "envs" / "torch" / "bin" / "python"),
        read=(os.path.realpath("/data"),),
        off=("seccomp-child",),
        bubblewrap=True,
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("trust = 'x'", "trust"),
        ("trust = ['src']", "trust"),
        ("trust = [3]", "trust"),
        ("interpreter = 3", "interpreter"),
        ("interpreter = 'env/bin/python'", "interpreter"),
        ("trusted = true", "trusted"),
        ("sandbox = 3", "sandbox"),
        ("[sandbox]\noff = 'all'", "off"),
        ("[sandbox]\nbubblewrap = 1", "bubblewrap"),
        ("[sandbox]\ntrust = ['/']", "trust"),
    ],
)
def test_what_is_wrong_is_said_and_does_not_apply(file: Path, line: str, said: str) -> None:
    config = load(write(file, line))
    assert config == UserConfig(problem=config.problem)
    assert str(file) in config.problem
    assert said in config.problem


def test_the_rest_applies(file: Path) -> None:
    config = load(write(file, "trust = ['/srv', '/data']\nspeed = 3\n[sandbox]\noff = 3\nbubblewrap = true"))
    assert config == UserConfig(trust=("/srv", "/data"), bubblewrap=True, problem=config.problem)
    assert "off" in config.problem
    assert "speed" in config.problem


def test_what_is_no_toml_trusts_nobody(file: Path) -> None:
    config = load(write(file, "trust = ['/'"))
    assert config.trust == ()
    assert "cannot be read" in config.problem


def test_a_change_is_seen(file: Path) -> None:
    user = UserFile(write(file, "trust = ['/srv']"))
    assert user.config.trusts("/srv/x")
    write(file, "trust = []\n")
    assert not user.config.trusts("/srv/x")
    file.unlink()
    assert user.config == UserConfig()


def test_trust_goes_downwards_and_through_no_link(tmp_path: Path) -> None:
    trusted, other = tmp_path / "src", tmp_path / "src-other"
    for folder in (trusted / "a" / "b", other):
        folder.mkdir(parents=True)
    (trusted / "link").symlink_to(other)
    (tmp_path / "alias").symlink_to(trusted)
    config = UserConfig(trust=(str(trusted),))
    assert config.trusts(str(trusted))
    assert config.trusts(str(trusted / "a" / "b"))
    assert config.trusts(str(tmp_path / "alias" / "a"))
    assert not config.trusts(str(other))
    assert not config.trusts(str(trusted / "link"))
    assert not config.trusts(str(tmp_path))
    assert UserConfig(trust=("/",)).trusts(str(other))


def test_writing_keeps_what_the_user_wrote(file: Path, tmp_path: Path) -> None:
    write(file, ALL)
    set_trust(str(file), str(tmp_path), True)
    set_trust(str(file), str(tmp_path), True)
    text = file.read_text()
    assert text.startswith("# mine\n")
    assert load(str(file)).trust.count(str(tmp_path)) == 1
    set_trust(str(file), str(tmp_path), False)
    set_trust(str(file), str(tmp_path / "home" / "src"), False)
    assert load(str(file)).trust == (os.path.realpath("/srv/models"),)
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


def test_writing_makes_the_file_and_follows_a_link(file: Path, tmp_path: Path) -> None:
    set_trust(str(file), str(tmp_path), True)
    assert load(str(file)).trust == (str(tmp_path),)
    kept = tmp_path / "dotfiles.toml"
    file.replace(kept)
    file.symlink_to(kept)
    set_trust(str(file), str(tmp_path / "two"), True)
    assert file.is_symlink()
    assert len(load(str(kept)).trust) == 2


@pytest.mark.parametrize("text", ["trust = [", "trust = 'all'"])
def test_a_file_that_is_not_understood_is_left_alone(file: Path, text: str) -> None:
    write(file, text)
    with pytest.raises(ValueError, match=r".+"):
        set_trust(str(file), "/srv", True)
    assert file.read_text() == text
