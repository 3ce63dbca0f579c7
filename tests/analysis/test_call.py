"""Real calls of a workspace, cut out so that they run in the file of the model."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fx_lsp.analysis.config import Config
from tests.analysis import workspaces
from tests.analysis.workspaces import found, marked, workspace

NET = f"""\
{workspaces.NET}

def build(width=4):
    net = Net(width)
    return net


"""


def calls(files: dict[str, str] | str, path: str = "model.py") -> list[tuple[str, str]]:
    return [(example.setup, example.call) for example in found(workspace(files), "call", path)]


def in_train(text: str) -> list[tuple[str, str]]:
    """Calls found in a training script next to the model."""
    return calls({"model.py": NET, "train.py": "import torch\nfrom model import Net, build\n" + dedent(text)})


def test_an_input_that_is_none_by_default_is_no_example():
    assert in_train("net = Net()\ndef step(x=None):\n    assert x is not None\n    return net(x)") == []
    asserted = "def step(width=None):\n    assert width is not None\n    net = Net(width)\n    net(torch.ones(2, 3))"
    assert in_train(asserted) == []
    raised = asserted.replace("assert width is not None", "if width is None:\n        raise ValueError")
    assert in_train(raised) == []
    assert in_train(asserted.replace("None):", "4):")) == [("", "Net(4)(torch.ones(2, 3))")]
    assert in_train("net = Net()\nnet(None)") == [("", "Net()(None)")]


@pytest.mark.parametrize(
    "text",
    [
        "net = Net()\nx = torch.randn(2, 3)\ny = net(x)",
        "net = Net()\nnet(torch.randn(2, 3))",
        "print(Net()(torch.randn(2, 3)).shape)",
        "net = Net().eval()\nnet.eval()\nx = torch.randn(2, 3)\nnet(x)",
        "net = Net()\nnet.load_state_dict(torch.load('w.pt'))\nx = torch.randn(2, 3)\nnet(x)",
        "x = torch.randn(2, 3)\nnet = Net()\nwith torch.no_grad():\n    y = net(x)",
        "net = Net()\nx = torch.randn(2, 3)\nif True:\n    y = net(x)",
        "net = Net()\nx = torch.randn(2, 3)\nfor epoch in range(3):\n    y = net(x)\n    y.sum().backward()",
        "def main():\n    net = Net()\n    x = torch.randn(2, 3)\n    return net(x)",
        "def main():\n    net = Net()\n    net(torch.randn(2, 3))\nif __name__ == '__main__':\n    main()",
        "if __name__ == '__main__':\n    net = Net()\n    net(torch.randn(2, 3))",
        "try:\n    net = Net()\n    net(torch.randn(2, 3))\nexcept ValueError:\n    pass",
        "model: Net = Net()\nout = model(torch.randn(2, 3))",
        "optimizer = None\nnet = Net()\nopt = make_optimizer(net)\nx = torch.randn(2, 3)\nopt.zero_grad()\nnet(x)",
    ],
)
def test_the_same_run_in_many_words(text):
    (only,) = in_train(text)
    assert only in [
        ("", "Net()(torch.randn(2, 3))"),
        ("", "Net().eval()(torch.randn(2, 3))"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "input = torch.randn(2, 3)\nnet = Net()\ny = net(input)",
        "def main():\n    net = Net()\n    input = torch.randn(2, 3)\n    return net(input)",
        "def main():\n    net = Net()\n    for input, type in [(torch.randn(2, 3), 1)]:\n        net(input)",
        "def run(net, input):\n    print(type(input))\n    return net(input)\nrun(Net(), torch.randn(2, 3))",
    ],
)
def test_a_tensor_that_is_called_like_something_of_python(text):
    (only,) = in_train(text)
    assert "torch.randn(2, 3)" in "; ".join(only)
    assert ("input" in only[1]) == ("input" in only[0])


def test_no_call_with_what_is_given_by_nobody():
    assert in_train("def run(input):\n    return Net()(input)") == []
    assert in_train("def run(input):\n    return 1\nnet = Net()\nnet(torch.randn(type(2)(2), 3))") == [
        ("", "Net()(torch.randn(type(2)(2), 3))")
    ]


def test_no_calls():
    assert in_train("net = Net()\nprint(net)\n") == []
    assert in_train("def forward(net, x):\n    return net(x)\n") == []
    assert in_train("net = other.Net()\nnet(torch.randn(2))\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "net = Net()\nx = torch.load('x.pt')\nnet(x)",
        "net = Net()\nx = preprocess(open('x.png').read())\nnet(x)",
        "net = Net()\nnet(undefined)",
        "net = Net()\nwith open('f') as x:\n    net(x)",
        "net = Net()\ncheck = lambda x: net(x)",
        "from .missing import size\nNet()(torch.randn(size))",
        "data = CIFAR(download=True)\nnet = Net()\nfor x, y in data:\n    net(x)",
        "net = Net.from_pretrained('hub/name')\nnet(torch.randn(2))",
        "net = Net()\nfor step in range(9):\n    x = torch.randn(step)\n    loss = net.loss(x)\n    loss.backward()\n"
        "for step in range(9):\n    loss.backward()\n    x = x + loss\nnet(x)",
    ],
)
def test_what_cannot_be_cut_out(text):
    assert in_train(text) == []


def test_forward_called_directly():
    assert in_train("net = Net()\nnet.forward(torch.randn(2))") == [("", "Net().forward(torch.randn(2))")]


def test_imports_of_the_caller_come_along_where_the_model_has_none():
    (only,) = in_train("import numpy as np\nNet()(torch.from_numpy(np.zeros((2, 3))))")
    assert only == ("import numpy as np", "Net()(torch.from_numpy(np.zeros((2, 3))))")


def test_constants_and_helpers_come_along():
    ((setup, call),) = in_train("""
        SIZE = 3
        def batch(n):
            return torch.randn(n, SIZE)
        def main():
            net = Net(SIZE)
            net(batch(2))
    """)
    assert setup == "SIZE = 3\n\ndef batch(n):\n    return torch.randn(n, SIZE)"
    assert call == "Net(SIZE)(batch(2))"


def test_helpers_below_their_use_and_recursive_ones():
    ((setup, _),) = in_train("""
        def main():
            Net()(batch(2))
        def batch(n):
            return torch.randn(n, SIZE) if n < 3 else batch(n - 1)
        SIZE = 3
    """)
    assert "SIZE = 3" in setup


def test_mutations_of_what_is_needed():
    ((setup, call),) = in_train("""
        class Options: pass
        options = Options()
        options.width = 5
        other = Options()
        other.width = 6
        sizes = []
        sizes.append(2)
        net = Net(options.width)
        net.head = torch.nn.Linear(3, 4)
        x = torch.zeros(sizes)
        x[0] = 1
        net(x)
    """)
    assert setup.splitlines() == [
        "class Options:",
        "    pass",
        "options = Options()",
        "options.width = 5",
        "sizes = []",
        "sizes.append(2)",
        "net = Net(options.width)",
        "net.head = torch.nn.Linear(3, 4)",
        "x = torch.zeros(sizes)",
        "x[0] = 1",
    ]
    assert call == "net(x)"


def test_only_what_leads_to_the_call():
    (only,) = in_train("""
        net = Net(1)
        net = Net(2)
        x = torch.randn(1)
        x = torch.randn(2)
        net(x)
        x = torch.randn(3)
    """)
    assert only == ("", "Net(2)(torch.randn(2))")


def test_branches():
    ((setup, call),) = in_train("""
        if torch.cuda.is_available():
            device = "cuda"
            print(device)
        else:
            device = "cpu"
        net = Net().to(device)
        net(torch.randn(2, device=device))
    """)
    assert (
        setup
        == ("if torch.cuda.is_available():\n    device = 'cuda'\nelse:\n    device = 'cpu'\nnet = Net().to(device)")
        or call == "Net().to(device)(torch.randn(2, device=device))"
    )


@pytest.mark.parametrize(
    ("loop", "values"),
    [
        ("for n in range(2, 9):\n    net(torch.randn(n))", ["next(iter(range(2, 9)))"]),
        ("for n in [2, 3]:\n    net(torch.randn(n))", ["2", "3"]),
        ("ys = [net(torch.randn(n)) for n in (2, 3)]", ["2", "3"]),
        ("for m, n in [(1, 2), (1, 3)]:\n    net(torch.randn(n))", ["2", "3"]),
    ],
)
def test_loop_variables(loop, values):
    found = in_train(f"net = Net()\n{loop}\n")
    made = [f"{setup}\n{call}" for setup, call in found]
    assert len(made) == len(values)
    assert all(value in one for value, one in zip(values, made, strict=True))


def test_each_class_of_a_loop():
    other = NET.replace("class Net", "class Other")
    space = workspace(
        {"model.py": f"{NET}{other}def test():\n    for cls in (Net, Other):\n        cls()(torch.ones(1))"}
    )
    assert [one.target for one in found(space, "call")] == ["Net", "Other"]


def test_lists_filled_by_a_loop():
    ((setup, call),) = in_train("""
        xs = []
        for n in range(3):
            xs.append(torch.randn(n))
            print(n)
        Net()(xs)
    """)
    assert setup == "xs = []\nfor n in range(3):\n    xs.append(torch.randn(n))"
    assert call == "Net()(xs)"


def test_parameters_from_the_callers():
    (only,) = in_train("""
        def evaluate(model, x, scale=2):
            return model(x * scale)
        def main():
            net = Net()
            evaluate(net, torch.randn(2, 3))
        main()
    """)
    setup, call = only
    assert setup.splitlines()[:1] == ["net = Net()"] or "Net()" in call
    assert "torch.randn(2, 3)" in setup + call


def test_parameters_of_a_method_that_an_instance_is_called_with():
    (only,) = in_train("""
        class Trainer:
            def __init__(self, model, scale):
                self.model, self.scale = model, scale

            def step(self, batch):
                return self.model(batch[:, :2] * self.scale)

        if __name__ == "__main__":
            trainer = Trainer(Net(), scale=2)
            trainer.step(torch.randn(2, 3))
    """)
    text = "\n".join(only)
    assert "Net()" in text
    assert "torch.randn(2, 3)" in text
    assert "2" in text.rpartition("*")[2] or "scale = 2" in text


def test_parameters_from_their_defaults():
    (only,) = in_train("def run(n=2):\n    return Net()(torch.randn(n))")
    assert only == ("", "Net()(torch.randn(2))")


def test_command_line_defaults():
    ((setup, call),) = in_train("""
        import argparse
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--width", type=int, default=5)
            args = parser.parse_args()
            net = Net(args.width)
            net(torch.randn(args.width))
    """)
    assert setup == (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--width', type=int, default=5)\nargs = parser.parse_args([])"
    )
    assert call == "Net(args.width)(torch.randn(args.width))"


def test_loaders_work_in_the_same_process():
    ((setup, call),) = in_train("""
        from torch.utils.data import DataLoader, TensorDataset
        data = TensorDataset(torch.randn(8, 3))
        loader = DataLoader(data, batch_size=2, num_workers=4, pin_memory=True)
        net = Net()
        for (x,) in loader:
            net(x)
    """)
    assert "loader = DataLoader(data, batch_size=2)" in setup
    assert "x, = next(iter(loader))" in setup
    assert call == "net(x)" or call == "Net()(x)"


@pytest.mark.parametrize(
    "text",
    [
        "net = build()\nnet(torch.randn(2))",
        "build()(torch.randn(2))",
    ],
)
def test_builders(text):
    assert in_train(text) == [("", "build()(torch.randn(2))")]


def test_builders_of_other_files():
    files = {
        "pkg/__init__.py": "",
        "pkg/model.py": NET,
        "pkg/zoo.py": "from .model import Net\ndef small():\n    return Net(1)\n",
        "run.py": "import torch\nfrom pkg.zoo import small\nnet = small()\nnet(torch.randn(2))\n",
    }
    assert calls(files, "pkg/model.py") == [("from pkg.zoo import small", "small()(torch.randn(2))")]


def test_relative_imports_are_made_absolute():
    files = {
        "pkg/__init__.py": "from .model import Net\n",
        "pkg/model.py": NET,
        "pkg/sizes.py": "WIDTH = 3\n",
        "pkg/demo.py": "import torch\nfrom . import Net, sizes\nfrom .sizes import WIDTH as W\n"
        "Net(W)(torch.randn(sizes.WIDTH))\n",
    }
    assert calls(files, "pkg/model.py") == [
        ("from pkg import sizes\nfrom pkg.sizes import WIDTH as W", "Net(W)(torch.randn(sizes.WIDTH))")
    ]


@pytest.mark.parametrize(
    ("head", "call", "setup"),
    [
        ("from model import *", "Net()(torch.randn(2))", ""),
        ("import model", "model.Net()(torch.randn(2))", "import model"),
        ("import model as m", "m.Net()(torch.randn(2))", "import model as m"),
        ("from model import Net as N", "N()(torch.randn(2))", "N = Net"),
    ],
)
def test_ways_to_import(head, call, setup):
    files = {"model.py": NET, "train.py": f"import torch\n{head}\n{call}\n"}
    ((got_setup, got_call),) = calls(files)
    assert (got_setup, got_call) in [(setup, call), ("", call.replace("N(", "Net("))]


def test_an_attribute_comes_from_no_import():
    files = {
        "model.py": NET,
        "train.py": "from elsewhere import *\nfrom model import Net\nclass Trainer(Base):\n    def __init__(self):\n"
        "        self.network = Net()\n    def prepare(self):\n        self.network(torch.randn(self.width))\n",
    }
    assert calls(files) == []


def test_same_file():
    source = NET + dedent("""
        SIZE = 2

        def check():
            net = Net(SIZE)
            net(torch.randn(SIZE))

        if __name__ == "__main__":
            size = 7
            net = Net()
            net(torch.randn(size, SIZE))
    """)
    assert calls(source) == [
        ("", "Net()(torch.randn(7, SIZE))"),
        ("", "Net(SIZE)(torch.randn(SIZE))"),
    ]


def test_same_file_at_module_level_does_not_use_what_the_run_left_behind():
    source = NET + "x = torch.randn(2)\nnet = Net()\nx = net(x)\n"
    assert calls(source) == [("", "Net()(torch.randn(2))")]


def test_calls_inside_other_modules_are_their_parents_business():
    files = {
        "model.py": NET,
        "big.py": dedent("""
            import torch
            from torch import nn
            from model import Net
            class Big(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.net = Net()
                    self.net(torch.randn(2))
                def forward(self, x):
                    return Net()(x)
        """),
    }
    assert calls(files) == []


def test_a_test_case_with_its_set_up():
    files = {
        "model.py": NET,
        "test_model.py": dedent("""
            import unittest
            import torch
            from model import Net

            class NetTest(unittest.TestCase):
                size = 3

                def setUp(self):
                    self.net = Net(self.size)
                    self.unused = open("x")
                    self.batch = self.make(2)

                def make(self, n):
                    return torch.randn(n, self.size)

                def test_shape(self):
                    y = self.net(self.batch)
                    self.assertEqual(y.shape, (2, 3))
        """),
    }
    ((setup, call),) = calls(files)
    assert setup.splitlines() == [
        "self_size = 3",
        "",
        "def self_make(n):",
        "    return torch.randn(n, self_size)",
        "self_net = Net(self_size)",
    ] or call.startswith("Net(self_size)(")
    assert "self_make(2)" in setup + call


def test_fixtures_and_parameters_of_tests():
    files = {
        "model.py": NET,
        "tests/test_model.py": dedent("""
            import pytest
            import torch
            from model import Net

            @pytest.fixture
            def width():
                return 3

            @pytest.fixture()
            def net(width):
                yield Net(width)

            @pytest.mark.parametrize("n", [2, 5])
            @pytest.mark.parametrize("flag, size", [pytest.param(True, 4, id="x"), (False, 5)])
            def test_shape(net, n, flag, size):
                assert net(torch.randn(n, size)) is not None
        """),
    }
    (setup, call), (other, again) = calls(files)
    assert "width = width()" in setup
    assert "return Net(width)" in setup
    assert "(True, 4)" in setup
    assert "(False, 5)" in other
    assert "pytest" not in setup
    assert call.startswith("net(torch.randn(2, ")
    assert again.startswith("net(torch.randn(5, ")


def test_configuration_objects():
    files = {
        "model.py": NET + "class Config:\n    width = 3\n",
        "train.py": "import torch\nfrom model import Config, Net\nconfig = Config()\nconfig.width = 5\n"
        "Net(config.width)(torch.randn(2))\n",
    }
    assert calls(files) == [("config = Config()\nconfig.width = 5", "Net(config.width)(torch.randn(2))")]


def test_best_first():
    files = {
        "model.py": NET + "if __name__ == '__main__':\n    Net()(torch.randn(1))\n",
        "other.py": "import torch\nfrom model import Net\nNet()(torch.randn(4))\n",
        "train.py": "import torch\nfrom model import *\nn = 3\nn += 1\nNet()(torch.randn(n))\nNet()(torch.randn(3))\n",
        "tests/test_model.py": "import torch\nfrom model import Net\ndef test():\n    Net()(torch.randn(2))\n",
    }
    assert [call for _, call in calls(files)] == [
        "Net()(torch.randn(1))",
        "Net()(torch.randn(2))",
        "Net()(torch.randn(3))",
        "Net()(torch.randn(n))",
        "Net()(torch.randn(4))",
    ]


def test_the_place_of_the_call():
    space = workspace(
        {"model.py": NET, "train.py": "import torch\nfrom model import Net\nnet = Net()\ny = net(torch.ones(2))\n"}
    )
    (example,) = found(space, "call")
    assert (example.scope, example.target) == ("/w/model.py", "Net")
    assert example.span is not None
    assert (example.span.path, example.span.line) == ("/w/train.py", 4)
    assert marked(space, example.span) == "net(torch.ones(2))"


def test_excluded_files_are_not_searched():
    space = workspace({"model.py": NET, "old/run.py": "import torch\nfrom model import Net\nNet()(torch.ones(2))\n"})
    assert found(space, "call")
    assert not found(space, "call", config=Config(exclude=("old/**",)))


@pytest.mark.parametrize(
    "text",
    [
        "net = net(net)",
        "x = " + "+".join(["1"] * 3000) + "\nNet()(x)",
        "x = f" + "()" * 90 + "\nNet()(x)",
        "async def f():\n    x = await g()\n    y = await h(Net()(x))",
        "def f():\n    x = yield\n    Net()(x)",
        "def f(x):\n    return f(x)\nNet()(f(1))",
        "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nf(Net())(2)",
        "a = b\nb = a\na(torch.randn(2))",
        "net = Net()\nnet = net\nnet(*xs, **kw)",
        "net, = Net(),\nnet()",
        "async def f():\n    net = Net()\n    async for x in y:\n        net(x)",
        "match Net():\n    case net:\n        net(torch.randn(2))",
    ],
)
def test_odd_code_raises_nothing(text):
    in_train(text)
