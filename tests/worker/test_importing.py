"""Files whose import fails for want of something that is not here: the rest of them is there all the same."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fx_lsp.model.example import PROGRAM
from fx_lsp.model.failure import Failure
from fx_lsp.worker.background import in_the_background
from tests.worker.tracing import annotated, trace

LACKS = [
    'data = open("/no/such/file").read()',
    'import os\nname = os.environ["NO_SUCH_VARIABLE"]',
    'import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("data")\nargs = parser.parse_args()',
    'from urllib.request import urlopen\nurlopen("http://127.0.0.1:9/data")',
    'import glob\npictures = torch.stack([torch.zeros(2) for path in glob.glob("pictures/*.jpg")])',
    'import pathlib\nall(pathlib.Path("/no/such/folder").iterdir())\nraise RuntimeError("no pictures")',
    'import pathlib\nfirst = sorted(pathlib.Path("/no/such/folder").glob("*.jpg"))[0]',
    "try:\n    import no_such_package\nexcept ImportError:\n    raise ImportError('install no_such_package')",
]
NET = """

class Net(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        return y

after = Net()(data)
"""
ALONE = NET.partition("after")[0]


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


@pytest.mark.parametrize(
    "wrong",
    [
        "from . import other",
        "import circle\nfrom model import Net",
        "torch.ones(2) @ torch.ones(3)",
        "x = 1 + None",
        "x = nme",
        "import glob\nfor path in glob.glob('pictures/*.jpg'): pass\nx = nme",
        "import os\nx = torch.ones(2).view(3) if os.listdir() else 0",
        "import pathlib\nif not pathlib.Path('out').is_dir():\n    raise ValueError('heads must divide')",
    ],
)
def test_what_is_wrong_with_the_code_ends_the_import(tmp_path: Path, wrong: str):
    (tmp_path / "other.py").write_text("m = 2\n")
    (tmp_path / "circle.py").write_text("from model import Net\n")
    failure = trace(tmp_path, f"import torch\n{wrong}\n{NET}", "Net()(f32[2, 3])").failure
    assert failure is not None
    assert failure.stage == "import"


@pytest.mark.parametrize(("beside", "fails"), [("vision/data.py", False), ("/data.py", True)])
def test_a_package_beside_torch_is_not_torch(tmp_path: Path, beside: str, fails: bool):
    text = "raise RuntimeError('Dataset not found')"
    path = f"os.path.dirname(torch.__file__) + {beside!r}"
    source = f"import os, torch\nexec(compile({text!r}, {path}, 'exec'))\n{NET}"
    assert (trace(tmp_path, source, "Net()(f32[2, 3])").failure is not None) is fails


MISSING = [
    "import no_such_package",
    "import no_such_package.part as part, math",
    "from no_such_package import thing, other",
    "from no_such_package.part import *",
    "import no_such_package\nno_such_package.configure(2)",
    "import no_such_package\nclass Other(no_such_package.Base): pass",
    "import no_such_package\ndef f(x: no_such_package.Thing['n'] | None = None) -> no_such_package.Thing: ...",
    "import no_such_package\n@no_such_package.registered('net')\ndef f(): ...",
    "import no_such_package\nok = not isinstance(2, no_such_package.Thing)\nassert ok",
    "from torch.utils import no_such_name, data\ndata.DataLoader",
    "from other import no_such_name, m\nassert m == 2",
    "import other.part",
]


def test_what_a_module_that_makes_its_names_has_not_is_told_to_nobody(tmp_path: Path):
    (tmp_path / "lazy.py").write_text("def __getattr__(name):\n    raise AttributeError(name)\n")
    reply = trace(tmp_path, f"import torch\nfrom lazy import tiny\n{NET}", "Net()(f32[2, 3])")
    assert (reply.failure, reply.missing) == (None, ())


@pytest.mark.parametrize("missing", MISSING)
def test_classes_are_there_where_a_package_is_not(tmp_path: Path, missing: str):
    (tmp_path / "other.py").write_text("m = 2\n")
    source = f"import torch\n{missing}\n{NET}"
    reply = trace(tmp_path, source, "Net()(f32[2, 3])")
    assert reply.failure is None
    assert "y⟦f32[2, 3]⟧ = x * 2" in annotated(reply, tmp_path / "model.py")
    assert [(one.error, one.span and one.span.line) for one in reply.missing] == [
        ("ImportError" if "no_such_name" in missing else "ModuleNotFoundError", 2)
    ]


@pytest.mark.parametrize("base", ["BaseException", "AttributeError"])
def test_a_package_that_cannot_be_imported_is_not_there(tmp_path: Path, base: str):
    """One for other versions of what it uses, or that panics in compiled code, with what is no `Exception`."""
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "ended.py").write_text(f"class Panic({base}): ...\nraise Panic('no thread')\n")
    (tmp_path / "site-packages" / "using.py").write_text("import ended\n")
    found = f"import sys, torch\nsys.path.append({str(tmp_path / 'site-packages')!r})"
    source = f"{found}\nfrom using import frames, other\ndef read(x: frames.Frame): ...\n{NET}"
    reply = trace(tmp_path, source, "Net()(f32[2, 3])")
    assert reply.failure is None
    assert "y⟦f32[2, 3]⟧ = x * 2" in annotated(reply, tmp_path / "model.py")
    assert [(one.error, one.span and one.span.line) for one in reply.missing] == [("Panic", 3)]


@pytest.mark.parametrize(
    ("wrong", "proven"),
    [
        ("from other import no_such_name", True),
        ("import other.part\nassert other.m == 2", True),
        ("from pack import no_such_name", True),
        ("from pack.inner import no_such_name", True),
        ("from far import no_such_name", False),  # another one may come first where it is meant to run
        ("import no_such_package", False),
        ("from torch.utils import no_such_name", False),
    ],
)
def test_what_a_file_beside_does_not_have_fails_everywhere(tmp_path: Path, wrong: str, proven: bool):
    (tmp_path / "other.py").write_text("m = 2\n")
    (tmp_path / "pack").mkdir()
    for name in ("__init__", "inner"):
        (tmp_path / "pack" / f"{name}.py").write_text("m = 2\n")
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "far.py").write_text("m = 2\n")
    found = f"import sys, torch\nsys.path.append({str(tmp_path / 'away')!r})"
    reply = trace(tmp_path, f"{found}\n{wrong}\n{NET}", "Net()(f32[2, 3])")
    assert reply.failure is None
    assert [one.proven for one in reply.missing] == [proven]


def test_another_file_goes_on_without_its_package_too(tmp_path: Path):
    (tmp_path / "other.py").write_text("import no_such_package\nn = 3\nno_such_package.log(n)\n")
    reply = trace(tmp_path, f"import torch\nfrom other import n\n{NET}", "Net()(torch.ones(2, n))")
    assert reply.failure is None
    assert reply.missing[0].span is not None
    assert reply.missing[0].span.path == str(tmp_path / "other.py")


def test_what_a_package_would_do_is_not_made_up(tmp_path: Path):
    source = f"import torch\nfrom no_such_package import rearrange\n{NET}".replace(
        "x * 2", "rearrange(x, 'a b -> b a')"
    )
    failure = trace(tmp_path, source, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert failure.message == "ModuleNotFoundError: No module named 'no_such_package'"
    assert failure.span is not None
    assert failure.span.line == 7


TOLD = """
import no_such_package
writer = no_such_package.Writer("runs", settings={"steps": [10]})
with no_such_package.session(name="first") as session:
    session.start()
class Net(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        writer.add_histogram("y", y)
        no_such_package.log({"y": y.mean()}, step=1)
        return y
"""


def test_a_package_that_is_only_told_things_is_not_needed(tmp_path: Path):
    reply = trace(tmp_path, f"import torch\n{TOLD}", "Net()(f32[2, 3])")
    assert reply.failure is None
    assert "y⟦f32[2, 3]⟧ = x * 2" in annotated(reply, tmp_path / "model.py")


@pytest.mark.parametrize(
    "needed",
    [
        "y = no_such_package.rotated(x)",
        "y = no_such_package.rotated([{'x': x}])",
        "y = x.view(no_such_package.size(3))",
        "y = torch.tensor([no_such_package.size(3)])",
        "y = torch.nn.Linear(3, no_such_package.size(3))(x)",
        "y = torch.nn.Sequential(no_such_package.Rearrange('b c'), torch.nn.ReLU())(x)",
        "y = x * no_such_package.factor(2)",
        "y = x if no_such_package.flag('x') else x[0]",
        "y = no_such_package.checked(lambda: x)()",
        "y, z = no_such_package.sizes(3)",
    ],
)
def test_nothing_is_made_of_what_a_package_would_give(tmp_path: Path, needed: str):
    source = f"import torch\nimport no_such_package\n{NET}".replace("y = x * 2", needed)
    failure = trace(tmp_path, source, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert failure.message == "ModuleNotFoundError: No module named 'no_such_package'"
    assert failure.operation is None
    assert not failure.proven


def test_a_package_that_the_code_can_do_without_is_not_there(tmp_path: Path):
    guarded = "try:\n    import no_such_package\nexcept ImportError:\n    no_such_package = None\n"
    source = f"import torch\n{guarded}import no_such_thing\nassert no_such_package is None\n{NET}"
    assert trace(tmp_path, source, "Net()(f32[2, 3])").failure is None


def test_statements_behind_one_that_fails_are_run(tmp_path: Path):
    source = f"import torch\nm = 1\ndata = open('/no/such/file')\nn = 3\n{NET}"
    assert trace(tmp_path, source, "Net()(torch.ones(m, n))").failure is None


REQUIRED = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--size", type=int, required=True)
parser.add_argument("--width", type=int, default=3)
one = parser.add_mutually_exclusive_group(required=True)
one.add_argument("--train", action="store_true")
args = parser.parse_args()
assert (args.data, args.size, args.train) == (None, None, False)
"""


def test_arguments_that_are_required_are_none(tmp_path: Path):
    reply = trace(tmp_path, f"import torch\n{REQUIRED}\n{NET}", "Net()(torch.ones(2, args.width))")
    assert reply.failure is None


def test_what_other_files_lack_for_want_of_a_package_ends_no_import(tmp_path: Path):
    lost = "import no_such_package\n@no_such_package.checked\ndef f(): ...\nn = 3\n"
    (tmp_path / "lost.py").write_text(lost)
    (tmp_path / "other.py").write_text("from lost import f, n\nclass Kept: ...\nf()\nimport lost\nlost.f()\nm = n\n")
    source = f"import torch\nfrom other import m, Kept\n{NET}"
    reply = trace(tmp_path, source, "Net()(torch.ones(2, m))")
    assert reply.failure is None
    assert [one.span and one.span.path for one in reply.missing] == [str(tmp_path / "lost.py")]


def failing(folder: Path, done: str, beside: str = "width = 2\n", engine: str = "fake") -> Failure:
    """Of a model that does this first, with what is in `sizes.py` beside it."""
    (folder / "sizes.py").write_text(beside)
    source = f"import einops\nimport sizes\nimport torch\n{ALONE}".replace("y = x * 2", f"{done}\n        y = x * 2")
    failure = trace(folder, source, "Net()(torch.ones(2, 3))", engine=engine).failure
    assert failure is not None
    return failure


def test_what_a_file_beside_lacks_is_told_of_it(tmp_path: Path):
    beside = "import json\nwidth = json.load(open('/no/such/sizes.json'))['width']\ndef height(): return 2\n"
    failure = failing(tmp_path, "x * sizes.width", beside)
    assert (failure.error, failure.proven) == ("FileNotFoundError", False)
    assert failure.span is not None
    assert failure.span.path == str(tmp_path / "sizes.py")
    failure = failing(tmp_path, "x * sizes.hieght()", beside)
    assert (failure.error, failure.proven) == ("AttributeError", True)


def test_a_name_that_a_whole_file_beside_has_not_is_wrong(tmp_path: Path):
    failure = failing(tmp_path, "x * sizes.widht")
    assert (failure.error, failure.proven) == ("AttributeError", True)


@pytest.mark.parametrize(
    ("wanted", "proven"),
    [
        ("raise ImportError('install no_such_package to use this')", False),
        ("import no_such_package", False),
        ("from torch import no_such_name", True),
        ("from sizes import widht", True),
        ("from .. import sizes", True),
    ],
)
def test_a_model_that_wants_to_import_something(tmp_path: Path, wanted: str, proven: bool):
    assert failing(tmp_path, wanted).proven == proven


@pytest.mark.parametrize(
    ("asked", "proven"),
    [
        ("einops.rearange(x, 'a b -> b a')", True),
        ("einops.whatever_it_was_called_before(x)", False),
        ("einops.EinopsError.whatever_it_was_called_before(x)", False),
        ("torch.whatever_it_was_called_before(x)", True),
        ("sizes.whatever_it_was_called_before(x)", True),
        ("x.numpy().whatever_it_was_called_before(x)", True),
    ],
)
def test_what_a_package_may_have_in_another_version(tmp_path: Path, asked: str, proven: bool):
    failure = failing(tmp_path, asked, engine="real")
    assert (failure.error, failure.proven) == ("AttributeError", proven)


def test_a_thread_that_cannot_be_had_is_left_out(monkeypatch: pytest.MonkeyPatch):
    def none_left(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    thread = threading.Thread(target=print)
    with in_the_background():
        thread.start()
        with pytest.raises(RuntimeError, match="before it is started"):
            thread.join()
        with ThreadPoolExecutor(1) as pool:  # its answer is waited for
            assert pool.submit(pow, 2, exp=3).result() == 8
            assert pool.submit(dict, work=1, pool=2).result() == {"work": 1, "pool": 2}
            assert list(pool.map(abs, [-1, -2])) == [1, 2]
            assert isinstance(pool.submit(pow, "no number", 3).exception(), TypeError)
        with pytest.raises(RuntimeError, match="after shutdown"):
            pool.submit(print)
    assert threading.Thread.start is none_left


def test_a_text_that_a_program_needs_is_a_name_and_a_number_is_none(tmp_path: Path):
    source = """
import argparse
import os
import pathlib
import torch
parser = argparse.ArgumentParser()
parser.add_argument("data", type=pathlib.Path)
parser.add_argument("--output-dir", required=True)
parser.add_argument("--kind", choices=["small", "large"], required=True)
parser.add_argument("--classes", required=True)
parser.add_argument("--data-dims", action="append", required=True)
parser.add_argument("--sizes", nargs="+", required=True)
parser.add_argument("--width", type=int, required=True)
args = parser.parse_args()
os.makedirs(os.path.join(args.output_dir, "logs"), exist_ok=True)
assert (args.data / "train").name == "train"
assert args.kind is args.sizes is args.classes is args.data_dims is None
x = torch.zeros(2, 3)
y = torch.zeros(args.width)
"""
    reply = trace(tmp_path, source, PROGRAM)
    assert "x⟦f32[2, 3]⟧ = " in annotated(reply, tmp_path / "model.py")
    assert reply.failure is not None
    assert (reply.failure.error, reply.failure.proven) == ("TypeError", False)
