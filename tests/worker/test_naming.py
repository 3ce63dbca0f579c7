"""Names for dims: what is said of sizes held at every size that was tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent

import pytest

from fx_lsp.model.example import fill
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.model.naming import Naming
from fx_lsp.worker.capture.record import Record
from fx_lsp.worker.naming.expressions import Size, name, number
from fx_lsp.worker.naming.fitting import Column, Table
from fx_lsp.worker.naming.observed import Run
from fx_lsp.worker.naming.slots import Factor, Text
from fx_lsp.worker.naming.trials import FAR, JOINT, Outcome, Trials
from tests.worker.tracing import annotated, in_child

B, H, T, W = map(name, "BHTW")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (T.plus(1), "T+1"),
        (T.times(2).plus(-1), "2*T-1"),
        (T.times(-1).plus(8), "8-T"),
        (B * T, "B*T"),
        (T * B, "B*T"),
        ((B * T).times(768).over(12), "64*B*T"),
        (H.over(2), "H//2"),
        (H.plus(1).over(2), "(H+1)//2"),
        (H.plus(1).over(2).plus(1).over(2), "(H+3)//4"),
        (H.plus(-1).over(2).plus(1), "(H-1)//2+1"),
        (H.times(2).plus(1).over(2), "H"),
        (H.plus(7).over(8).times(8), "8*((H+7)//8)"),
        (H.over(16) * W.over(16) + number(1), "(H//16)*(W//16)+1"),
        ((H * W).over(256), "H*W//256"),
        (B + T + B.times(-1), "T"),
        (T.times(0), "0"),
    ],
)
def test_sizes_are_written_for_people(size: Size, text: str) -> None:
    assert str(size) == text
    sizes = {"B": 3, "H": 37, "T": 11, "W": 50}
    assert size.at(sizes) == eval(text, {}, sizes)


SIZES = [{"H": h, "B": b} for h, b in [(224, 2), (225, 3), (319, 5), (448, 7), (705, 6), (322, 9)]]


def column(text: str) -> Column:
    return tuple(eval(text, {"min": min}, one) for one in SIZES)


def learnt(text: str, *near: Iterable[str]) -> str | None:
    """What a size of these values is taken for, made from tensors of such sizes."""
    table = Table(SIZES)
    for shape in near:
        for one in shape:
            table.learn(column(one), [[column("H"), column("B")]])
    found = table.learn(column(text), [[column(one) for one in shape] for shape in near])
    return str(found) if found is not None else None


@pytest.mark.parametrize(
    ("text", "near", "found"),
    [
        ("H", [], "H"),
        ("7", [], None),
        ("(H+6-7)//2+1", [["B", "3", "H"]], "(H+1)//2"),
        ("H+B-1", [["H", "B"]], "B+H-1"),
        ("H+H//2+5", [["B", "H"], ["B", "H//2"], ["B", "5"]], "H+H//2+5"),
        ("B*H*64//4", [["B", "H", "64"]], "16*B*H"),
        ("8*((H+7)//8)", [["B", "H"]], "8*((H+7)//8)"),
        ("min(H, 230)", [["B", "H"]], None),
        ("H % 7", [["B", "H"]], None),
    ],
)
def test_one_function_fits_or_none_is_named(text: str, near: list[list[str]], found: str | None) -> None:
    assert learnt(text, *near) == found


def test_where_several_functions_fit_none_is_named() -> None:
    table = Table([{"H": 64, "B": 2}, {"H": 65, "B": 3}, {"H": 66, "B": 5}])
    assert table.learn((8, 8, 8), [[(64, 65, 66)]]) is None
    assert table.learn((4, 4, 5), [[(64, 65, 66)]]) is None
    assert table.doubtful == {(4, 4, 5)}


@pytest.mark.parametrize(
    ("setup", "call", "names"),
    [
        ("", "Net()(f32[2, 3, 64, 48])", "B=2 H=64 W=48 C=3"),
        ("", "Net()(i64[2, 16], labels=i64[2, 8])", "B=2 T=16 S=8"),
        ("x = torch.randn(4, 10, 32)", "net(x, torch.randint(0, 9, (4, 10)))", "B=4 T=10 C=32"),
        ("", "net([torch.rand(3, 64, 64) for _ in range(2)])", "B=2 H=64 W=64 C=3"),
        ("", "Net()(torch.zeros(2, 5, dtype=torch.long))", "B=2 T=5"),
        ("n = 3", "Net(n)(torch.zeros(n, n + 1))", ""),
        ("n = 3; seq_len = 5; seed = 1", "Net(dim=8, depths=[2, 2])(torch.zeros(n, seq_len))", "N=3 T=5"),
        ("x, e = graph(num_nodes=9, num_edges=20)", "Net(64)(x, e, torch.arange(9) // 3)", "N=9 E=20 M=9"),
        ("t = pad(x.view(2, 3), [([4, 8], 0), ([7], 1), ([9, 1, 5], 4)])", "Net()(t)", "B=3 T=3"),
        ("d = collate([{'x': [1, 2, 3], 'y': 0}, {'x': [4], 'y': 2}])", "Net()(d)", "B=2 T=3"),
        ("", "Net()(torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.FloatTensor([0, 1]))", "B=2 T=3 N=2"),
    ],
)
def test_sizes_in_the_text_get_the_usual_names(setup: str, call: str, names: str) -> None:
    text = Text(setup, fill(call, {})[0], Naming(call))
    assert " ".join(f"{one.name}={one.size}" for one in text.factors) == names


def test_lists_have_more_of_the_same_or_fewer() -> None:
    text = Text("data = [([4, 8, 6], 0), ([7], 1), ([9, 5], 4)]", "Net()(data)", Naming("Net()(data)"))
    assert text.at({"B": 4, "T": 4})[0] == "data = [([4, 8, 6, 4], 0), ([7], 1), ([9, 5], 4), ([4, 8, 6, 4], 0)]"
    assert text.at({"B": 2, "T": 1})[0] == "data = [([4], 0), ([7], 1)]"
    assert text.at({})[0] == "data = [([4, 8, 6], 0), ([7], 1), ([9, 5], 4)]"


def test_names_that_are_written_are_the_only_ones() -> None:
    text = Text("", "", Naming("Net(8)(f32[B:2, T+1, 8], x=i64[T])", ("B", "T"), (2, 5)))
    assert text.at({"T": 7}) == ("", "Net(8)(f32[2, 7 + 1, 8], x=i64[7])")


HEAD = """\
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
"""


def named(
    folder: Path, body: str, call: str, *, head: str = "", engine: str = "fake", failed: bool = False
) -> TraceReply:
    """The answer about a module with this `forward`."""
    forward = indent(dedent(body).strip("\n"), " " * 8)
    init = indent(dedent(head).strip("\n"), " " * 8) or "        pass"
    source = HEAD + f"{init}\n\n    def forward(self, *args):\n{forward}\n"
    path = folder / "model.py"
    path.write_text(source)
    filled, dims = fill(call, {})
    request = TraceRequest(1, str(folder), str(path), filled, engine=engine, seconds=60)
    reply = in_child(replace(request, naming=Naming(call, tuple(dims), tuple(dims.values()))))
    assert (reply.failure is not None) is failed, reply.failure
    return reply


def lines(folder: Path, reply: TraceReply) -> list[str]:
    return [line.strip() for line in annotated(reply, folder / "model.py", 11).split("\n")]


def test_convolutions_are_followed_step_by_step(tmp_path: Path) -> None:
    body = """
    x = self.a(args[0])
    y = self.b(x)
    return y.mean((2, 3)), y.flatten(2)
    """
    head = "self.a, self.b = nn.Conv2d(3, 8, 7, 2, 3), nn.Conv2d(8, 4, 3, 2)"
    reply = named(tmp_path, body, "Net()(torch.randn(2, 3, 64, 48))", head=head)
    assert lines(tmp_path, reply) == [
        "x⟦f32[B, 8, (H+1)//2, (W+1)//2]⟧ = self.a(args[0])",
        "y⟦f32[B, 4, (H-1)//4, (W-1)//4]⟧ = self.b(x)",
        "return⟦(f32[B, 4], f32[B, 4, 165])⟧ y.mean((2, 3)), y.flatten(2)",
    ]
    (result,) = [one for one in reply.bindings if one.name == "return"]
    assert "((H-1)//4)*((W-1)//4)" in str(result.variants[0].value), "a long text is there for the tooltip"


def test_names_of_the_example_are_carried_on(tmp_path: Path) -> None:
    body = """
    x, y = args
    z = torch.cat([x, y, x], 1)
    a = torch.arange(2 * x.size(1) - 1)
    return z.flatten(0, 1)
    """
    reply = named(tmp_path, body, "Net()(f32[B:2, T, 8], f32[B, T+1, 8])")
    assert lines(tmp_path, reply)[1:] == [
        "z⟦f32[B, 3*T+1, 8]⟧ = torch.cat([x, y, x], 1)",
        "a⟦i64[2*T-1]⟧ = torch.arange(2 * x.size(1) - 1)",
        "return⟦f32[3*B*T+B, 8]⟧ z.flatten(0, 1)",
    ]


def constraints(reply: TraceReply) -> list[tuple[str, int]]:
    return [(one.text, one.span.line if one.span is not None else 0) for one in reply.constraints]


def test_an_assertion_on_a_size_is_found(tmp_path: Path) -> None:
    body = """
    x = args[0]
    assert x.size(1) <= self.longest
    return x
    """
    reply = named(tmp_path, body, "Net()(i64[B, T])", head="self.longest = 1024")
    assert constraints(reply) == [("T <= 1024", 12)]
    assert "return⟦i64[B, T]⟧ x" in lines(tmp_path, reply)


def test_a_table_that_is_too_short_bounds_a_size(tmp_path: Path) -> None:
    reply = named(tmp_path, "return args[0] + self.table[:args[0].size(1)]", "Net()(f32[B, T, 4])",
                  head="self.table = nn.Parameter(torch.zeros(77, 4))")  # fmt: skip
    assert constraints(reply) == [("T <= 77", 11)]


def test_what_a_size_is_a_multiple_of(tmp_path: Path) -> None:
    body = """
    x = args[0]
    y = F.interpolate(F.max_pool2d(x, 16), scale_factor=16)
    return x + y
    """
    reply = named(tmp_path, body, "Net()(torch.randn(2, 3, 64, 96))")
    assert constraints(reply) == [("H % 16 == 0", 13), ("W % 16 == 0", 13)]
    assert "return⟦f32[B, C, H, W]⟧ x + y" in lines(tmp_path, reply)


def test_two_inputs_that_have_to_be_equal(tmp_path: Path) -> None:
    reply = named(tmp_path, "return args[0] + args[1]", "Net()(f32[N:6, 4], f32[M:6, 4])")
    assert constraints(reply) == [("N == M", 11)]


def test_two_inputs_of_different_sizes_have_names_of_their_own(tmp_path: Path) -> None:
    reply = named(tmp_path, "return args[0] @ args[1].mT", "Net()(torch.randn(2, 5, 8), torch.randn(2, 7, 8))")
    assert lines(tmp_path, reply) == ["return⟦f32[B, T, S]⟧ args[0] @ args[1].mT"]


MAKERS = """
def batch(rows, width=8, *, seed=5):
    return torch.randn(rows, width)

