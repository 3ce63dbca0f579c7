"""`fx-lsp rewrite`: what it finds, tries, prints and writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fx_lsp.cli.written import write
from tests.cli.command import BAD, PATIENCE, arguments, environment, fx_lsp, workspace

MODEL = """# -*- coding: latin-1 -*-
import torch
import torch.nn.functional as F
from torch import nn


# fx: Net()(f32[2, 5, 8], i64[2, 5, 5])
class Net(nn.Module):
    \"\"\"F\u00fcr alle.\"\"\"

    def forward(self, x, mask):
        y = torch.log(F.softmax(x, dim=-1))  # f\u00fcr sp\u00e4ter
        y = y.transpose(1, 2).transpose(1, 2)
        scores = (x @ x.mT) * x.mean((0, 2))
        print(y.shape)
        return scores.softmax(-1) @ y
"""
AFTER = MODEL.replace("torch.log(F.softmax(x, dim=-1))", "F.log_softmax(x, dim=-1)").replace(
    "        y = y.transpose(1, 2).transpose(1, 2)\n", ""
)


def test_it_writes_what_is_the_same_and_says_what_is_not(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    path = root / "net.py"
    path.write_bytes(MODEL.replace("\n", "\r\n").encode("latin-1"))
    path.chmod(0o640)
    answer = fx_lsp(root, "rewrite", "net.py", "--diff")
    assert answer.returncode == 1
    assert "+        y = F.log_softmax(x, dim=-1)  # f" in answer.stdout
    answer = fx_lsp(root, "rewrite", "net.py", "--write")
    assert answer.returncode == 0
    rules = [line.split(": ")[1] for line in answer.stdout.splitlines()]
    assert rules == ["log-of-softmax", "double-transpose"]
    (refused,) = answer.stderr.splitlines()
    assert refused.startswith("net.py:16: attention-by-hand: not done, ")
    assert "it does not run any more" in refused
    assert path.read_bytes() == AFTER.replace("\n", "\r\n").encode("latin-1")
    assert path.stat().st_mode & 0o777 == 0o640
    assert fx_lsp(root, "rewrite", "net.py", "--quiet").returncode == 0
    only = fx_lsp(root, "rewrite", "net.py", "--unsafe", "--rule", "print-in-forward", "--diff")
    assert "-        print(y.shape)" in only.stdout
    assert "it does not print any more" in only.stderr


def test_what_does_not_run_is_left_alone(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, bad=BAD), "rewrite", "bad.py", "--write")
    assert (answer.returncode, answer.stdout) == (0, "")
    assert answer.stderr.startswith("bad.py: nothing was tried: line ")
    quiet = fx_lsp(tmp_path, "rewrite", "bad.py", "--write", "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


ALIKE = """import torch
from torch import nn


class Model(nn.Module):
    @property
    def dummy_inputs(self):
        return {"x": torch.randn(2, 5)}


class Good(Model):
    def forward(self, x):
        return torch.log(x.softmax(-1))


class Bad(Model):
    def forward(self, x):
        return x.view(7)
"""


def test_an_example_that_failed_before_stops_no_rewrite_of_one_that_is_written_alike(tmp_path: Path) -> None:
    answer = fx_lsp(workspace(tmp_path, alike=ALIKE), "rewrite", "alike.py", "--diff")
    assert "log_softmax" in answer.stdout
    assert "not done" not in answer.stderr


def test_why_nothing_could_be_tried_is_told(tmp_path: Path) -> None:
    source = "from torch import nn\n\nraise RuntimeError('not on this machine')\n\n\nclass Net(nn.Module):\n"
    source += "    def forward(self, x):\n        return x.contiguous()\n"
    answer = fx_lsp(workspace(tmp_path, bad=source), "rewrite", "bad.py", "--write")
    assert answer.returncode == 0
    assert "nothing was tried: no example of its models runs; Net: the import failed" in answer.stderr
    assert "not on this machine" in answer.stderr


def test_a_rule_or_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    assert fx_lsp(root, "rewrite", "none.py").returncode == 2
    assert fx_lsp(root, "rewrite", ".", "--rule", "none").returncode == 2


OWN = """import torch


def before_turned(x):
    return torch.transpose(x, 1, 2)


def after_turned(x):
    return x.mT


def before_loop(x):
    while True:
        pass


def after_loop(x):
    return x
