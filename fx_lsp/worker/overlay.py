"""Importing workspace files: with probes in them, and unsaved buffers in place of what is on disk."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import linecache
import os
import sys
import traceback
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from types import CodeType, ModuleType
from typing import Any, Callable, ContextManager, Dict, List, Optional, Sequence, Set, Tuple

from fx_lsp.model.example import IMPORT_FAILED
from fx_lsp.worker import arguments, stand_ins
from fx_lsp.worker.absent import bound, lacked
from fx_lsp.worker.capture.devices import lacks_accelerator
from fx_lsp.worker.capture.parts import Part
from fx_lsp.worker.capture.probes import NOTEBOOK
from fx_lsp.worker.failures import sentence
from fx_lsp.worker.imported import INSTALLED
from fx_lsp.worker.lacking import OF_NOTHING, is_of_code, lacks_something, names_bound, of_left_out
from fx_lsp.worker.looked_at import LookedAt
from fx_lsp.worker.module_names import module_name, package_name
from fx_lsp.worker.prepared import Prepared

NOT_OURS = (*INSTALLED, ".venv", "node_modules")
"""Folders inside a workspace that hold other people's code."""
MAX_LEFT_OUT = 2
"""Statements of a program that it is run without."""


class Workspace(importlib.abc.MetaPathFinder):
    """Finds modules as Python does and loads those of the workspace with probes."""

    def __init__(
        self, root: str, overlays: Dict[str, str], prepared: Prepared, real: Callable[[], ContextManager[Any]]
    ) -> None:
        self.root = os.path.join(os.path.realpath(root), "")
        self._package = package_name(self.root)
        self.overlays = {os.path.realpath(path): text for path, text in overlays.items()}
        self.prepared = prepared
        self.real = real
        """Context in which module bodies run: the fake engine must not see them."""
        self.survived: Optional[BaseException] = None
        """What the file that is wanted failed with, of which the rest was run all the same."""
        self.missing: List[BaseException] = []
        """What imports failed with that were left out."""
        self._surviving, self._running, self.moved = "", False, False
        """The file and the program that may lose statements; whether accelerators are the processor by now."""
        self.left_out: Set[int] = set()
        """Lines of the program whose statements may fail."""
        self._lossy: Dict[str, Dict[str, BaseException]] = {}
        """Files of which something was left out, with the names that it binds: what fails may fail for want of it."""
        self.looked_at = LookedAt(self.is_ours)
        self._cache: Dict[str, bool] = {}

    def install(self) -> None:
        """Go first among the finders; nothing of ours is on `sys.path`."""
        sys.meta_path.insert(0, self)
        self.looked_at.install()
        arguments.install()
        stand_ins.install()
        sys.dont_write_bytecode = True
        self.show(self.overlays)

    def show(self, overlays: Dict[str, str]) -> None:
        """Have these be the unsaved files from now on, also for those who read code."""
        self.overlays = overlays
        for path, text in self.overlays.items():
            # No mtime: `linecache.checkcache` leaves the entry alone, so `inspect` reads the buffer too.
            linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)  # type: ignore[assignment]

    def remove(self) -> None:
        """Imports find what they find without it; what it has loaded stays."""
        sys.meta_path.remove(self)

    def is_ours(self, path: str) -> bool:
        """Whether a file is the workspace's own code."""
        if path not in self._cache:
            real = os.path.realpath(path) if path else ""
            below = real[len(self.root) :].split(os.sep) if real.startswith(self.root) else NOT_OURS
            self._cache[path] = not any(part in NOT_OURS for part in below)
        return self._cache[path]

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec any other finder gives, with our loader when the file is the workspace's; our own for a root that is
        a package, and for those around it that nobody finds: no folder above the root can be listed."""
        if fullname == self._package:
            init = os.path.join(self.root, "__init__.py")
            folders = [self.root.rstrip(os.sep)]
            loader = Loader(fullname, init, self)
            return spec_from_file_location(fullname, init, loader=loader, submodule_search_locations=folders)
        for finder in sys.meta_path:
            found = finder.find_spec(fullname, path, target) if finder is not self else None
            if found is not None:
                break
        else:
            found = self._unsaved(fullname, path)
            if found is None and self._package.startswith(f"{fullname}."):
                found = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            if found is None:
                self.looked_at.note_import(fullname, sys.path if path is None else path)
            return found
        source = isinstance(found.loader, importlib.machinery.SourceFileLoader)
        if found.origin and source and self.is_ours(found.origin):
            found.loader = Loader(fullname, found.origin, self)
        else:
            if fullname in stand_ins.MODULES and found.origin:
                found.loader = stand_ins.Loader(fullname, found.origin)
            self.looked_at.note_import(fullname, sys.path if path is None else path)
        return found

    def _unsaved(self, fullname: str, path: Optional[Sequence[str]]) -> Optional[importlib.machinery.ModuleSpec]:
        """A module whose file exists only in the editor."""
        for folder in sys.path if path is None else path:
            file = os.path.realpath(os.path.join(folder, fullname.rpartition(".")[2] + ".py"))
            if file in self.overlays:
                return spec_from_file_location(fullname, file, loader=Loader(fullname, file, self))
        return None

    def load(self, path: str) -> ModuleType:
        """Import the file at `path` as the module it is for the rest of the workspace; without those of its statements
        that fail, if it fails for want of something that is not here.

        Raises:
            Exception: what is wrong with the code.
        """
        path = os.path.realpath(path)
        try:
            return self._load(path)
        except BaseException as error:
            if not is_of_code(error) or not self._lacks(error):
                raise
            self._surviving, self.survived = path, error
            return self._load(path)

    def _load(self, path: str) -> ModuleType:
        name = self._searched(path)
        if path.endswith(NOTEBOOK):  # no import finds it, and none is meant by its name
            self._surviving = path
            return self._load_as(f"{name}_ipynb", path)
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):
                raise
            return self._load_as(name, path)  # a file of the name of its folder hides it, or a folder, from imports
        if os.path.realpath(getattr(module, "__file__", None) or "") != path:  # the name means another file
            return self._load_as(name, path)
        return module

    def execute(self, parts: Sequence[Part], module: ModuleType, path: str) -> None:
        """Run the parts of a module's body."""
        for part in parts:
            try:
                exec(part.code, module.__dict__)
            except BaseException as error:
                if not is_of_code(error):
                    raise
                self._go_on(part, error, module, path)

    def _go_on(self, part: Part, error: BaseException, module: ModuleType, path: str) -> None:
        """Behind the statement that failed, if it may be left out.

        Raises:
            BaseException: the error.
        """
        if not (self._surviving or self._running):
            raise error
        frame = error.__traceback__ and error.__traceback__.tb_next
        statement, rest = self.prepared.behind(part, frame.tb_lineno if frame else 0, path)
        imports, lacks = isinstance(statement, (ast.Import, ast.ImportFrom)), self._lacks(error)
        lacking = lacks or bool(self._lossy) or (path.endswith(NOTEBOOK) and not self._running)
        absent = lacking and (imports or isinstance(error, ImportError))
        imported = os.path.realpath(path) == self._surviving and not self._running
        left_out = self._running and frame is not None and frame.tb_lineno in self.left_out
        if not imported and not left_out and not (lacking if self._surviving else absent and self._running):
            raise error
        if lacks and imports and getattr(error, "path", None) not in self._lossy:
            self.missing.append(error)
        if lacks:
            self._lossy.setdefault(path, {}).update(dict.fromkeys(names_bound(statement), error))
        if lacking and imports:
            module.__dict__.update(bound(statement, error, lambda code: exec(code, module.__dict__), path))
        else:
            traceback.print_exc()
        self.execute(rest, module, path)

    def _lacks(self, error: BaseException) -> bool:
        """Whether the error is about what is around the code, or about a folder of data in which nothing was found."""
        if self.looked_at.in_vain and isinstance(error, OF_NOTHING):
            return True
        return self.moved if lacks_accelerator(error) else lacks_something(error, self.is_ours)

    def lacked(self, error: BaseException, stage: str) -> Tuple[BaseException, str]:
        """What an error is due to that something lacks, with the stage of that; else the error in its own."""
        survived = self.survived if isinstance(error, NameError) else of_left_out(error, self._lossy)
        return (survived, "import") if survived is not None else (lacked(error), stage)

    def leave_out(self, error: BaseException) -> bool:
        """Whether the next run of the program can do without the statement that failed, one of its own."""
        ours = [one for one in traceback.walk_tb(error.__traceback__) if self.is_ours(one[0].f_code.co_filename)]
        frame, line = ours[-1] if ours else (None, 0)
        if frame is None or frame.f_code.co_name != "<module>" or len(self.left_out) >= MAX_LEFT_OUT:
            return False
        self.left_out.add(line)
        return True

    @property
    def gone(self) -> str:
        """Why a class may not be there after an import."""
        if self.survived is None:
            return "the class is not there when its file is imported"
        if arguments.not_given:
            return f"{IMPORT_FAILED}: the program is not given {arguments.not_given[0]}"
        return f"{IMPORT_FAILED}: {sentence(self.survived, 0)}"

    def run(self, path: str) -> ModuleType:
        """Run the file at `path` as a program, on whatever tensors are made now."""
        path = os.path.realpath(path)
        name = self._searched(path)
        module = ModuleType("__main__")
        module.__file__, module.__package__ = path, name.rpartition(".")[0] or None
        sys.modules["__main__"] = module
        self._running = True
        if path.endswith(NOTEBOOK):
            self._surviving, module.__dict__["display"] = path, lambda *shown, **how: None
        self.execute(Loader("__main__", path, self).parts(), module, path)
        return module

    def _searched(self, path: str) -> str:
        """The name of a file, whose imports are looked for where they are in use."""
        name, folders = module_name(path, self.root)
        for folder in reversed(folders):
            if folder in sys.path:
                sys.path.remove(folder)
            sys.path.insert(0, folder)
        sys.argv = [path]
        return name

    def _load_as(self, name: str, path: str) -> ModuleType:
        spec = spec_from_file_location(name, path, loader=Loader(name, path, self))
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles with probes; reads and writes no byte code."""

    def __init__(self, fullname: str, path: str, workspace: Workspace) -> None:
        super().__init__(fullname, path)
        self.workspace = workspace

    def get_data(self, path: str) -> bytes:
        """The unsaved buffer if there is one, else the file."""
        text = self.workspace.overlays.get(os.path.realpath(path))
        return super().get_data(path) if text is None else text.encode()

    def get_source(self, fullname: str) -> str:
        """The text as it is edited."""
        text = self.workspace.overlays.get(os.path.realpath(self.path))
        if text is not None:
            return text
        data = super().get_data(self.path)
        try:
            return decode_source(data)
        except (SyntaxError, UnicodeDecodeError) as error:
            name = os.path.basename(self.path)
            line = data[: getattr(error, "start", 0)].count(b"\n") + 1
            message = f"{name} is not UTF-8 and declares no encoding that fits"
            raise SyntaxError(message, (self.path, line, 1, None)) from None

    def get_code(self, fullname: str) -> CodeType:
        """The whole module in one piece, with probes, for those who run it themselves."""
        source = self.get_source(fullname)
        self.workspace.prepared.sites.sources[self.path] = source
        return self.workspace.prepared.whole(self.path, source)

    def parts(self) -> Tuple[Part, ...]:
        """The module's body, with probes, in parts."""
        source = self.get_source(self.name)
        prepared = self.workspace.prepared
        prepared.sites.sources[self.path] = source
        return prepared.parts(self.path, source)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's body, with probes, on real tensors."""
        parts = self.parts()
        with self.workspace.real():
            self.workspace.execute(parts, module, self.path)
