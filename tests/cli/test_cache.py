"""What one command finds, the next one knows; and how to be rid of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fx_lsp.server.cache import NAME
from tests.cli.command import GOOD, configure, fx_lsp, workspace


class User:
    """Somebody with a cache of their own, and a workspace."""

    def __init__(self, folder: Path) -> None:
        (folder / "workspace").mkdir()
        self.root = workspace(folder / "workspace", good=GOOD)
        self.file = folder / "cache" / "fx-lsp" / "answers" / NAME
        self.environment = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_CONFIG_HOME": configure(folder, "")}

    def run(self, *given: str) -> tuple[str, str]:
        """What was printed on stdout and stderr."""
        answer = fx_lsp(self.root, *given, **self.environment)
        assert answer.returncode == 0, answer.stderr
        return answer.stdout, answer.stderr

    def check(self, *given: str) -> tuple[dict[str, Any], bool]:
        """The report of a check, and whether anything was run."""
        out, err = self.run("check", "--trust", "--verbose", "--format", "json", *given, "good.py")
        report = json.loads(out)
        report["summary"].pop("seconds")
        return report, "worker ready" in err


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def test_a_second_check_runs_nothing_and_says_the_same(user: User) -> None:
    first, ran = user.check()
    assert ran
    assert first["summary"]["hints"] == 4
    assert user.check() == (first, False)
    assert user.run("show", "--trust", "good.py")[0].count("⟦") == 4
    (user.root / "good.py").write_text(GOOD.replace("8, 4", "8, 5"))
    changed, ran = user.check()
    assert ran
    assert "f32[2, 5]" in json.dumps(changed["files"])


def test_without_it(user: User) -> None:
    for _ in range(2):
        assert user.check("--no-cache")[1]
    assert not user.file.exists()


def test_to_look_at_it_and_to_clear_it(user: User) -> None:
    assert user.run("cache") == (f"{user.file}: nothing is kept\n", "")
    assert user.run("cache", "clear") == (f"{user.file}: nothing is kept\n", "")
    assert not user.file.exists()
    user.check()
    assert user.run("cache")[0].startswith(f"{user.file}: 1 answer, 0.0 MiB")
    assert user.run("cache", "clear")[0].startswith(f"{user.file}: 0 answers, ")
    assert user.check()[1]


def test_what_cannot_be_used_is_said(user: User) -> None:
    user.file.parent.mkdir(parents=True)
    user.file.write_bytes(b"no database" * 1000)
    _, err = user.run("cache")
    assert err.count("is broken") == 1
    assert user.check()[1]
    assert not user.check()[1]


def test_the_doctor_knows_of_it(user: User) -> None:
    answer = fx_lsp(user.root, "doctor", ".", "--format", "json", **user.environment)
    assert json.loads(answer.stdout)["cache"] == {"path": str(user.file), "state": "nothing is kept"}
    user.check()
    assert (
        f"kept of earlier sessions: {user.file} (1 answer, " in fx_lsp(user.root, "doctor", **user.environment).stdout
    )
