"""Which examples run, and in which order."""

from __future__ import annotations

from textwrap import dedent

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.plan import next_wave, problems
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import OUTSIDE, Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.trace import ModuleUse
from fx_lsp.model.value import TensorType
from tests.analysis.workspaces import workspace

HEAD = "import torch\nfrom torch import nn\n"
MODEL = (
    HEAD
    + """
class Block(nn.Module):
    def __init__(self, n): pass
    def forward(self, x): return x

class Model(nn.Module):
    def __init__(self, n): self.block = Block(n)
    def forward(self, x): return self.block(x)
"""
)


def plan(space: Workspace, traces: list[Trace] | None = None, path: str = "model.py", config: Config | None = None):
    return next_wave(space, config or Config(), f"/w/{path}", traces or [])


def ran(example: Example, *names: str, failed: bool = False, path: str = "model.py") -> Trace:
    """The trace of an example that ran through these classes; a failed one came out of all but the first."""
    uses = tuple(
        ModuleUse(f"/w/{path}", name, (), None if failed and number == 0 else TensorType("f32", (2,)), 0)
        for number, name in enumerate(names)
    )
    failure = Failure("trace", "no") if failed else None
    return Trace(example, example.call, (), TraceReply(0, modules=uses, failure=failure))


def calls(examples: tuple[Example, ...]) -> list[str]:
    return [example.call for example in examples]


def with_train(*lines: str) -> Workspace:
    return workspace({"model.py": MODEL, "train.py": HEAD + "from model import *\n" + "\n".join(lines) + "\n"})


def test_parts_wait_for_the_model_that_contains_them():
    space = with_train("Block(3)(torch.ones(3))", "Model(4)(torch.ones(4))")
    (first,) = plan(space)
    assert first.call == "Model(4)(torch.ones(4))"
    assert plan(space, [ran(first, "Model", "Block")]) == ()


def test_parts_run_alone_when_the_model_does_not_reach_them():
    space = with_train("Block(3)(torch.ones(3))", "Model(4)(torch.ones(4))")
    (first,) = plan(space)
    assert calls(plan(space, [ran(first, "Model")])) == ["Block(3)(torch.ones(3))"]


def test_the_next_candidate_after_a_failure():
    space = with_train("Model(1)(torch.ones(1))", "Model(2)(torch.ones(2))")
    (first,) = plan(space)
    tried = [ran(first, "Model", failed=True)]
    (second,) = plan(space, tried)
    assert second.call == "Model(2)(torch.ones(2))"
    tried.append(ran(second, "Model", "Block", failed=True))
    assert plan(space, tried) == ()


def test_a_part_that_came_out_before_the_model_failed_needs_nothing():
    space = with_train("Model(1)(torch.ones(1))", "Block(2)(torch.ones(2))")
    (first,) = plan(space)
    assert plan(space, [ran(first, "Model", "Block", failed=True)]) == ()


def test_what_the_user_wrote_is_all_that_runs_for_its_class():
    source = MODEL.replace("class Model", "# fx: Model(1)(f32[1])\n# fx: Model(2)(f32[2])\nclass Model")
    space = workspace({"model.py": source, "train.py": HEAD + "from model import *\nModel(3)(torch.ones(3))\n"})
    wave = plan(space)
    assert calls(wave) == ["Model(1)(f32[1])", "Model(2)(f32[2])"]
    assert plan(space, [ran(example, "Model", failed=True) for example in wave]) == ()


def test_other_classes_run_beside_what_the_user_wrote():
    source = MODEL + "# fx: Other()(f32[1])\nclass Other(nn.Module):\n    def forward(self, x): return x\n"
    space = workspace({"model.py": source, "train.py": HEAD + "from model import *\nModel(3)(torch.ones(3))\n"})
    assert calls(plan(space)) == ["Other()(f32[1])", "Model(3)(torch.ones(3))"]


def test_an_example_of_a_builder_runs_before_anything_is_searched():
    source = MODEL + "# fx: build()(f32[1])\ndef build(): return Model(1)\n"
    space = workspace({"model.py": source, "train.py": HEAD + "from model import *\nModel(3)(torch.ones(3))\n"})
    (first,) = plan(space)
    assert first.call == "build()(f32[1])"
    assert plan(space, [ran(first, "Model", "Block")]) == ()
    assert calls(plan(space, [ran(first)])) == ["Model(3)(torch.ones(3))"]


def test_configured_examples_of_files_that_import_this_one():
    files = {
        "pkg/__init__.py": "",
        "pkg/block.py": HEAD + "class Block(nn.Module):\n    def forward(self, x): return x\n",
        "pkg/model.py": HEAD + "from .block import Block\nclass Model(nn.Module):\n"
        "    def forward(self, x): return Block()(x)\n",
        "pkg/other.py": HEAD + "class Other(nn.Module):\n    def forward(self, x): return x\n",
    }
    config = Config(examples={"/w/pkg/model.py": ("Model()(f32[2])",), "/w/pkg/other.py": ("Other()(f32[2])",)})
    (example,) = plan(workspace(files), path="pkg/block.py", config=config)
    assert (example.scope, example.call, example.origin) == ("/w/pkg/model.py", "Model()(f32[2])", "config")


