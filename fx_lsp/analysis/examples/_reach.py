"""Which files may call the classes of a file, told from their text wherever possible."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples._instances import Instances
from fx_lsp.analysis.examples._registered import MAX_QUOTING, quoting
from fx_lsp.analysis.examples._sites import Function
from fx_lsp.analysis.examples._snippets import WITH_CODE, in_docstrings, in_document, is_snippet
from fx_lsp.analysis.examples._targets import targeting
from fx_lsp.analysis.names import Definition, module_file, resolve
from fx_lsp.analysis.workspace import Workspace

MAX_FILES = 40
"""Files parsed to find the calls of one file's classes."""

_NAMES = r"\((?:[^()#]++|#[^\n]*+)*+\)|[^\n]*"
"""In brackets that end before the next ones start: a text full of open ones is looked through only once."""
_FROM = re.compile(rf"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*({_NAMES})", re.MULTILINE)
_HEAD = re.compile(r"^[ \t]*class[ \t]+\w+[ \t]*\([^()\n]*\)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n]*)", re.MULTILINE)


def files_reaching(
    workspace: Workspace, config: Config, path: str, targets: Iterable[str], instances: Instances
) -> list[str]:
    """Files that call a class of the file, or a function that makes one; the file itself first."""
    classes = frozenset(name.rpartition(".")[2] for name in targets)
    builders = _builders(workspace, path, instances, path)
    found = [path, *importing(workspace, config, path, classes | builders, called=True)]
    for file in found[1 : MAX_FILES + 1]:
        if made := _builders(workspace, file, instances, path):
            using = _tests_below(workspace, config, file, made)
            using = using or importing(workspace, config, file, made, called=True)
            found += [other for other in using if other not in found]
    quoted = quoting(workspace, config, path, frozenset(instances.registered))
    quoted += targeting(workspace, config, path, classes)
    quoted.sort(key=lambda file: (rank_of_file(file), distance(path, file), file))
    found += [file for file in quoted[:MAX_QUOTING] if file not in found]
    best = sorted(found[1:], key=lambda file: (rank_of_file(file), file))[:MAX_FILES]
    names = classes | builders
    documented = [*in_docstrings(workspace, path), *_documents(workspace, config, path, names)]
    documented = [
        snippet
        for snippet in documented
        if (present := _used(workspace, snippet, names, called=True)) and _imports(workspace, snippet, path, present)
    ]
    return [path, *best, *documented]


def _documents(workspace: Workspace, config: Config, path: str, names: frozenset[str]) -> list[str]:
    """Code in the documents that speak of one of the names, nearest first."""
    speaking = [
        document
        for document in workspace.documents(config.exclude)
        if document.endswith(WITH_CODE) and any(name in (workspace.text(document) or "") for name in names)
    ]
    nearest = sorted(speaking, key=lambda document: (distance(path, document), document))[:MAX_FILES]
    return [snippet for document in nearest for snippet in in_document(workspace, document)]


def rank_of_file(path: str) -> int:
    """Tests say best what a model takes; scripts come next."""
    parts = re.split(r"[/\\]", path.lower())
    name = parts[-1].removesuffix(".py")
    if re.match(r"tests?(_|$)", name) or name.endswith("_test") or {"tests", "test"} & set(parts[-3:-1]):
        return 0
    return 1 if re.search(r"train|main|run|demo|example", name) else 2


def _builders(workspace: Workspace, file: str, instances: Instances, path: str) -> frozenset[str]:
    """Functions at the top of `file` that return an instance of a class of `path`."""
    source = workspace.source(file)
    names: set[str] = set()
    for name, statements in source.bindings.items() if source is not None else ():
        for statement in statements:
            if isinstance(statement, Function):
                made = instances.returned(Definition(file, name, statement))
                if made is not None and made.path == path:
                    names.add(name)
    return frozenset(names)


def _tests_below(workspace: Workspace, config: Config, file: str, fixtures: frozenset[str]) -> list[str]:
    """Tests that get a fixture of a `conftest.py` without an import."""
    folder, name = os.path.split(file)
    if name != "conftest.py":
        return []
    below = [f for f in workspace.mentioning(fixtures, config.exclude) if f.startswith(folder + os.sep) and f != file]
    return below[:MAX_FILES]


