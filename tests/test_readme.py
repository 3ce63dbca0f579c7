"""The README names everything that a user can set, ask for or be told, and every file that it names is there."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from fx_lsp.analysis.compilers import COMPILERS
from fx_lsp.analysis.config import Config
from fx_lsp.analysis.diagnostics import rules
from fx_lsp.cli.commands import commands
from fx_lsp.model.example import ORIGINS
from fx_lsp.server.user_config import UserConfig
from tests.generated.configuration import properties

REPOSITORY = Path(__file__).parents[1]
README = (REPOSITORY / "README.md").read_text("utf-8")
OF_THE_EXTENSION = (REPOSITORY / "vscode-extension" / "README.md").read_text("utf-8")
MANIFEST = json.loads((REPOSITORY / "vscode-extension" / "package.json").read_text("utf-8"))
HANDLERS = "".join(path.read_text("utf-8") for path in (REPOSITORY / "fx_lsp" / "server" / "handlers").glob("*.py"))

KEYS = {field.name for field in fields(Config)} - {"restricted", "spans"}
OWN_KEYS = {field.name for field in fields(UserConfig)} - {"problem"}
HIDDEN = {entry["command"] for entry in MANIFEST["contributes"]["menus"]["commandPalette"] if entry["when"] == "false"}


def test_every_rule_is_named() -> None:
    told = [*(rule.id for rule in rules()), *(code for code, _ in COMPILERS.values())]
    assert [name for name in told if f"`{name}`" not in README] == []


def test_every_setting_is_named() -> None:
    names = [name.removeprefix("fx-lsp.") for name in properties()]
    assert [name for name in names if not re.search(rf"`(fx-lsp\.)?{re.escape(name)}`", README)] == []


@pytest.mark.parametrize(
    ("heading", "keys"), [("[tool.fx-lsp]", KEYS), ("# config.toml of your own", OWN_KEYS)], ids=["project", "user"]
)
def test_every_key_is_in_the_example(heading: str, keys: set[str]) -> None:
    start = README.index(f"```toml\n{heading}")
    example = README[start : README.index("\n```\n", start)]
    assert {key for key in keys if not re.search(rf"^({key} = |\[\S*\b{key}\])", example, re.MULTILINE)} == set()


def test_every_command_of_the_command_line_is_named() -> None:
    assert [one.name for one in commands() if f"fx-lsp {one.name}" not in README] == []


def test_every_request_and_command_of_the_server_is_named() -> None:
    names = set(re.findall(r'"(fx[/.]\w+)"', HANDLERS))
    assert {"fx/graph", "fx.restart"} <= names
    assert {name for name in names if f"`{name}`" not in README} == set()


def test_every_origin_is_in_the_table() -> None:
    assert [name for name in re.findall(r"^\| (\w+) \|", README, re.MULTILINE) if name in ORIGINS] == list(ORIGINS)


def test_every_command_of_the_extension_is_named() -> None:
    titles = [entry["title"] for entry in MANIFEST["contributes"]["commands"] if entry["command"] not in HIDDEN]
    assert [title for title in titles if f"FX: {title}" not in OF_THE_EXTENSION] == []


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?!fx/)\w+(?:/\w+)+(?:\.\w+|/)|\w+/)`", README))))
def test_what_it_names_is_there(name: str) -> None:
    assert (REPOSITORY / name).exists() or (REPOSITORY / "fx_lsp" / name).exists()


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(((?!http|#)[^)]+)\)", README))))
def test_what_it_links_to_is_there(link: str) -> None:
    assert (REPOSITORY / link).exists()
