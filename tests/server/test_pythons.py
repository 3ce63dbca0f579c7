"""What belongs to an interpreter, from files alone; none of these is a Python, and running one would be seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fx_lsp.server.pythons import look_at


def program(path: Path, text: str = "\x7fELF") -> Path:
    """An executable file; a script leaves a trace when it is run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def package(site: Path, **files: str) -> Path:
    """A folder for packages with these files, by name with `__` for a dot."""
    site.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (site / name.replace("__", ".")).write_text(text)
    return site


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """An installation of Python."""
    base = tmp_path / "opt" / "python"
    program(base / "bin" / "python3.12")
    package(base / "lib" / "python3.12" / "site-packages")
    return base


@pytest.fixture
def environment(tmp_path: Path, base: Path) -> Path:
    """A virtual environment made from it."""
    venv = tmp_path / "work" / "env"
    package(venv / "lib" / "python3.12" / "site-packages")
    (venv / "bin").mkdir()
    (venv / "bin" / "python").symlink_to(base / "bin" / "python3.12")
    (venv / "pyvenv.cfg").write_text(f"include-system-site-packages = false\nhome = {base / 'bin'}\nversion = 3.12.1\n")
    return venv


def test_a_virtual_environment(tmp_path: Path, environment: Path, base: Path) -> None:
    python = look_at(str(environment / "bin" / "python"), {"HOME": str(tmp_path)})
    assert set(python.own) == {str(environment), str(base)}
    assert python.execute == (str(base / "bin" / "python3.12"),)
    assert python.paths == ()


def test_an_environment_whose_home_is_a_link(tmp_path: Path, environment: Path, base: Path) -> None:
    (tmp_path / "current").symlink_to(base)
    (environment / "pyvenv.cfg").write_text(f"home = {tmp_path / 'current' / 'bin'}\n")
    own = look_at(str(environment / "bin" / "python"), {"HOME": str(tmp_path / "nobody")}).own
    assert str(base) in own


def test_a_conda_environment_is_its_own_installation(tmp_path: Path) -> None:
    python = program(tmp_path / "conda" / "envs" / "torch" / "bin" / "python3.11")
    (tmp_path / "conda" / "envs" / "torch" / "conda-meta").mkdir()
    assert look_at(str(python), {"HOME": "/nobody"}).own == (str(tmp_path / "conda" / "envs" / "torch"),)


def test_packages_of_the_user(tmp_path: Path, base: Path) -> None:
    site = package(tmp_path / ".local" / "lib" / "python3.12" / "site-packages")
    (tmp_path / ".local" / "share").mkdir()
    other = package(tmp_path / "base" / "lib" / "python3.12" / "site-packages")
    python = str(base / "bin" / "python3.12")
    assert str(site) in look_at(python, {"HOME": str(tmp_path)}).own
    own = look_at(python, {"HOME": str(tmp_path), "PYTHONUSERBASE": str(tmp_path / "base")}).own
    assert str(other) in own
    assert str(site) not in own


def test_of_an_installation_in_a_home_only_its_own_part(tmp_path: Path) -> None:
    python = program(tmp_path / "bin" / "python3.12")
    library = package(tmp_path / "lib" / "python3.12")
    (tmp_path / "letters").mkdir()
    assert look_at(str(python), {"HOME": str(tmp_path)}).own == (str(library),)


def test_a_closed_environment_sees_nothing_of_the_user(tmp_path: Path, environment: Path) -> None:
    site = package(tmp_path / ".local" / "lib" / "python3.12" / "site-packages")
    python = str(environment / "bin" / "python")
    assert str(site) not in look_at(python, {"HOME": str(tmp_path)}).own
    config = environment / "pyvenv.cfg"
    config.write_text(config.read_text().replace("= false", "= true"))
    assert str(site) in look_at(python, {"HOME": str(tmp_path)}).own


def test_a_link_somewhere_opens_no_folder_around_it(tmp_path: Path, base: Path) -> None:
    for place in ("links/py", ".local/bin/python3"):
        link = tmp_path / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(base / "bin" / "python3.12")
        assert look_at(str(link), {"HOME": str(tmp_path)}).own == (str(base),)