"""
PLAIN = MODEL.replace("# -*- coding: latin-1 -*-\n", "")


def test_rules_of_the_workspace_are_applied_and_told_of(tmp_path: Path) -> None:
    root = workspace(tmp_path, net=PLAIN, fx_rewrites=OWN)
    none = fx_lsp(root, "rewrite", "net.py", "--unsafe", "--rule", "own:none")
    assert (none.returncode, none.stdout) == (2, "")
    assert "no rule own:none: own:turned" in none.stderr
    own = fx_lsp(root, "rewrite", "net.py", "--unsafe", "--rule", "own:turned", "--diff")
    assert own.returncode == 1
    assert "fx_rewrites.py:13: a rule is made of assignments to one name" in own.stderr
    assert "+        y = y.mT.mT\n" in own.stdout


SWAPPED = """import torch
import torch.nn.functional as F


def before_swapped(x, y):
    return torch.tanh(x) * y


def after_swapped(x, y):
    return y * torch.tanh(x)


def before_gelu(x):
    return F.gelu(x)


def after_gelu(x):
    return F.gelu(x, approximate="tanh")
"""
GATED = """import torch
import torch.nn.functional as F
from torch import nn


# fx: Net()(f32[2, 5, 8])
class Net(nn.Module):
    def forward(self, x):
        y = torch.tanh(x) * x.exp()
        return y, F.gelu(x)
"""


def test_a_rule_takes_nothing_back_and_each_is_told_its_own_difference(tmp_path: Path) -> None:
    root = workspace(tmp_path, net=GATED, fx_rewrites=SWAPPED)
    own = fx_lsp(root, "rewrite", "net.py", "--unsafe", "--write")
    swapped, gelu = own.stdout.splitlines()
    assert swapped.startswith("net.py:9: own:swapped: ")
    assert ", equal " in swapped
    assert "own:gelu: " in gelu
    assert "differs by" in gelu
    assert "y = x.exp() * torch.tanh(x)\n" in (root / "net.py").read_text()


SEVERAL = """import torch
from torch import einsum, nn


# fx: Net()(f32[2, 5, 8])
# fx: Net()(f32[2, 5, 8], 2)
# fx: Net()(f32[2, 5, 8], 3)
# fx: Net()(f32[2, 5, 8], 4)
class Net(nn.Module):
    def forward(self, x, kind=1):
        if kind == 2:
            x = x.view(3)
        sim = einsum("bid,bjd->bij", x, x)
        attn = sim.softmax(-1)
        return einsum("bij,bjd->bid", attn, x)
"""


def test_the_widest_rewrite_comes_first_also_where_another_example_fails_anyway(tmp_path: Path) -> None:
    root = workspace(tmp_path, net=SEVERAL)
    answer = fx_lsp(root, "rewrite", "net.py", "--write")
    assert [line.split(": ")[1] for line in answer.stdout.splitlines()] == ["attention-by-hand"]
    text = (root / "net.py").read_text()
    assert "        return nn.functional.scaled_dot_product_attention(x, x, x, scale=1.0)\n" in text


def test_what_breaks_another_example_is_not_written(tmp_path: Path) -> None:
    """Each is tried on the two quickest ones."""
    text = SEVERAL.replace("x = x.view(3)", "x = x + 1").replace("softmax(-1)", "mul(scale).softmax(-1)")
    text = text.replace("        sim =", "        scale = 0.5\n        if kind == 4:\n" + SLOW + "        sim =")
    root = workspace(tmp_path, net=text)
    answer = fx_lsp(root, "rewrite", "net.py", "--write", "--rule", "attention-by-hand")
    assert answer.stdout == ""
    assert "attention-by-hand: not done, then Net()(f32[2, 5, 8], 4) fails" in answer.stderr
    assert (root / "net.py").read_text() == text


SLOW = """            for _ in range(3000):
                x = x * 1
            scale = torch.ones(5, 1)
"""


APART = """import torch
import torch.nn.functional as F
from torch import nn


# fx: One()(f32[2, 5, 8])
class One(nn.Module):
    def forward(self, x):
        return torch.log(F.softmax(x, dim=-1))


# fx: Two()(f32[2, 5, 8])
class Two(nn.Module):
    def forward(self, x):
        return torch.cat([x.transpose(1, 2).transpose(1, 2)])


# fx: Three()(f32[2, 5, 8])
# fx: Three()(f32[2, 5, 8], 2)
# fx: Three()(f32[2, 5, 8], 3)
class Three(nn.Module):
    def forward(self, x, kind=1):
        scale = 0.5
        if kind == 3:
{slow}        sim = torch.einsum("bid,bjd->bij", x, x).mul(scale)
        return torch.einsum("bij,bjd->bid", sim.softmax(-1), x)
