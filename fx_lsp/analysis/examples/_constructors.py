"""Expressions that make an instance of a class, best first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples._arguments import defaults, parameters, required
from fx_lsp.analysis.examples._bound import Place
from fx_lsp.analysis.examples._instances import Instances
from fx_lsp.analysis.examples._reach import files_reaching
from fx_lsp.analysis.examples._sites import Function, sites
from fx_lsp.analysis.examples._slice import Slice, cut
from fx_lsp.analysis.modules import Ancestry, ancestry, classes_of
from fx_lsp.analysis.names import Definition, dotted, resolve, run_name
from fx_lsp.analysis.workspace import Workspace

MAX_FOUND = 4
"""Calls of a constructor that are looked at more closely."""


def constructors(workspace: Workspace, config: Config, definition: Definition) -> Iterator[Slice]:
    """Ways to make an instance that run in the file of the class: defaults, builders, configurations, real calls."""
    above = ancestry(workspace, definition)
    near = [Slice("", f"{definition.name}()", 0)] if needs_nothing(above) else []
    near += _builders(workspace, definition)
    if (made := _configured(workspace, definition, above)) is not None:
        near.append(made)
    yield from near or _called(workspace, config, definition)


def needs_nothing(above: Ancestry) -> bool:
    """Whether the class can be made without arguments."""
    init = above.method("__init__")
    if init is not None:
        return isinstance(init.node, ast.FunctionDef) and not required(init.node)
    return all(name.rpartition(".")[2] in ("Module", "LightningModule", "object", "ABC") for name in above.outside)


def definition_of(workspace: Workspace, path: str, name: str) -> Definition | None:
    """The class of a file under its qualified name."""
    source = workspace.source(path)
    node = classes_of(source).get(name) if source is not None else None
    return Definition(path, name, node) if node is not None else None


def _builders(workspace: Workspace, definition: Definition) -> Iterator[Slice]:
    """Functions of the same file that need no argument: `resnet18()`."""
    source = workspace.source(definition.path)
    instances = Instances(workspace)
    for name, statements in source.bindings.items() if source is not None else ():
        function = statements[-1]
        if isinstance(function, Function) and not required(function, method=False) and not name.startswith("test"):
            made = instances.returned(Definition(definition.path, name, function))
            if made is not None and (made.path, made.name) == (definition.path, definition.name):
                yield Slice("", f"{name}()", 0)


def _configured(workspace: Workspace, definition: Definition, above: Ancestry) -> Slice | None:
    """`GPT(GPTConfig())`, when the constructor wants one configuration that has defaults for everything."""
    init = above.method("__init__")
    if init is None or not isinstance(init.node, ast.FunctionDef):
        return None
    wanted = required(init.node)
    if len(wanted) != 1:
        return None
    for path, name in _configurations(workspace, definition, above, init, wanted[0]):
        meaning = resolve(workspace, path, name)
        if not isinstance(meaning, Definition) or not isinstance(meaning.node, ast.ClassDef):
            continue
        if not has_defaults(workspace, meaning):
            continue
        if resolve(workspace, definition.path, name) == meaning:
            return Slice("", f"{definition.name}({name}())", 0)
        module = run_name(workspace, definition.path, meaning.path)
        if module and "." not in meaning.name:
            call = f"{definition.name}({meaning.name}())"
            return Slice(f"from {module} import {meaning.name}", call, 1)
    return None


def _configurations(
    workspace: Workspace, definition: Definition, above: Ancestry, init: Definition, argument: ast.arg
) -> Iterator[tuple[str, str]]:
    """Names of classes that may be the configuration, with the files in which they mean something."""
    if (annotated := annotation_name(argument.annotation)) is not None:
        yield init.path, annotated
    if "conf" not in argument.arg and "cfg" not in argument.arg:
        return
    for owner in above.classes:
        for statement in owner.node.body if isinstance(owner.node, ast.ClassDef) else ():
            name: str | None = None
            if isinstance(statement, ast.Assign) and dotted(statement.targets[0]) == "config_class":
                name = dotted(statement.value)
            elif isinstance(statement, ast.AnnAssign) and dotted(statement.target) == "config":
                name = annotation_name(statement.annotation)
            if name is not None:
                yield owner.path, name
    source = workspace.source(definition.path)
    bindings = source.bindings if source is not None else {}
    own = [name for name in bindings if name.endswith(("Config", "Args", "Params"))]
    if len(own) == 1:
        yield definition.path, own[0]


def annotation_name(annotation: ast.expr | None) -> str | None:
    """The dotted name of an annotation, quoted or not."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        parts = annotation.value.split(".")
        return annotation.value if all(part.isidentifier() for part in parts) else None
    return dotted(annotation) if annotation is not None else None


def has_defaults(workspace: Workspace, definition: Definition) -> bool:
    """Whether a class that is no module can be made without arguments."""
    above = ancestry(workspace, definition)
    if above.is_module:
        return False
    if (init := above.method("__init__")) is not None:
        return isinstance(init.node, ast.FunctionDef) and not required(init.node)
    for owner in above.classes:
        for statement in owner.node.body if isinstance(owner.node, ast.ClassDef) else ():
            if isinstance(statement, ast.AnnAssign) and statement.value is None:
                kind = annotation_name(statement.annotation) or ast.unparse(statement.annotation)
                if not kind.startswith(("ClassVar", "typing.ClassVar")):
                    return False
    return True


def _called(workspace: Workspace, config: Config, definition: Definition) -> Iterator[Slice]:
    """Real constructor calls of the workspace that can be cut out."""
    instances = Instances(workspace)
    count = 0
    for file in files_reaching(workspace, config, definition.path, [definition.name], instances):
        source = workspace.source(file)
        for site in sites(source) if source is not None else ():
            owners = [owner for owner in site.owners if isinstance(owner, ast.ClassDef)]
            if owners and instances.is_module(Definition(file, ".".join(o.name for o in owners), owners[-1])):
                continue
            made = instances.callee(Place(site.source, site.owners, site.call.lineno), site.call.func)[0]
            if not isinstance(made, Definition) or (made.path, made.name) != (definition.path, definition.name):
                continue
            if (part := cut(workspace, site, definition.path)) is not None:
                yield part
                count += 1
                if count >= MAX_FOUND:
                    return


def default_sizes(above: Ancestry) -> dict[str, int]:
    """Integer defaults of the constructor by parameter: what dims of the same name are."""
    init = above.method("__init__")
    if init is None or not isinstance(init.node, ast.FunctionDef):
        return {}
    given = defaults(init.node)
    found: dict[str, int] = {}
    for argument in parameters(init.node):
        value = given.get(argument.arg)
        if isinstance(value, ast.Constant) and type(value.value) is int and value.value > 0:
            found[argument.arg] = value.value
    return found