def model(dim=8, depth=2):
    return nn.Sequential(*(nn.Linear(dim, dim) for _ in range(depth)))
"""


def made(folder: Path, body: str, setup: str, call: str, *, head: str = "", engine: str = "fake") -> list[str]:
    """The lines of `forward`, of a module whose inputs come from a setup."""
    path = folder / "model.py"
    lead = MAKERS + HEAD[HEAD.index("class") :] + (f"        {head}\n" if head else "        pass\n")
    path.write_text(HEAD[: HEAD.index("class")] + lead + "\n    def forward(self, *args):\n" + indent(body, " " * 8))
    request = TraceRequest(1, str(folder), str(path), call, setup, engine=engine, seconds=60, naming=Naming(call))
    reply = in_child(request)
    assert reply.failure is None, reply.failure
    assert reply.constraints == ()
    return annotated(reply, path).split("    def forward(self, *args")[1].split("\n")[1:]


def test_sizes_that_functions_are_asked_for_vary(tmp_path: Path) -> None:
    found = made(tmp_path, "x = args[0]\ny = self.fc(x)\nreturn y.flatten()", "x = batch(6, 8, seed=9)", "Net()(x)",
                 head="self.fc = nn.Linear(8, 4)")  # fmt: skip
    assert [line.strip() for line in found] == [
        "x⟦f32[N, 8]⟧ = args[0]", "y⟦f32[N, 4]⟧ = self.fc(x)", "return⟦f32[4*N]⟧ y.flatten()"
    ]  # fmt: skip


def test_sizes_of_the_model_itself_stay_numbers(tmp_path: Path) -> None:
    body, setup = "x = args[0]\nreturn x", "d = 8; x = batch(rows=6, width=d); net = model(d, 2)"
    found = made(tmp_path, body, setup, "Net()(net(x))")
    assert found[0].strip() == "x⟦f32[R, 8]⟧ = args[0]"


def test_sizes_of_data_in_lists_vary_together_where_they_have_to(tmp_path: Path) -> None:
    body = "x, y = torch.tensor(args[0]), torch.tensor(args[1])\nreturn x * y[:, None]"
    found = made(tmp_path, body, "", "Net()([[1, 2, 3, 4], [5, 6, 7, 8], [9, 0, 1, 2]], [4, 5, 6])")
    assert found[0].strip() == "x⟦i64[B, T]⟧, y⟦i64[B]⟧ = torch.tensor(args[0]), torch.tensor(args[1])"


def test_a_size_that_may_not_vary_is_a_number(tmp_path: Path) -> None:
    reply = named(tmp_path, "return self.fc(args[0].flatten(1))", "Net()(torch.randn(2, 3, 4, 4))",
                  head="self.fc = nn.Linear(48, 5)")  # fmt: skip
    assert lines(tmp_path, reply) == ["return⟦f32[B, 5]⟧ self.fc(args[0].flatten(1))"]


def test_a_size_that_went_through_a_float(tmp_path: Path) -> None:
    body = """
    x = args[0]
    y = x[:, : int(x.shape[1] * 0.5)]
    z = x[:, : int(x.shape[1] ** 0.5)]
    return y
    """
    reply = named(tmp_path, body, "Net()(i64[B, T:16])")
    assert lines(tmp_path, reply)[1:3] == [
        "y⟦i64[B, T//2]⟧ = x[:, : int(x.shape[1] * 0.5)]",
        "z⟦i64[B, 4]⟧ = x[:, : int(x.shape[1] ** 0.5)]",
    ]


def test_a_branch_on_a_size_makes_a_number(tmp_path: Path) -> None:
    body = """
    x = args[0]
    y = x.repeat(1, 2) if x.size(1) > 20 else x
    z = x[:, :100]
    return x
    """
    reply = named(tmp_path, body, "Net()(i64[B, T:16])")
    assert lines(tmp_path, reply)[1:] == [
        "y⟦i64[B, 16]⟧ = x.repeat(1, 2) if x.size(1) > 20 else x",
        "z⟦i64[B, 16]⟧ = x[:, :100]",
        "return⟦i64[B, T]⟧ x",
    ]


def test_of_two_returns_that_sizes_choose_from_none_is_named(tmp_path: Path) -> None:
    body = """
    x = args[0]
    if x.size(0) % 2:
        return x
    return x[:, 1:]
    """
    reply = named(tmp_path, body, "Net()(i64[B:2, T:16])")
    assert lines(tmp_path, reply)[1:] == ["if x.size(0) % 2:", "return x", "return⟦i64[2, 15]⟧ x[:, 1:]"]


def test_a_loop_over_time(tmp_path: Path) -> None:
    body = """
    h = args[0][:, 0]
    for t in range(args[0].size(1)):
        h = torch.tanh(args[0][:, t] + h)
    return h
    """
    reply = named(tmp_path, body, "Net()(f32[B, T:5, 8])")
    assert lines(tmp_path, reply) == [
        "h⟦f32[B, 8]⟧ = args[0][:, 0]",
        "for t in range(args[0].size(1)):",
        "h⟦f32[B, 8]⟧ = torch.tanh(args[0][:, t] + h)",
        "return⟦f32[B, 8]⟧ h",
    ]


def test_sizes_that_depend_on_data_get_no_name(tmp_path: Path) -> None:
    reply = named(tmp_path, "return args[0][args[0] > 0]", "Net()(f32[B:4, T:8])", engine="real")
    (result,) = [one.variants[0].value for one in reply.bindings if one.name == "return"]
    assert not getattr(result, "names", ())


def test_a_modules_own_first_call_is_named(tmp_path: Path) -> None:
    reply = named(tmp_path, "return args[0].flatten()", "Net()(f32[B, T])")
    (use,) = reply.modules
    assert [getattr(value, "names", ()) for value in (*use.inputs, use.output)] == [("B", "T"), ("B*T",)]


def test_an_example_that_fails_says_so(tmp_path: Path) -> None:
    reply = named(tmp_path, "return args[0] @ args[0]", "Net()(f32[B:2, T:3])", failed=True)
    assert reply.constraints == ()


def test_a_quotient_of_sizes_that_happened_to_be_even_is_none() -> None:
    sizes = (7, 8, 11, 12, 15, 16, 28)
    table = Table([{"H": h} for h in sizes])
    inner, outer = tuple((h + 1) // 2 for h in sizes), tuple((h + 1) // 4 for h in sizes)
    assert str(table.learn(inner, [[sizes]])) == "(H+1)//2"
    assert table.learn(outer, [[inner]]) is None, "it may be `(n+1)//2` too"
    assert table.doubtful == {outer}


def test_a_quotient_of_sizes_that_have_to_be_even_is_one() -> None:
    sizes = (8, 12, 16, 28, 36)
    table = Table([{"H": h} for h in sizes])
    assert str(table.learn(tuple(h // 4 for h in sizes), [[sizes]])) == "H//4"


def test_blocks_of_two_sizes(tmp_path: Path) -> None:
    reply = named(tmp_path, "return F.unfold(args[0], 6, stride=3)", "Net()(torch.randn(2, 3, 30, 36))")
    (result,) = [one.variants[0].value for one in reply.bindings if one.name == "return"]
    assert getattr(result, "names", ()) == ("B", "36*C", "(H//3)*(W//3)+1-H//3-W//3")


def test_no_run_is_wasted_on_a_limit() -> None:
    """The size that was tried is none, and the run at the largest size varies the other dims too."""
    factors = [Factor("B", 4, name="B"), Factor("T", 64, name="T")]
    tried: list[dict[str, int]] = []

    def run(sizes: dict[str, int]) -> Outcome:
        tried.append(sizes)
        if sizes["T"] > 1024:
            return Outcome(None, ValueError(f"{sizes['T']} positions, of {1024}"))
        return Outcome(Run(sizes, Record(), []))

    def numbers(error: BaseException) -> list[int]:
        size = int(str(error).split()[0])
        return [size, size - 1, 1024, 1023]

    trials = Trials(Run({"B": 4, "T": 64}, Record(), []), run, factors, numbers, light=True)
    trials.explore()
    assert [(dim.name, dim.high) for dim, _ in trials.limits] == [("T", 1024)]
    assert [sizes["T"] for sizes in tried if sizes["T"] > 1024] == [FAR, 1025]
    assert {sizes["B"] == 4 for sizes in tried if sizes["T"] == 1024} == {False}
    assert sum(sizes["B"] != 4 and sizes["T"] not in (64, FAR, 1025) for sizes in tried) == JOINT
