"""Code made ready between traces: of regular files of the workspace, as they are on disk."""

import os
from pathlib import Path

import pytest

from fx_lsp.worker.prepared import MAX_BYTES, Prepared


def prepare(folder: Path, *paths: Path) -> Prepared:
    prepared = Prepared()
    prepared.want(str(folder), [str(path) for path in paths])
    while prepared.step():
        pass
    return prepared


def test_ready_code_is_used_for_its_own_text_only(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = f()\n")
    prepared = prepare(tmp_path, path)
    sites = len(prepared.sites.bindings)
    ready = prepared.file(str(path), "x = f()\n")
    assert prepared.file(str(path), "x = f()\n") == prepared.known(str(path)) == ready
    assert len(prepared.sites.bindings) == sites == 1
    assert prepared.file(str(path), "y = g()\n") != ready
    assert [site.name for site in prepared.sites.bindings] == ["x", "y"]


def test_a_changed_file_is_prepared_again_an_unchanged_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = f()\n")
    prepared = prepare(tmp_path, path)
    prepared.want(str(tmp_path), [str(path)])
    assert not prepared.step()
    assert len(prepared.sites.bindings) == 1
    path.write_text("longer = f()\n")
    prepared.want(str(tmp_path), [str(path)])
    prepared.step()
    prepared.parts(str(path), "longer = f()\n")
    assert len(prepared.sites.bindings) == 2


def test_what_a_hostile_run_names_is_not_read(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "secret.py"
    root.mkdir()
    outside.write_text("x = f()\n")
    os.mkfifo(root / "fifo.py")
    (root / "link.py").symlink_to(outside)
    with (root / "large.py").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    names = [root / "fifo.py", root / "link.py", root / "large.py", root / "none.py", root, outside, Path("/dev/zero")]
    assert prepare(root, *names, Path("\0")).sites.bindings == []


def test_what_cannot_be_compiled_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("x = (\n")
    (tmp_path / "b.py").write_bytes(b"x = '\xe9'\n")
    prepare(tmp_path, tmp_path / "a.py", tmp_path / "b.py")
    assert capsys.readouterr().err.count("not prepared") == 2