def importing(
    workspace: Workspace, config: Config, path: str, names: frozenset[str], called: bool = False
) -> list[str]:
    """Other files that import one of the names from `path` (and call it), best ones first."""
    files = workspace.mentioning(names, config.exclude)
    found: list[str] = []
    for file in sorted(files, key=lambda file: (rank_of_file(file), distance(path, file), file)):
        present = _used(workspace, file, files[file], called) if file != path else None
        if present and _imports(workspace, file, path, present):
            found.append(file)
        if len(found) >= MAX_FILES:
            break
    return found


def _used(workspace: Workspace, file: str, names: frozenset[str], called: bool) -> frozenset[str]:
    """Names written where an instance may be made: neither as the class that is defined, nor as a base."""
    if not called:
        return names
    text = workspace.text(file) or ""
    # a file of models hands classes on to other models: that is theirs to say
    scripts = rank_of_file(file) < 2 or is_snippet(file)
    return frozenset(name for name in names if _is_made(text, name, scripts))


def _is_made(text: str, name: str, handed_on: bool) -> bool:
    if name not in text:
        return False
    if f"{name}." in text or f"{name} as " in text or text.count(f"{name}(") > text.count(f"class {name}("):
        return True
    if not handed_on:
        return False
    if "getattr(" in text and (f'"{name}"' in text or f"'{name}'" in text):
        return True
    handed = re.compile(rf"(?:[=:\[({{,]|\breturn|\bin)\s*{name}\s*[])}},\n]")
    return handed.search(text) is not None and handed.search(_without_headers(text)) is not None


@lru_cache(maxsize=256)
def _without_headers(text: str) -> str:
    """Without what names a class but does not hand it on: imports and bases."""
    return _HEAD.sub("", _FROM.sub("", text))


def distance(path: str, file: str) -> int:
    """Folders between two files."""
    way = os.path.relpath(os.path.dirname(file), os.path.dirname(path))
    return 0 if way == os.curdir else len(way.split(os.sep))


def _imports(workspace: Workspace, file: str, path: str, names: frozenset[str]) -> bool:
    stem = os.path.basename(path).removesuffix(".py")
    package = os.path.basename(os.path.dirname(path))
    modules, parts = _clauses(workspace.text(file) or "")
    for level, module, given in parts:
        if stem in given or (stem == "__init__" and package in given):
            return True
        if ("*" in given or names & given) and _leads(workspace, file, module, level, path, names):
            return True
    if any(stem == name.rpartition(".")[2] or package in name.split(".") for name in modules):
        return True
    reached = frozenset(name for name in names if f".{name}(" in (workspace.text(file) or ""))
    return bool(reached) and any(_leads(workspace, file, name, 0, path, reached) for name in sorted(modules))


@lru_cache(maxsize=1024)
def _clauses(text: str) -> tuple[frozenset[str], tuple[tuple[int, str, frozenset[str]], ...]]:
    """Modules imported whole, and per `from` clause its level, module and names."""
    parts: list[tuple[int, str, frozenset[str]]] = []
    for match in _FROM.finditer(text):
        module = match[1].lstrip(".")
        parts.append((len(match[1]) - len(module), module, frozenset(re.findall(r"\w+|\*", match[2]))))
    whole = {name.strip().split(" ")[0] for match in _IMPORT.finditer(text) for name in match[1].split(",")}
    return frozenset(whole), tuple(parts)


def _leads(workspace: Workspace, file: str, module: str, level: int, path: str, names: frozenset[str]) -> bool:
    """Whether a module hands on what `path` defines; one that has its own definition is not parsed."""
    target = module_file(workspace, file, module, level)
    if target is None or target == path:
        return target is not None
    text = workspace.text(target) or ""
    for name in names:
        if re.search(rf"^(?:class|def) {name}\b", text, re.MULTILINE):
            continue
        if not re.search(rf"\b{name}\b|import[ \t]*\*", text):
            continue
        meaning = resolve(workspace, target, name)
        if isinstance(meaning, Definition) and meaning.path == path:
            return True
    return False
