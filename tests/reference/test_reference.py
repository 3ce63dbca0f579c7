"""The reference itself: every kind of binding, at its exact place, with its exact text."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from pathlib import Path
from textwrap import dedent
from typing import NoReturn

import pytest
import torch
from torch import nn

from tests.reference.batch import forked, run_examples
from tests.reference.values import describe


@dataclasses.dataclass
class Output:
    logits: torch.Tensor
    cache: object = None
    step: int = 3


Pair = namedtuple("Pair", "left right")
A, B = torch.ones(2, 3), torch.ones(4, dtype=torch.int64)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (A, "f32[2, 3]"),
        (torch.tensor(True), "b8[]"),
        (nn.Parameter(A), "f32[2, 3]"),
        ((A,), "(f32[2, 3],)"),
        ([A, (B, None)], "[f32[2, 3], (i64[4], None)]"),
        ({"a": A, 1: "x"}, "{'a': f32[2, 3], 1: 'x'}"),
        (Output(A), "Output(logits=f32[2, 3], cache=None, step=3)"),
        (Pair(1.5, B), "Pair(left=1.5, right=i64[4])"),
        (torch.max(A, dim=1), "(f32[2], i64[2])"),
        ((A, nn.ReLU(), (1, 2)), "(f32[2, 3], ReLU, tuple)"),
        ((1, 2), None),
        ([], None),
        (A.shape, None),
        (nn.Linear(2, 2), None),
        (Output, None),
        ("text", None),
    ],
)
def test_text_of_a_value(value: object, text: str | None) -> None:
    assert describe(value) == text


def test_a_group_that_holds_itself_ends() -> None:
    loop: list[object] = [A]
    loop.append(loop)
    assert describe(loop) == "[f32[2, 3], list]"


class Unfinished(dict[str, object]):
    """Its methods do not work yet, as in the middle of a constructor."""

    def values(self) -> NoReturn:  # type: ignore[override]
        raise AttributeError

    __iter__ = keys = values  # type: ignore[assignment]


def test_methods_of_a_subclass_are_not_called() -> None:
    assert describe(Unfinished(a=A)) == "{'a': f32[2, 3]}"


def bound(folder: Path, source: str, call: str, setup: str = "") -> list[str]:
    """`line:column name text` for all that the example binds in its file."""
    (folder / "m.py").write_text(dedent(source), encoding="utf-8")
    run = forked(str(folder), {"scope": "m.py", "call": call, "setup": setup})
    assert run["error"] == ""
    rows = sorted(run["bindings"], key=lambda b: (b["line"], b["column"]))
    return [f"{b['line']}:{b['column']} {b['name']} {' | '.join(b['shapes'])}" for b in rows]


def test_assignments(tmp_path: Path) -> None:
    source = """\
    def f(x):
        a, (b, *rest) = x, (x.sum(), x, x[0])
        x += 1
        y: object = x.T
        global g
        g = [t for t in rest if (n := t.dim())]
        if (w := x.mean(0)).numel():
            z = é = w
        for i, row in enumerate(x): pass
        def inner(): return é
        return inner()
    """
    assert bound(tmp_path, source, "f(f32[2, 3])") == [
        "1:7 x f32[2, 3]",
        "2:5 a f32[2, 3]",
        "2:9 b f32[]",
        "2:16 rest [f32[2, 3], f32[3]]",
        "3:5 x f32[2, 3]",
        "4:5 y f32[3, 2]",
        "6:5 g [f32[2, 3], f32[3]]",
        "6:16 t f32[2, 3] | f32[3]",
        "7:9 w f32[3]",
        "8:9 z f32[3]",
        "8:13 é f32[3]",
        "9:14 row f32[3]",
        "10:23 return f32[3]",
        "11:10 return f32[3]",
    ]


def test_attributes(tmp_path: Path) -> None:
    source = """\
    import torch
    class Holder:
        table = torch.zeros(4)
        def put(self, x, parts):
            self.x = x
            self.x *= 2
            self.__own, parts[0].y = x[0], x[1]
            self.n = 3
            parts.pop().y = x
    h = Holder()
    """
    assert bound(tmp_path, source, "h.put(f32[2, 3], [Holder()])") == [
        "3:9 table f32[4]",
        "4:19 x f32[2, 3]",
        "5:14 self.x f32[2, 3]",
        "6:14 self.x f32[2, 3]",
        "7:18 self.__own f32[3]",
        "7:30 parts[0].y f32[3]",
    ]


def test_parameters_and_returns(tmp_path: Path) -> None:
    source = """\
    import contextlib
    def f(x, /, y=None, *args, k, **kw):
        g = (lambda u, v: u)(x, y), (lambda u: u)(k)
        with contextlib.nullcontext(x) as c:
            try:
                return c, k
            finally:
                len(args)
    def gen(n):
        t = yield n
        yield n + 1
        return n * 2
    def outer(n):
        r = yield from gen(n)
        return [a[:] for a in [r]]
    def nothing(x):
        if x.numel() > 100: return x
    """
    call = "f(f32[2], None, f32[3], k=i64[()], extra=f32[4]), list(outer(f32[5])), nothing(f32[6])"
    assert bound(tmp_path, source, call) == [
        "2:7 x f32[2]",
        "2:25 args (f32[3],)",
        "2:28 k i64[]",
        "2:34 kw {'extra': f32[4]}",
        "3:5 g (f32[2], i64[])",
        "3:17 u f32[2]",
        "3:41 u i64[]",
        "4:39 c f32[2]",
        "6:18 return (f32[2], i64[])",
        "9:9 n f32[5]",
        "12:10 return f32[5]",
        "13:11 n f32[5]",
        "14:5 r f32[5]",
        "15:10 return [f32[5]]",
        "15:22 a f32[5]",
        "16:13 x f32[6]",
    ]


def test_match(tmp_path: Path) -> None:
    source = """\
    def f(x):
        match x:
            case [a, *rest]:
                pass
        match {"k": x, "l": x[0]}:
            case {"k": k, **more}:
                pass
        match x[0]:
            case object() as o:
                pass
    """
    assert bound(tmp_path, source, "f([f32[1], f32[2]])") == [
        "1:7 x [f32[1], f32[2]]",
        "3:15 a f32[1]",
        "3:22 rest [f32[2]]",
        "6:20 k [f32[1], f32[2]]",
        "6:28 more {'l': f32[1]}",
        "9:26 o f32[1]",
    ]


def test_a_module_is_called_in_eval_mode(tmp_path: Path) -> None:
    source = """\
    from torch import nn
    class Net(nn.Module):
        def forward(self, x):
            y = x[0] if self.training else x
    """
    assert "4:9 y f32[2, 3]" in bound(tmp_path, source, "Net()(f32[2, 3])")
    assert "4:9 y f32[3]" in bound(tmp_path, source, "Net().train()(f32[2, 3])")
    assert "4:9 y f32[2, 3]" in bound(tmp_path, source, "net(f32[2, 3])", setup="net = Net()")


def test_only_workspace_files_and_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "a.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "pkg" / "b.py").write_text("from .a import double\n")
    example = {"scope": "pkg/b.py", "call": "double(torch.nn.functional.relu(f32[2]))", "setup": "import torch"}
    (run,) = run_examples(str(tmp_path), [example])
    assert [(b["path"], b["line"], b["column"]) for b in run["bindings"]] == [("pkg/a.py", 1, 12), ("pkg/a.py", 2, 10)]


def test_a_failing_run_keeps_what_was_bound(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(x):\n    y = x + 1\n    z = y @ y\n    return z\n")
    runs = run_examples(
        str(tmp_path),
        [
            {"scope": "m.py", "call": "f(f32[2, 3])"},
            {"scope": "m.py", "call": "exit(3)"},
            {"scope": "m.py", "call": "f("},
        ],
    )
    assert [b["name"] for b in runs[0]["bindings"]] == ["x", "y"]
    assert [run["error"].splitlines()[-1].split(":")[0] for run in runs] == [
        "RuntimeError",
        "SystemExit",
        "SyntaxError",
    ]


def test_other_integers_are_tried_until_it_runs(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(ids):\n    assert (ids == 2).all()\n    x = ids * 2\n    return x\n")
    run = forked(str(tmp_path), {"scope": "m.py", "call": "f(i64[2, 9])"})
    assert run["error"] == ""
    assert {binding["name"] for binding in run["bindings"]} >= {"ids", "x"}


def test_weights_that_do_not_fit_into_memory_take_none(tmp_path: Path) -> None:
    text = """
        from torch import nn

        class Wide(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(1 << 20, 1 << 12, padding_idx=0)
                self.up = nn.Linear(1 << 12, 1 << 16)

            def forward(self, ids):
                hidden = self.words(ids)
                logits = self.up(hidden)
                return logits
    """
    (tmp_path / "m.py").write_text(dedent(text))
    run = forked(str(tmp_path), {"scope": "m.py", "call": "Wide()(i64[1, 2])"})
    assert not run["error"]
    assert [(one["name"], one["shapes"]) for one in run["bindings"] if one["forward"]] == [
        ("ids", ["i64[1, 2]"]),
        ("hidden", ["f32[1, 2, 4096]"]),
        ("logits", ["f32[1, 2, 65536]"]),
        ("return", ["f32[1, 2, 65536]"]),
    ]
