"""What a test runner, a loop or a command line gives to the functions that call a model."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.analysis.workspaces import NET, found, workspace

HEAD = "from contextlib import nullcontext\nimport torch\nimport pytest\nimport model\nfrom model import Net\n"


def calls(text: str, **more: str) -> list[tuple[str, str]]:
    """Examples from `tests/test_model.py`; other files by name, `__` for a slash."""
    others = {f"{name.replace('__', '/')}.py": dedent(body) for name, body in more.items()}
    space = workspace({"model.py": NET, "tests/test_model.py": HEAD + dedent(text), **others})
    return [(example.setup, example.call) for example in found(space, "call")]


def test_a_call_that_ought_to_fail_is_no_example():
    text = """
        class Tests(unittest.TestCase):
            def test_sizes(self):
                with self.assertRaisesRegex(RuntimeError, "size"):
                    Net(4)(torch.ones(2, 3))
        def test_more():
            with pytest.raises(RuntimeError):
                Net(4)(torch.ones(2, 5))
            with torch.no_grad():
                Net(4)(torch.ones(2, 4))
    """
    assert calls(text) == [("", "Net(4)(torch.ones(2, 4))")]


def test_fixtures_of_a_conftest():
    conftest = """
        import torch
        import pytest
        from model import Net
        SIZE = 5
        @pytest.fixture
        def width():
            return 4
        @pytest.fixture
        def net(width):
            return Net(width)
        @pytest.fixture(scope="session")
        def batch():
            yield torch.randn(2, SIZE)
    """
    ((setup, call),) = calls("def test_shape(net, batch):\n    assert net(batch).ndim", tests__conftest=conftest)
    assert "SIZE = 5" in setup
    assert "def net(width):\n    return Net(width)" in setup
    assert call == "net(width)(batch)"


def test_a_conftest_further_up_for_tests_that_never_name_the_model():
    files = {
        "model.py": NET,
        "conftest.py": "import pytest\nfrom model import Net\n@pytest.fixture\ndef net():\n    return Net(2)\n",
        "tests/unit/test_shape.py": "import torch\ndef test_shape(net):\n    net(torch.ones(1, 2))\n",
        "other/test_shape.py": "import torch\ndef test_shape(nets):\n    nets(torch.ones(1, 2))\n",
    }
    ((setup, call),) = [(e.setup, e.call) for e in found(workspace(files), "call")]
    assert setup == "def net():\n    return Net(2)"
    assert call == "net()(torch.ones(1, 2))"


def test_a_fixture_with_parameters():
    text = """
        @pytest.fixture(params=[2, 3])
        def net(request):
            return Net(request.param)
        def test_shape(net):
            net(torch.ones(1))
    """
    expected = [(f"def net():\n    return Net({size})", "net()(torch.ones(1))") for size in (2, 3)]
    assert calls(text) == expected


@pytest.mark.parametrize(
    ("decorators", "expected"),
    [
        ("@pytest.mark.parametrize('n', [2, 3])", ["2", "3"]),
        ("@pytest.mark.parametrize(argnames='n', argvalues=(2, 3))", ["2", "3"]),
        ("@pytest.mark.parametrize('n', [2, pytest.param(3, marks=pytest.mark.xfail), 4])", ["2", "4"]),
        ("@pytest.mark.parametrize('n', list(range(9)))", []),
        ("@pytest.mark.parametrize('n', [1, 2, 3, 4, 5, 6])", ["1", "2", "3", "4"]),
        ("@pytest.mark.parametrize('m', [7, 8, 9])\n@pytest.mark.parametrize('n', [2, 3])", ["2", "3"]),
        ("@pytest.mark.xfail\n@pytest.mark.parametrize('n', [2, 3])", []),
    ],
)
def test_each_value_of_a_test(decorators, expected):
    examples = calls(f"{decorators}\ndef test(n):\n    Net(n)(torch.ones(1))")
    assert [call for _, call in examples] == [f"Net({value})(torch.ones(1))" for value in expected]


def test_a_value_with_which_a_test_is_to_fail():
    rows = "[(2, nullcontext()), (3, pytest.raises(ValueError)), (4, nullcontext())]"
    text = f"@pytest.mark.parametrize('n, outcome', {rows})\n"
    examples = calls(f"{text}def test(n, outcome):\n    with outcome:\n        Net(n)(torch.ones(1))")
    assert [setup.splitlines()[-1] for setup, _ in examples] == [f"n, outcome = ({n}, nullcontext())" for n in (2, 4)]


def test_a_test_that_leaves_values_out():
    text = "@pytest.mark.parametrize('n', [2, 3])\ndef test(n):\n    if n == 3:\n        pytest.skip('no')\n"
    assert [call for _, call in calls(text + "    Net(n)(torch.ones(1))")] == ["Net(2)(torch.ones(1))"]


def test_each_class_that_a_test_is_given():
    text = "class Other(Net):\n    pass\n@pytest.mark.parametrize('cls', [Net, Other])\n"
    text += "def test(cls):\n    cls()(torch.ones(2))\n"
    space = workspace({"model.py": f"import pytest\n{NET}{text}"})
    assert [one.target for one in found(space, "call")] == ["Net", "Other"]


@pytest.mark.parametrize(
    "text",
    [
        "def test():\n    with pytest.raises(RuntimeError):\n        Net()(torch.ones(2))",
        "def test():\n    net = Net()\n    with torch.no_grad(), pytest.raises(RuntimeError, match='x'):\n"
        "        net(torch.ones(2))",
        "class Test:\n    def test(self):\n        with self.assertRaises(OSError):\n            Net()(torch.ones(2))",
        "class Test:\n    @unittest.expectedFailure\n    def test(self):\n        Net()(torch.ones(2))",
    ],
)
def test_what_is_to_fail_is_no_example(text):
    assert calls(text) == []
    for failing, fine in {"raises(": "warns(", "assertRaises": "subTest", "expectedFailure": "case"}.items():
        text = text.replace(failing, fine)
    assert calls(text) != []


def test_names_that_mean_two_things_are_not_mixed():
    conftest = "import pytest\nfrom model import Net\nSIZE = 5\n@pytest.fixture\ndef net():\n    return Net(SIZE)\n"
    assert calls("SIZE = 6\ndef test(net):\n    net(torch.ones(SIZE))\n", tests__conftest=conftest) == []


@pytest.mark.parametrize(
    "text",
    [
        "@pytest.mark.parametrize('cls', [Net])\ndef test(cls):\n    cls()(torch.ones(2))",
        "@pytest.mark.parametrize('cls, n', [(Net, 2), (Net, 3)])\ndef test(cls, n):\n    cls()(torch.ones(n))",
        "@pytest.mark.parametrize('name', ['Net'])\ndef test(name):\n    getattr(model, name)()(torch.ones(2))",
        "def test():\n    for cls in (Net,):\n        net = cls()\n        net(torch.ones(2))",
        "def test():\n    for cls, n in [(Net, 2)]:\n        cls()(torch.ones(n))",
        "def test():\n    for i, net in enumerate([Net()]):\n        net(torch.ones(2))",
        "def test():\n    for net, x in zip([Net()], [torch.ones(2)]):\n        net(x)",
        "NETS = {'net': Net}\ndef test():\n    NETS['net']()(torch.ones(2))",
        "def check(cls):\n    cls()(torch.ones(2))\ndef test():\n    check(Net)",
        "def check(net, x):\n    net(x)\ndef test():\n    check(Net(), torch.ones(2))",
        "class Test:\n    cls = Net\n    def test(self):\n        self.cls()(torch.ones(2))",
        "class Test:\n    classes = (Net,)\n    def test(self):\n        for c in self.classes:\n"
        "            c()(torch.ones(2))",
        "class Test:\n    def check(self, net, x):\n        net(x)\n    def test(self):\n"
        "        self.check(Net(), torch.ones(2))",
        "class Trainer:\n    def __init__(self, net, n):\n        self.net, self.n = net, n\n"
        "    def run(self):\n        self.net(torch.ones(self.n))\nTrainer(Net(), 2).run()",
        "class Trainer:\n    def __init__(self, net):\n        self.net = net\n"
        "    def run(self, x):\n        self.net(x)\n    def fit(self):\n        self.run(torch.ones(2))\n"
        "def main():\n    trainer = Trainer(Net())\n    trainer.fit()",
        "from functools import partial\nmake = partial(Net, 3)\nmake()(torch.ones(2))",
        "def test():\n    from model import Net as N\n    N()(torch.ones(2))",
    ],
)
def test_the_class_is_given(text):
    first = calls(text)[0]
    assert "Net" in "".join(first)
    assert "torch.ones(" in "".join(first)


@pytest.mark.parametrize(
    "text",
    [
        "def test(net):\n    net(torch.ones(2))",
        "@pytest.mark.parametrize('cls', classes())\ndef test(cls):\n    cls()(torch.ones(2))",
        "for cls in classes():\n    cls()(torch.ones(2))",
        "class Trainer:\n    def __init__(self, net):\n        self.net = net\n    def run(self):\n"
        "        self.net(torch.ones(2))",
        "def test(tmp_path):\n    Net()(torch.ones(tmp_path))",
    ],
)
def test_nobody_says_what_it_is(text):
    assert calls(text) == []


def test_a_command_line_that_wants_arguments():
    text = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("data")
        parser.add_argument("--width", type=int, default=5)
        parser.add_argument("--out", required=True)
        def main():
            args = parser.parse_args()
            Net(args.width)(torch.ones(args.width))
    """
    ((setup, call),) = calls(text)
    assert "parser.add_argument('data', nargs='?')" in setup
    assert "required" not in setup
    assert call == "Net(args.width)(torch.ones(args.width))"


def test_options_of_a_command():
    text = """
        import click
        @click.command()
        @click.option("--batch-size", "-b", default=4)
        @click.option("--width", default=5)
        def main(batch_size, width):
            Net(width)(torch.ones(batch_size))
    """
    assert calls(text) == [("", "Net(5)(torch.ones(4))")]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("from torch.nn.parallel import DistributedDataParallel as DDP\nnet = DDP(Net(), device_ids=[0])", "Net()"),
        ("net = torch.nn.parallel.DistributedDataParallel(Net())", "Net()"),
        ("net = torch.nn.Sequential(Net(), torch.nn.ReLU())", "torch.nn.Sequential(Net(), torch.nn.ReLU())"),
        ("net = torch.compile(model=Net())", "torch.compile(model=Net())"),
    ],
)
def test_wrapped(text, call):
    assert calls(f"{text}\nnet(torch.ones(2))") == [("", f"{call}(torch.ones(2))")]