def test_annotations_before_calls_before_defaults():
    source = (
        HEAD
        + """
from jaxtyping import Float
example_input = torch.ones(5)
class A(nn.Module):
    def forward(self, x: Float[torch.Tensor, "b c"]): return x
if __name__ == "__main__":
    A()(torch.ones(3))
"""
    )
    space = workspace(source)
    tried: list[Trace] = []
    order: list[str] = []
    while wave := plan(space, tried):
        order += [example.origin for example in wave]
        tried += [ran(example, "A", failed=True) for example in wave]
    assert order == ["annotation", "call", "default"]


def test_models_of_other_files_that_contain_the_class():
    files = {
        "blocks.py": HEAD
        + "class Block(nn.Module):\n    def __init__(self, n): pass\n    def forward(self, x): return x\n",
        "stage.py": HEAD + "from blocks import Block\nclass Stage(nn.Module):\n"
        "    def __init__(self, n): self.b = Block(n)\n    def forward(self, x): return self.b(x)\n",
        "model.py": HEAD + "import stage\nclass Model(nn.Module):\n    def __init__(self): self.s = stage.Stage(2)\n"
        "    def forward(self, x): return self.s(x)\nif __name__ == '__main__':\n    Model()(torch.ones(2))\n",
        "unrelated.py": HEAD + "class Block: pass\nclass B(nn.Module):\n    def forward(self, x=1): return Block()\n",
    }
    (example,) = plan(workspace(files), path="blocks.py")
    assert (example.scope, example.call) == ("/w/model.py", "Model()(torch.ones(2))")
    assert plan(workspace(files), [ran(example)], path="blocks.py") == ()


def test_abstract_classes_and_files_without_models_need_nothing():
    assert plan(workspace(HEAD + "class A(nn.Module): pass\n")) == ()
    assert plan(workspace("x = 1\n")) == ()
    assert plan(workspace("class A(nn.Module:\n")) == ()
    assert plan(workspace({})) == ()


def test_classes_that_contain_each_other():
    source = HEAD + dedent("""
        class A(nn.Module):
            def forward(self, x=1): return B()()
        class B(nn.Module):
            def forward(self, x=1): return A()()
    """)
    (first,) = plan(workspace(source))
    assert first.call == "A()()"


def test_calls_that_give_other_arguments_run_too():
    source = MODEL + "model = Model(4)\nx = torch.ones(4)\nmodel(x)\nmodel(x * 2)\nmodel(x, y=x)\nmodel(x, y=x + 1)\n"
    space = workspace(source)
    (first,) = plan(space)
    assert first.call == "Model(4)(torch.ones(4))"
    (other,) = plan(space, [ran(first, "Model", "Block")])
    assert other.call == "model(x, y=x)"
    last = plan(space, [ran(first, "Model", "Block"), ran(other, "Model", failed=True)])
    assert calls(last) == [OUTSIDE], "the rest of the script"


def test_a_step_of_training_runs_too():
    source = HEAD + dedent("""
        class Net(nn.Module):
            def forward(self, x): return x
            def training_step(self, batch, i): return self(batch).sum()
            def sample(self, n): return n
        def fit(model, loader):
            for i, batch in enumerate(loader):
                model.training_step(batch, i)
        net = Net()
        net(torch.ones(2))
        net.sample(3)
        fit(net, [torch.ones(3)])
    """)
    space = workspace(source)
    (first,) = plan(space)
    assert first.call == "Net()(torch.ones(2))"
    (step,) = plan(space, [ran(first, "Net")])
    assert step.call == "model.training_step(batch, i)"


def test_calls_of_other_files_that_give_other_arguments_do_not():
    space = with_train("Model(4)(torch.ones(4))", "Model(4)(torch.ones(4), y=1)")
    (first,) = plan(space)
    assert plan(space, [ran(first, "Model", "Block")]) == ()


def test_the_same_plan_twice_and_after_an_edit():
    texts = {"/w/model.py": MODEL, "/w/train.py": HEAD + "from model import Model\nModel(1)(torch.ones(1))\n"}
    space = Workspace("/w", texts.get, lambda: list(texts))
    before = plan(space)
    assert plan(space) == before
    texts["/w/train.py"] = texts["/w/train.py"].replace("1", "2")
    assert calls(plan(space)) == ["Model(2)(torch.ones(2))"]


def test_problems_of_a_file_are_those_of_its_directives():
    space = workspace("# fx: A(\nclass A: pass\n")
    (problem,) = problems(space, Config(), "/w/model.py")
    assert problem.code == "bad-directive"