"""


def test_classes_that_no_example_has_together_are_rewritten_each_for_itself(tmp_path: Path) -> None:
    """Also where one of them breaks an example that it was not tried on."""
    root = workspace(tmp_path, net=APART.replace("{slow}", SLOW))
    answer = fx_lsp(root, "rewrite", "net.py", "--write")
    done = {line.split(": ")[1] for line in answer.stdout.splitlines()}
    assert done >= {"log-of-softmax", "cat-of-one", "double-transpose"}
    assert "attention-by-hand: not done, then Three()(f32[2, 5, 8], 3) fails" in answer.stderr
    assert "        return x\n" in (root / "net.py").read_text()


def test_what_only_a_way_through_a_class_comes_to_is_rewritten_too(tmp_path: Path) -> None:
    """What is written makes room for another rewrite there: that way is taken again."""
    text = "import torch\nfrom torch import nn\n\n\n# fx: Net()(f32[2, 5, 8])\nclass Net(nn.Module):\n"
    text += "    def forward(self, x, y=None):\n        if y is not None:\n"
    text += "            x = x + torch.cat([y.transpose(1, 2).transpose(1, 2)])\n        return x * 2\n"
    root = workspace(tmp_path, net=text)
    answer = fx_lsp(root, "rewrite", "net.py", "--write")
    assert sorted(line.split(": ")[1] for line in answer.stdout.splitlines()) == ["cat-of-one", "double-transpose"]
    assert "            x = x + y\n" in (root / "net.py").read_text()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_diff_is_one_that_git_applies(tmp_path: Path, newline: str) -> None:
    root = workspace(tmp_path)
    text = PLAIN.replace("    def forward", "\x0c\n    def forward")
    path = root / "net.py"
    path.write_bytes(text.replace("\n", newline).rstrip().encode())
    command = arguments("rewrite", "net.py", "--diff", "--rule", "log-of-softmax", "--quiet")
    diff = subprocess.run(command, cwd=root, env=environment(), capture_output=True, timeout=PATIENCE)
    subprocess.run(["git", "apply", "-"], cwd=root, input=diff.stdout, check=True, timeout=PATIENCE)
    new = text.replace("torch.log(F.softmax(x, dim=-1))", "F.log_softmax(x, dim=-1)")
    assert path.read_bytes() == new.replace("\n", newline).rstrip().encode()


def test_a_file_that_is_read_only_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("x = 1\n")
    path.chmod(0o444)
    assert "is read-only" in write(str(path), "x = 1\n", "x = 3\n")
    assert path.read_text() == "x = 1\n"


def test_a_file_that_was_changed_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("x = 2\n")
    assert "was changed meanwhile" in write(str(path), "x = 1\n", "x = 3\n")
    assert path.read_text() == "x = 2\n"


def test_a_file_that_cannot_be_replaced_is_told_and_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.py"
    path.write_text("x = 1\n")

    def full(*paths: str) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    assert "no space left" in write(str(path), "x = 1\n", "x = 3\n")
    assert path.read_text() == "x = 1\n"
    assert [one.name for one in tmp_path.iterdir()] == ["net.py"]


def test_what_the_encoding_of_the_file_cannot_say_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("# coding: latin-1\nx = 1\n")
    assert "was not written" in write(str(path), "# coding: latin-1\nx = 1\n", "# coding: latin-1\nx = '\u20ac'\n")
    assert path.read_text() == "# coding: latin-1\nx = 1\n"
    assert [one.name for one in tmp_path.iterdir()] == ["net.py"]


TWICE = """import torch
from torch import nn


# fx: Net()(f32[2, 5, 8])
class Net(nn.Module):
    def forward(self, x):
        small = torch.exp(x) - 1
        large = torch.log(torch.exp(x).sum(-1))
        return small, large, x.relu() + x.relu()
"""


def test_what_does_away_with_an_operation_comes_before_a_name_for_it(tmp_path: Path) -> None:
    root = workspace(tmp_path, net=TWICE)
    assert fx_lsp(root, "rewrite", "net.py", "--write").returncode == 0
    assert (root / "net.py").read_text().splitlines()[7:] == [
        "        small = torch.expm1(x)",
        "        large = torch.logsumexp(x, dim=-1)",
        "        relu = x.relu()",
        "        return small, large, relu + relu",
    ]
