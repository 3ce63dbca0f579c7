"""What is searched, and how often anything is read or parsed."""

from __future__ import annotations

import os

import pytest

from fx_lsp.analysis.workspace import Workspace, find_root, is_skipped, package_root


@pytest.mark.parametrize(
    "path",
    [
        ".venv/lib/python3.11/site-packages/a.py",
        "myenv/lib/site-packages/torch/nn/a.py",
        "node_modules/a.py",
        "build/lib/a.py",
        ".git/hooks/a.py",
        "a/__pycache__/b.py",
    ],
)
def test_skipped_folders(path):
    assert is_skipped(path)


@pytest.mark.parametrize("path", ["a.py", "building/a.py", "pkg/build.py", "env/wrapper.py"])
def test_searched(path):
    assert not is_skipped(path)


@pytest.mark.parametrize(
    ("pattern", "path", "skipped"),
    [
        ("legacy/**", "legacy/a.py", True),
        ("legacy/**", "legacy/deep/a.py", True),
        ("legacy/**", "other/legacy/a.py", False),
        ("legacy", "legacy/deep/a.py", True),
        ("**/old_*.py", "a/b/old_c.py", True),
        ("**/old_*.py", "old_c.py", True),
        ("*.py", "a/b.py", False),
        ("a/*/c.py", "a/b/c.py", True),
        ("a/*/c.py", "a/b/x/c.py", False),
        ("a/**/c.py", "a/c.py", True),
        ("model?.py", "model1.py", True),
        ("model[12].py", "model3.py", False),
    ],
)
def test_exclude(pattern, path, skipped):
    assert is_skipped(path, [pattern]) is skipped


def test_root_is_the_nearest_project():
    there = {"/a/b/.git", "/a/pyproject.toml"}
    assert find_root("/a/b/c/d.py", there.__contains__) == "/a/b"
    assert find_root("/a/x.py", there.__contains__) == "/a"
    assert find_root("/z/x.py", there.__contains__) is None
    assert find_root("/a/b/old/x.py", {*there, "/a/b/old/setup.py"}.__contains__) == "/a/b/old"


@pytest.mark.parametrize(
    ("packages", "given", "root"),
    [
        (["/z/p", "/z/p/models"], "/z/p/models", "/z/p"),
        (["/z/p", "/z/p/models/sub"], "/z/p/models/sub", "/z/p/models/sub"),
        (["/z/p"], "/z/p/models", "/z/p/models"),
        (["/", "/z", "/z/p"], "/z/p", "/z/p"),
        (["/", "/z", "/z/p", "/z/p/q"], "/z/p/q", "/z/p"),
        (["/"], "/", "/"),
    ],
)
def test_the_package_that_a_folder_is_a_part_of(packages: list[str], given: str, root: str):
    there = {os.path.join(package, "__init__.py") for package in packages}
    assert package_root(given, there.__contains__, ["/z", "/"]) == root


def test_parsed_again_only_when_the_text_changed():
    texts = {"/w/a.py": "x = 1"}
    space = Workspace("/w", texts.get, lambda: texts)
    first = space.source("/w/a.py")
    assert space.source("/w/a.py") is first
    texts["/w/a.py"] = "x = 2"
    assert space.source("/w/a.py") is not first
    assert space.parsed == 2


def test_a_missing_file_has_no_source():
    assert Workspace("/w", {}.get, list).source("/w/a.py") is None


def test_words_not_parts_of_words():
    texts = {"/w/a.py": "Network()", "/w/b.py": "from m import Net"}
    space = Workspace("/w", texts.get, lambda: texts)
    assert space.mentioning(frozenset({"Net"})) == {"/w/b.py": frozenset({"Net"})}
    assert space.parsed == 0


def test_memo_holds_until_a_file_it_read_changes():
    texts = {"/w/a.py": "1", "/w/b.py": "2"}
    space = Workspace("/w", texts.get, lambda: texts)
    made: list[int] = []

    def inner() -> str | None:
        return space.text("/w/a.py")

    def outer() -> int:
        space.memo("inner", inner)
        made.append(1)
        return len(made)

    assert [space.memo("outer", outer), space.memo("outer", outer)] == [1, 1]
    texts["/w/b.py"] = "3"
    assert space.memo("outer", outer) == 1
    texts["/w/a.py"] = "4"
    assert space.memo("outer", outer) == 2


def test_settled_reads_each_file_once():
    reads: list[str] = []

    def read(path: str) -> str | None:
        reads.append(path)
        return "x"

    space = Workspace("/w", read, list)
    with space.settled():
        space.text("/w/a.py")
        space.source("/w/a.py")
    space.text("/w/a.py")
    assert reads == ["/w/a.py"] * 2
