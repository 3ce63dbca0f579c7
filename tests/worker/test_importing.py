"""Files whose import fails for want of something that is not here: the rest of them is there all the same."""

from pathlib import Path

import pytest

from tests.worker.tracing import annotated, trace

LACKS = [
    'data = open("/no/such/file").read()',
    'import os\nname = os.environ["NO_SUCH_VARIABLE"]',
    'import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("data")\nargs = parser.parse_args()',
    'from urllib.request import urlopen\nurlopen("http://127.0.0.1:9/data")',
]
NET = """

class Net(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        return y

after = Net()(data)
"""


@pytest.mark.parametrize("lacks", LACKS)
def test_classes_are_there_where_data_or_arguments_are_not(tmp_path: Path, lacks: str):
    reply = trace(tmp_path, f"import torch\n{lacks}\n{NET}", "Net()(f32[2, 3])")
    assert reply.failure is None
    assert "y⟦f32[2, 3]⟧ = x * 2" in annotated(reply, tmp_path / "model.py")


def test_what_the_import_failed_with_is_said_where_the_class_is_not_there(tmp_path: Path):
    source = "import torch\nif open('/no/such/file'):\n    class Net(torch.nn.Module): pass\n"
    failure = trace(tmp_path, source, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert (failure.stage, failure.error) == ("import", "FileNotFoundError")


@pytest.mark.parametrize("wrong", ["import no_such_module", "torch.ones(2) @ torch.ones(3)", "x = 1 + None", "x = nme"])
def test_what_is_wrong_with_the_code_ends_the_import(tmp_path: Path, wrong: str):
    failure = trace(tmp_path, f"import torch\n{wrong}\n{NET}", "Net()(f32[2, 3])").failure
    assert failure is not None
    assert failure.stage == "import"


@pytest.mark.parametrize(("beside", "fails"), [("vision/data.py", False), ("/data.py", True)])
def test_a_package_beside_torch_is_not_torch(tmp_path: Path, beside: str, fails: bool):
    text = "raise RuntimeError('Dataset not found')"
    path = f"os.path.dirname(torch.__file__) + {beside!r}"
    source = f"import os, torch\nexec(compile({text!r}, {path}, 'exec'))\n{NET}"
    assert (trace(tmp_path, source, "Net()(f32[2, 3])").failure is not None) is fails