def test_packages_that_are_links_into_a_cache(tmp_path: Path, environment: Path) -> None:
    site, cache = environment / "lib" / "python3.12" / "site-packages", tmp_path / "cache" / "archive"
    for name in ("one", "two"):
        package(cache / name)
        (cache / name / "__init__.py").write_text("")
    (cache / "three.py").write_text("")
    (site / "one").symlink_to(cache / "one")
    (site / "three.py").symlink_to(cache / "three.py")
    (site / "two").mkdir()
    (site / "two" / "__init__.py").symlink_to(cache / "two" / "__init__.py")
    found = look_at(str(environment / "bin" / "python"), {"HOME": "/nobody"}).paths
    assert sorted(found) == [str(cache / name) for name in ("one", "three.py", "two")]


def test_the_search_path_of_the_environment(tmp_path: Path, base: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    listed = os.pathsep.join([str(tmp_path / "one"), "", ".", "two", str(tmp_path / "gone")])
    python = look_at(str(base / "bin" / "python3.12"), {"HOME": "/nobody", "PYTHONPATH": listed})
    assert python.paths == (str(tmp_path / "one"),)


def test_path_files(tmp_path: Path, environment: Path) -> None:
    sources = tmp_path / "sources"
    (sources / "in" / "packages").mkdir(parents=True)
    beside = environment / "lib" / "python3.12" / "beside"
    beside.mkdir()
    package(
        environment / "lib" / "python3.12" / "site-packages",
        a__pth=f"# not this\n{sources}\n\n../beside\n/no/such/folder\n",
        b__pth="import os; os.system('touch ran')\n",
    )
    assert look_at(str(environment / "bin" / "python"), {"HOME": "/nobody"}).paths == (str(sources), str(beside))


def test_finders_of_editable_installs(tmp_path: Path, environment: Path) -> None:
    for name in ("one", "two", "three", "four"):
        (tmp_path / name).mkdir()
    site = environment / "lib" / "python3.12" / "site-packages"
    package(
        site,
        a__pth="import __editable___a_finder; __editable___a_finder.install()\n",
        b__pth="import _b_editable",
        c__pth="import broken",
        broken__py="MAPPING = {",
        _b_editable__py=f"install({{'b': {str(tmp_path / 'two')!r}}}, [], {str(tmp_path / 'three')!r})\n",
    )
    finder = f"""
import sys
MAPPING: dict[str, str] = {{'a': {str(tmp_path / "one")!r}, 'gone': '/no/such/folder', 'relative': 'four'}}
NAMESPACES: dict[str, list[str]] = {{'n': [{str(tmp_path / "four")!r}]}}
PATH = {str(tmp_path)!r}
raise SystemExit
"""
    (site / "__editable___a_finder.py").write_text(finder)
    found = look_at(str(environment / "bin" / "python"), {"HOME": "/nobody"}).paths
    assert sorted(found) == sorted(str(tmp_path / name) for name in ("one", "two", "three", "four"))


def test_a_script_that_names_the_real_one(tmp_path: Path, environment: Path, base: Path) -> None:
    real = environment / "bin" / "python"
    script = program(tmp_path / "tools" / "python", f'#!/bin/sh\ntouch {tmp_path}/ran\nexec "{real}" "$@"\n')
    python = look_at(str(script), {"HOME": "/nobody"})
    assert {str(environment), str(base)} <= set(python.own)
    assert {str(script), str(base / "bin" / "python3.12")} <= set(python.execute)
    assert os.path.realpath("/bin/sh").startswith(tuple(map(os.path.realpath, python.execute)))
    assert not (tmp_path / "ran").exists()


def test_a_shim_may_use_all_of_its_installation(tmp_path: Path) -> None:
    root = tmp_path / ".pyenv"
    script = program(root / "shims" / "python", f'#!/usr/bin/env bash\nexec "{root}/libexec/pyenv" exec python "$@"\n')
    program(root / "libexec" / "pyenv", "#!/usr/bin/env bash\n")
    python = look_at(str(script), {"HOME": str(tmp_path)})
    assert str(root) in python.own
    assert str(root) in python.execute


def test_the_version_of_a_package(environment: Path) -> None:
    python = str(environment / "bin" / "python")
    assert look_at(python, {"HOME": "/nobody"}).version_of("torch") is None
    metadata = environment / "lib" / "python3.12" / "site-packages" / "torch-2.4.0+cpu.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.4.0+cpu\n\nVersion: no\n")
    assert look_at(python, {"HOME": "/nobody"}).version_of("torch") == "2.4.0+cpu"


def test_what_is_not_there(tmp_path: Path) -> None:
    python = look_at(str(tmp_path / "no" / "bin" / "python"), {"HOME": "/nobody"})
    assert (python.own, python.paths, python.execute) == ((), (), ())
