"""Which files are programs, and when they are run."""

import pytest

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples.program import find
from fx_lsp.model.example import OUTSIDE, PROGRAM, Example
from tests.analysis.test_plan import HEAD, MODEL, calls, plan, ran
from tests.analysis.workspaces import workspace


def programs(files: dict[str, str], path: str = "model.py") -> list[str]:
    found = find(workspace(files), Config(), f"/w/{path}")
    return [one.scope.removeprefix("/w/") for one in found if isinstance(one, Example)]


@pytest.mark.parametrize(
    "body",
    [
        "if __name__ == '__main__':\n    main()\n",
        "model = nn.Linear(2, 3)\ny = model(torch.ones(2))\n",
        "model = nn.Linear(2, 3)\nfor x in data:\n    loss = model(x).sum()\n",
        "def main(): pass\nmain()\n",
        "def train(x): x.sum().backward()\nfor fold in range(2):\n    score = train(fold)\n",
        "def step(x): x.sum().backward()\ndef fit(): return [step(x) for x in data]\nhistory = fit()\n",
        "model, _ = make()\nx = torch.ones(2)\ny = model.encode(x)\n",
        "model = make()\ntrainer = Trainer()\ntrainer.fit(model)\n",
        "model = make()\nbatches = load()\nfor x, y in batches[:2]:\n    print(model.loss(x, y))\n",
        "model = make()\ny = model.encode(torch.ones(2, 3))\n",
        "model = make()\nbatches = load()\nx, y = batches[-1]\npaths = model.predict(x)\n",
        "from lib import model, batches\nfor batch in batches:\n    model.loss(batch).backward()\n",
    ],
)
def test_programs(body: str):
    assert programs({"model.py": HEAD + body}) == ["model.py"]


@pytest.mark.parametrize(
    "body",
    [
        "mask = torch.ones(3)\n",
        "logger = make('x')\nlogger.info('imported')\n",
        "parser = make('x')\nparser.add_argument('--size', type=int)\n",
        "model = make()\nx = os.fspath(model)\n",
        "def main(): pass\nregistry = main\n",
        "def make(): return 1\nmodel = make()\n",
        "def train(x): x.sum().backward()\nmodel = make()\n",
        "class A: pass\nA()\n",
        "models = make()\nfor name in ('a', 'b'):\n    models.add(name)\n",
    ],
)
def test_files_that_are_imported(body: str):
    assert programs({"model.py": HEAD + body}) == []


def test_no_program_runs_where_the_workspace_wants_none():
    space = workspace({"model.py": HEAD + "if __name__ == '__main__':\n    main()\n"})
    assert find(space, Config(programs=False), "/w/model.py") == ()


def test_a_file_that_has_nothing_to_do_with_torch():
    assert programs({"model.py": "if __name__ == '__main__':\n    main()\n"}) == []


def test_the_nearest_program_that_uses_the_classes_but_no_test():
    script = "import torch\nfrom model import Model\nif __name__ == '__main__':\n    Model(3)\n"
    files = {"model.py": MODEL, "train.py": script, "test_model.py": script, "deep/run.py": script}
    assert programs(files) == ["train.py"]


def test_a_program_shows_classes_that_nothing_else_runs():
    space = workspace({"model.py": MODEL + "if __name__ == '__main__':\n    run(globals()['Model'](3))\n"})
    assert calls(plan(space)) == [PROGRAM]


def test_where_its_classes_were_run_only_the_rest_of_a_program_is_shown():
    space = workspace({"model.py": MODEL + "if __name__ == '__main__':\n    Model(4)(torch.ones(4))\n"})
    (first,) = plan(space)
    assert first.origin == "call"
    (last,) = plan(space, [ran(first, "Model", "Block")])
    assert (last.call, last.origin) == (OUTSIDE, "program")
    assert plan(space, [ran(first, "Model", "Block"), ran(last)]) == ()


def test_no_program_runs_after_a_call_that_failed():
    space = workspace({"model.py": MODEL + "if __name__ == '__main__':\n    Model(4)(torch.ones(4))\n"})
    (first,) = plan(space)
    assert plan(space, [ran(first, "Model", "Block", failed=True)]) == ()


@pytest.mark.parametrize(
    "body",
    ["if __name__ == '__main__':\n    x = Model(4)(torch.ones(4))\n    Loss()(x)\n",
     "def step(net, x):\n    loss = Loss()\n    out, rest = net(x)\n    loss(out)\n"
     "if __name__ == '__main__':\n    step(Model(4), torch.ones(4))\n"],
)  # fmt: skip
def test_a_program_runs_where_what_failed_was_given_what_another_model_made(body: str):
    loss = "class Loss(nn.Module):\n    def forward(self, x): return x\n"
    space = workspace({"model.py": MODEL + loss + body})
    model, failing = plan(space)
    assert (model.target, failing.target) == ("Model", "Loss")
    traces = [ran(model, "Model", "Block"), ran(failing, "Loss", "Model", "Block", failed=True)]
    assert PROGRAM in calls(plan(space, traces))


def test_a_program_runs_where_another_call_of_the_class_worked():
    space = workspace(
        {
            "model.py": MODEL + "if __name__ == '__main__':\n    Model(4)(torch.ones(5))\n",
            "test_model.py": HEAD + "from model import Model\ndef test_model(): Model(4)(torch.ones(4))\n",
        }
    )
    (first,) = plan(space)
    (second,) = plan(space, [ran(first, "Model", "Block", failed=True)])
    assert (first.call, second.call) == ("Model(4)(torch.ones(5))", "Model(4)(torch.ones(4))")
    traces = [ran(first, "Model", "Block", failed=True), ran(second, "Model", "Block")]
    assert calls(plan(space, traces)) == [OUTSIDE]
