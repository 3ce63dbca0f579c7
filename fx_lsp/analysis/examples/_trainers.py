"""Trainers that run a step of a model on a batch: `trainer.fit(model, loader)`."""

from __future__ import annotations

import ast

from fx_lsp.analysis.examples._bound import Place
from fx_lsp.analysis.examples._instances import Instances
from fx_lsp.analysis.examples._sites import Site
from fx_lsp.analysis.modules import ancestry

_STEPS = {
    "fit": ("training_step", ("train_dataloaders", "train_dataloader", "train_loader")),
    "validate": ("validation_step", ("dataloaders",)),
    "test": ("test_step", ("dataloaders",)),
    "predict": ("predict_step", ("dataloaders",)),
}
"""Methods of a trainer, the step of the model that each of them runs, and how it calls the data."""


STEPS = frozenset(step for step, _ in _STEPS.values())


def step_of(instances: Instances, site: Site) -> tuple[ast.expr, ast.Call] | None:
    """The model that a trainer is given, and the step that it runs on the first batch."""
    call = site.call
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _STEPS:
        return None
    step, names = _STEPS[call.func.attr]
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    model = call.args[0] if call.args else given.get("model")
    data = call.args[1] if len(call.args) > 1 else next((given[name] for name in names if name in given), None)
    if model is None or data is None or isinstance(model, ast.Starred):
        return None
    made = instances.of(Place(site.source, site.owners, call.lineno), model)
    if made is None or ancestry(instances.workspace, made).method(step) is None:
        return None
    first = ast.Call(ast.Name("iter", ast.Load()), [data], [])
    batch = ast.Call(ast.Name("next", ast.Load()), [first], [])
    run = ast.Call(ast.Attribute(model, step, ast.Load()), [batch, ast.Constant(0)], [])
    return model, ast.copy_location(run, call)
