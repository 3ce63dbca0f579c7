"""Where fake tensors cannot go on, real ones do, and sizes that depend on data say so."""

import re
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from fx_lsp.worker.engines.known import Known, storage_of
from fx_lsp.worker.engines.twins import Twins
from tests.worker.tracing import annotated, shown, trace

HEAD = "import torch\nfrom torch import nn\n"

PACKING = """
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4, batch_first=True)
    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, (h, c) = self.rnn(packed)
        padded, n = pad_packed_sequence(out, batch_first=True, total_length=x.size(1))
        return padded
"""

LIMITED = {
    "packing": (PACKING, "Net()(f32[2, 5, 3], i64[2])"),
    "item": ("def f(x):\n    n = int(x.abs().sum().item())\n    return x * n\n", "f(f32[2])"),
    "numpy": ("def f(x):\n    return torch.from_numpy(x.numpy() * 2)\n", "f(f32[2])"),
    "branch": ("def f(x):\n    if x.sum() > 0:\n        return x\n    return -x\n", "f(f32[2])"),
    "nonzero": ("def f(x):\n    return x[x > 0]\n", "f(f32[20])"),
}


@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_of_fake_tensors_proves_nothing(name: str, tmp_path: Path) -> None:
    source, call = LIMITED[name]
    reply = trace(tmp_path, HEAD + source, call)
    assert reply.failure is not None
    assert not reply.failure.proven
    assert reply.fallback
    assert trace(tmp_path, HEAD + source, call, engine="real").failure is None


KNOWN = {
    "linspace": "return [p.item() * x for p in torch.linspace(0, 1, 3)]",
    "mask": "m = torch.ones(2, 2).tril() > 0\n    return x if m.any() and not m.all() else x[0]",
    "index": "return x[torch.arange(2).flip(0)], [x[i] for i in torch.tensor([0, 1])]",
    "mask as index": (
        "m = torch.tensor([True, False, True])\n    y = x.expand(3, 3, 2)\n    return x[m[:2]], y[:, m], y[m, 0]"
    ),
    "shape": "return torch.nn.functional.one_hot(torch.tensor([0, 5])), torch.arange(4).nonzero()",
    "numpy": "return x + torch.from_numpy(torch.arange(2.0).numpy())",
    "data": "l = nn.Linear(2, 2)\n    l.weight.data = torch.eye(2)\n    l.bias.data.fill_(0)\n    return l(x)",
    "parameter": "p = nn.Parameter(torch.ones(2))\n    p.data.mul_(3)\n    return p * x, p.detach()",
    "in place": "m = torch.zeros(3)\n    m[1] = 2\n    m += 1\n    return x.expand(int(m.sum()), 2)",
    "views": "m = torch.zeros(3)\n    v = m[:2]\n    v.fill_(1)\n    return x.expand(int(m.sum()), 2)",
    "data view": "b = torch.zeros(3)\n    b.data[0] = 4\n    return x.new_zeros(int(b.sum()))",
    "data filled": "m = torch.zeros(4, 4).bool()\n    m.data.fill_(True)\n    return x.expand(4, 2)[m[0]]",
    "data added": "n = torch.tensor(0)\n    n.data.add_(1)\n    n.data += 1\n    return x.new_zeros(int(n) + 2)",
    "transposed": "e = torch.zeros(3, 3, dtype=torch.long)\n    e.T[0] = 1\n    return x.new_zeros(int(e.sum()) + 1)",
    "mT": "e = torch.zeros(3, 3, dtype=torch.long)\n    e.mT[:, 0].fill_(2)\n    return x.new_zeros(int(e.sum()))",
    "real part": "e = torch.zeros(3, dtype=torch.cfloat)\n    e.real.add_(1)\n    return x[: int(e.abs().sum())]",
    "data replaced": "a = torch.ones(3)\n    a.data = torch.ones(5)\n    return x.new_zeros(int(a.sum())), a * 2",
    "loop": "return sum(x * float(w) for w in torch.hann_window(4))",
}


@pytest.mark.parametrize("name", KNOWN)
def test_constants_may_be_read(name: str, tmp_path: Path) -> None:
    source = f"{HEAD}def f(x):\n    {KNOWN[name]}\n"
    texts = [shown(tmp_path, source, "f(f32[2])", engine=engine) for engine in ("fake", "real")]
    assert texts[0] == texts[1]


NOT_KNOWN = {
    "written from the input": "m = torch.zeros(2)\n    m[0] = x[0]\n    return x if m[0] == 0 else x[0]",
    "written through a view": "m = torch.zeros(2)\n    m[:1].copy_(x[:1])\n    return x if m.sum() == 0 else x[0]",
    "seen through an older view": (
        "m = torch.zeros(2)\n    v = m[:1]\n    m.add_(x)\n    return x if v.item() == 0 else x[0]"
    ),
    "parameter": "p = nn.Parameter(torch.ones(2))\n    return x if p.sum() > 0 else x[0]",
    "written through data": "t = torch.ones(4)\n    t.data.copy_(x[0] * 0)\n    return t.nonzero()",
    "written through a transpose": "t = torch.ones(2, 2)\n    t.T.copy_(x[0] * 0)\n    return x[: int(t.sum())]",
    "running statistics": (
        "m, v = torch.zeros(2), torch.ones(2)\n    nn.functional.batch_norm(x.expand(3, 2), m, v, training=True)\n"
        "    return (m != 0).nonzero()"
    ),
    "positional": "m = torch.zeros(2)\n    m[:] = x\n    nn.functional.relu(m, True)\n    return x[: int(m[0])]",
    "large": "m = torch.zeros(200, 200)\n    v = m[0]\n    m += x.sum()\n    return x if v[0] == 0 else x[0]",
    "out": "m = torch.zeros(2)\n    torch.add(x, 1, out=m)\n    return x if m[0] == 0 else x[0]",
    "inplace=True": "m = torch.zeros(2) + x\n    nn.functional.relu(m, inplace=True)\n    return x[: int(m[0])]",
}


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_what_follows_from_the_input_may_not(name: str, tmp_path: Path) -> None:
    reply = trace(tmp_path, f"{HEAD}def f(x):\n    {NOT_KNOWN[name]}\n", "f(f32[2])")
    assert reply.failure is not None
    assert not reply.failure.proven


def test_other_data_for_a_constant_is_doubted(tmp_path: Path) -> None:
    source = f"{HEAD}def f(x):\n    t = torch.ones(4)\n    t.data = x * 0\n    return t * 2\n"
    reply = trace(tmp_path, source, "f(f32[2])")
    assert reply.failure is not None or reply.fallback
    assert "return⟦f32[2]⟧" in shown(tmp_path, source, "f(f32[2])", engine="real")


def test_what_is_drawn_and_read_may_differ(tmp_path: Path) -> None:
    source = f"{HEAD}def f(x):\n    n = torch.randint(1, 1000, (1,))\n    a = x.expand(int(n), 2)\n    return a\n"
    assert "a⟦f32[u0, 2]⟧" in shown(tmp_path, source, "f(f32[2])")
    source = f"{HEAD}def f(x):\n    n = torch.randint(1, 1000, (1,))\n    a = x.expand(3, 2) + n\n    return a\n"
    assert "a⟦f32[3, 2]⟧" in shown(tmp_path, source, "f(f32[2])")


def test_a_tensor_in_the_place_of_one_that_was_drawn_is_not_drawn() -> None:
    known = Known(lambda func, args, kwargs: func(*args, **kwargs), pytest.fail, Twins(FakeTensorMode()))
    same_place = 0
    for _ in range(20):
        drawn = known(torch.rand, (4,), {})
        place = storage_of(drawn)
        del drawn
        other = torch.arange(4)
        same_place += storage_of(other) == place
        assert known(torch.Tensor.tolist, (other,), {}) == [0, 1, 2, 3]
    assert same_place
    assert not known.read_draws
    known(torch.Tensor.tolist, (known(torch.rand, (4,), {}),), {})
    assert known.read_draws


@pytest.mark.parametrize("draw", ["random.randint(1, 1000)", "int(numpy.random.randint(1, 1000))"])
def test_plain_numbers_that_are_drawn_may_differ(tmp_path: Path, draw: str) -> None:
    source = f"import numpy, random\ndef f(x):\n    a = x.expand({draw}, 2)\n    return a\n"
    assert "a⟦f32[u0, 2]⟧" in shown(tmp_path, source, "f(f32[2])")


def test_a_limit_that_the_code_catches_is_not_forgotten(tmp_path: Path) -> None:
    source = "def f(x):\n    try:\n        return x * x.sum().item()\n    except Exception:\n        return x[0]\n"
    reply = trace(tmp_path, HEAD + source, "f(f32[2])")
    assert reply.failure is None
    assert reply.fallback.startswith("DataDependentOutputException")


def test_an_address_is_a_limit_too(tmp_path: Path) -> None:
    source = "def f(x):\n    return x if x.data_ptr() else x[0]\n"
    assert trace(tmp_path, HEAD + source, "f(f32[2])").fallback == "the address of a tensor is asked for"
    assert trace(tmp_path, HEAD + source, "f(f32[2])", engine="real").failure is None


WANTS = "{}(): Expected dtype int32/int64 for index but got: {}"
MASKED = "The shape of the mask [{}] at index {} does not match the shape of the indexed tensor [4, 3] at index {}"
BEYOND = {
    "x[torch.arange(9)]": "index 8 is out of bounds for dimension 0 with size 4",
    "x[..., torch.tensor([0, -4])]": "index -4 is out of bounds for dimension 1 with size 3",
    "x[None, :, torch.tensor([3])]": "index 3 is out of bounds for dimension 1 with size 3",
    "x.index_select(0, torch.arange(9))": "index out of range in self",
    "x.index_select(0, (x > 9).long())": "index_select(): Index is supposed to be a vector",
    "torch.index_select(x, 0, x[0] * 0)": "index_select(): Expected dtype int32 or int64 for index",
    "x.index_add(0, x[0] * 0, x)": WANTS.format("index_add_", "Float"),
    "x.index_copy(0, torch.zeros(1).int(), x[:1])": "index_copy_(): Expected a long tensor for index, but got Int",
    "x.index_fill_(0, x[0] * 0, 1.0)": "index_fill_(): Expected dtype int64 for index.",
    "x.index_reduce(0, x[0], x, 'mean')": WANTS.format("index_reduce_", "Float"),
    "x.index_put((x[0] * 0,), x)": "tensors used as indices must be long, int, byte or bool tensors",
    "x.__setitem__(x[0] * 0, 1.0)": "tensors used as indices must be long, int, byte or bool tensors",
    "torch.gather(x, 0, torch.full((1, 3), 7))": "index 7 is out of bounds for dimension 0 with size 4",
    "nn.functional.embedding(torch.tensor([4]), x)": "index out of range in self",
    "x[[0, 9]]": "index 9 is out of bounds for dimension 0 with size 4",
    "x[:, [0, -4]]": "index -4 is out of bounds for dimension 1 with size 3",
    "x[[0, 1], [1, 3]]": "index 3 is out of bounds for dimension 1 with size 3",
    "x.scatter(1, torch.tensor([[3]]), 1.0)": "index 3 is out of bounds for dimension 1 with size 3",
    "x.scatter_add_(0, torch.tensor([[-1]]), x[:1] * 2)": "index -1 is out of bounds for dimension 0 with size 4",
    "torch.scatter_reduce(x, 0, torch.tensor([[5]]), x, 'sum')": "index 5 is out of bounds for dimension 0 with size 4",
    "x.index_add(0, torch.tensor([4]), x[:1])": "index 4 is out of bounds for dimension 0 with size 4",
    "x.index_fill(1, torch.tensor([3]), 0.0)": "index 3 is out of bounds for dimension 1 with size 3",
    "x.index_put(((x > 9)[:2],), torch.ones(()))": MASKED.format("2, 3", 0, 0),
    "x.__setitem__((slice(None), x[:, 0] > 9), torch.ones(()))": MASKED.format("4", 0, 1),
}
WITHIN = (
    "x[torch.arange(4), torch.tensor([2, -3, 0, 1])]",
    "x[None, torch.tensor([-4]), :2]",
    "x[torch.tensor([7, 7, 0, 7], dtype=torch.uint8)]",
    "x.gather(1, torch.full((4, 5), 2))",
    "x[torch.tensor([[True, False, True]] * 4)]",
    "x[[0, -4]], x[:, [0, 2]], x[[[0, 3]], [[1, 2]]]",
    "x.scatter(1, torch.tensor([[2]]), 1.0), x.index_fill(1, torch.tensor([-3]), 0.0)",
    "x.index_put((x > 9,), torch.ones(())), x.__setitem__((slice(None), x[0] > 9), torch.ones(()))",
    "x.scatter(1, (x > 9).long(), x), x.index_add(0, torch.tensor([3]), x[:1])",
)


@pytest.mark.parametrize("engine", ["fake", "real"])
@pytest.mark.parametrize("body", [*BEYOND, *WITHIN])
def test_ids_that_are_known_are_within_what_they_choose_of(body: str, engine: str, tmp_path: Path) -> None:
    reply = trace(tmp_path, HEAD + f"def f(x):\n    return {body}\n", "f(f32[4, 3])", engine=engine)
    if body in WITHIN:
        assert reply.failure is None
    else:
        assert reply.failure is not None
        assert re.sub(r"\d", "", reply.failure.message.removeprefix("IndexError: ")) == re.sub(r"\d", "", BEYOND[body])


REFUSED = {
    "linear": ("nn.Linear(3, 4)(x)", "i64[2, 3]"),
    "mixed": ("nn.Linear(3, 4)(x)", "f64[2, 3]"),
    "softmax": ("x.softmax(-1)", "i64[2, 3]"),
    "relu": ("torch.relu(x)", "b8[2, 3]"),
    "gelu": ("nn.functional.gelu(x)", "i64[2, 3]"),
    "matmul": ("x @ torch.ones(3, 4)", "i64[2, 3]"),
    "embedding": ("nn.Embedding(9, 4)(x)", "f32[2, 3]"),
    "layer_norm": ("nn.LayerNorm(3)(x)", "i64[2, 3]"),
    "large": ("nn.Linear(2000, 2000)(x)", "i64[2, 2000]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_dtype_that_real_tensors_refuse_is_never_shown_as_fine(name: str, tmp_path: Path) -> None:
    expression, example = REFUSED[name]
    source = f"{HEAD}def f(x):\n    return {expression}\n"
    fake, real = (trace(tmp_path, source, f"f({example})", engine=engine) for engine in ("fake", "real"))
    assert fake.failure is not None or fake.fallback
    assert real.failure is not None
    assert real.failure.proven


def test_dtypes_that_real_tensors_take_raise_no_doubt(tmp_path: Path) -> None:
    source = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5000, 512)
        self.attn = nn.MultiheadAttention(512, 8, batch_first=True)
    def forward(self, ids, mask):
        x = self.emb(ids) * ids[..., None] + mask[..., None]
        x = x.masked_fill(mask[..., None], 0.0).gather(1, ids[..., None].expand(-1, -1, 512) * 0)
        y, _ = self.attn(x, x, x, key_padding_mask=mask)
        loss = nn.functional.cross_entropy(y.flatten(0, 1), ids.flatten())
        return torch.where(mask, ids, ids + 1), ids / 2, ids.float().mean(), mask.sum(-1), loss, y[:, ids[0]]
"""
    reply = trace(tmp_path, HEAD + source, "Net()(i64[2, 16], b8[2, 16])")
    assert reply.failure is None, reply.failure.detail
    assert reply.fallback == ""


def test_sizes_that_depend_on_data(tmp_path: Path) -> None:
    source = """
def f(x, ids):
    chosen = x[x[:, 0] > 0]
    twice = torch.cat([chosen, chosen])
    where, = torch.where(x[:, 1] > 0)
    kept = x[where]
    for row in chosen:
        last = row
    return chosen, x
"""
    text = shown(tmp_path, HEAD + source, "f(f32[50, 3], i64[4])", engine="real")
    assert "chosen⟦f32[u0, 3]⟧ = x" in text
    assert "twice⟦f32[u1, 3]⟧" in text
    assert "where⟦i64[u2]⟧, =" in text
    assert "kept⟦f32[u2, 3]⟧" in text
    assert "for row⟦f32[3]⟧" in text
    assert "return⟦(f32[u0, 3], f32[50, 3])⟧" in text


def test_concrete_sizes_are_those_of_the_first_run(tmp_path: Path) -> None:
    source = HEAD + "def f(x):\n    y = x[x > 0]\n    return y\n"
    reply = trace(tmp_path, source, "f(f32[50])", engine="real")
    value = next(binding for binding in reply.bindings if binding.name == "y").variants[0].value
    assert value.shape[0] not in (0, 50)  # type: ignore[union-attr]
    assert value.names == ("u0",)  # type: ignore[union-attr]


def test_a_comparison_that_fails_takes_nothing_away(tmp_path: Path) -> None:
    source = """
import sys
RUNS = []
def f(x):
    RUNS.append(1)
    y = x + 1
    if len(RUNS) == 2:
        sys.exit()
    return y
"""
    assert "y⟦f32[2]⟧" in shown(tmp_path, HEAD + source, "f(f32[2])", engine="real")


def test_labels_of_two_classes(tmp_path: Path) -> None:
    source = "def f(logits, y):\n    loss = nn.functional.cross_entropy(logits, y)\n    return loss\n"
    assert "loss⟦f32[]⟧" in shown(tmp_path, HEAD + source, "f(f32[4, 2], i64[4])", engine="real")


def test_the_same_number_of_ends_in_each_text(tmp_path: Path) -> None:
    source = """
def f(ids, end=2):
    ends = ids == end
    if ends.sum(1).unique().numel() != 1 or not ends.any():
        raise ValueError("all texts must have the same number of ends")
    x = ids[ends].view(ids.shape[0], -1)[:, -1]
    return x
"""
    assert "x⟦i64[4]⟧" in shown(tmp_path, HEAD + source, "f(i64[4, 16])", engine="real")


def test_example_runs_in_eval_unless_it_says_train(tmp_path: Path) -> None:
    source = """
class Net(nn.Module):
    def forward(self, x):
        return x[:1] if self.training else x
"""
    assert "return⟦f32[2]⟧" in shown(tmp_path, HEAD + source, "Net()(f32[2])")
    assert "return⟦f32[1]⟧" in shown(tmp_path, HEAD + source, "Net().train()(f32[2])")
    assert "return⟦f32[2]⟧" in shown(tmp_path, HEAD + source, "net.forward(f32[2])", setup="net = Net()")


def test_imports_inside_a_forward_are_real(tmp_path: Path) -> None:
    reply = trace(
        tmp_path,
        HEAD + "def f(x):\n    import table\n    return x + table.OFFSET\n",
        "f(f32[2])",
        files={"table.py": "import torch\nOFFSET = float(torch.linspace(0, 1, 3)[1])\n"},
    )
    assert reply.failure is None
    assert reply.fallback == ""


def test_module_level_tensors_are_shown(tmp_path: Path) -> None:
    source = HEAD + "MEAN = torch.tensor([0.5, 0.5])\ndef f(x):\n    return x - MEAN\n"
    reply = trace(tmp_path, source, "f(f32[4, 2])")
    assert "MEAN⟦f32[2]⟧ = " in annotated(reply, tmp_path / "model.py")


GROUPED = """
class Net(nn.Module):
    def forward(self, x, w):
        offs = torch.tensor([2, 6], dtype=torch.int32)
        a = torch.nn.functional.grouped_mm(x, w.transpose(1, 2), offs=offs)
        b = torch.nn.functional.grouped_mm(x[None].expand(2, 6, 8), w.mT)
        c = torch.nn.functional.grouped_mm(x[:, :4].T, x, offs=offs)
        return a, b, c, a.stride()
"""


@pytest.mark.skipif(not hasattr(torch.nn.functional, "grouped_mm"), reason="this torch has no such function")
@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
def test_groups_of_matrices_are_multiplied_as_processors_do(kind: str, tmp_path: Path) -> None:
    source, call = HEAD + GROUPED, f"Net()({kind}[6, 8], {kind}[2, 7, 8])"
    fake, real = (shown(tmp_path, source, call, engine=engine) for engine in ("fake", "real"))
    assert fake == real
    assert f"c⟦{kind}[2, 4, 8]⟧" in fake


def test_groups_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    for call in ("Net()(f32[6, 8], f32[2, 7, 12])", "Net()(f32[6, 7], f32[2, 7, 7])"):
        failed = [trace(tmp_path, HEAD + GROUPED, call, engine=engine).failure for engine in ("fake", "real")]
        assert None not in failed


def test_copied_layers_can_be_converted(tmp_path: Path) -> None:
    source = """
        import copy
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(4, 4)
                self.second = copy.deepcopy(nn.Sequential(self.first, nn.BatchNorm1d(4), self.first)).double()

            def forward(self, x):
                y = self.second(x.double())
                same = torch.zeros(len(list(self.second.parameters())))
                return y
    """
    texts = [shown(tmp_path, source, "Net()(f32[2, 4])", engine=engine) for engine in ("fake", "real")]
    assert texts[0] == texts[1]
    assert "y⟦f64[2, 4]⟧" in texts[0]
    assert "same⟦f32[4]⟧" in texts[0]


CONSTANTS = {
    "gradients reach it": """
        z = torch.zeros(2, 4).requires_grad_()
        nn.Linear(4, 4)(z).sum().backward()
        y = z.grad * x
        return y""",
    "it was used in inference mode": """
        scale = torch.ones(4)
        net = nn.Linear(4, 4)
        with torch.inference_mode():
            a = net(x) * scale
        y = net(x) * scale
        y.sum().backward()
        return y""",
    "its sizes change": """
        m = torch.ones(2)
        a = x[:, None, :2] + m
        m.unsqueeze_(1)
        y = a + m
        return y""",
    "a layer was built elsewhere": """
        with torch.device('meta'):
            nn.Linear(4, 4)
        y = nn.Linear(4, 4)(x)
        return y""",
    "a norm of nothing fails": """
        try:
            y = nn.LayerNorm(tuple(x.shape[2:]))(x)
        except RuntimeError:
            y = x[0]
        return y""",
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_and_layers_are_what_they_would_be(name: str, tmp_path: Path) -> None:
    source = f"{HEAD}def f(x):{CONSTANTS[name]}\n"
    texts = [shown(tmp_path, source, "f(f32[2, 4])", engine=engine) for engine in ("fake", "real")]
    assert texts[0] == texts[1]


DRAWN = "n = random.randint(1, 1000)\n"


def test_where_only_some_runs_come_what_is_drawn_may_differ(tmp_path: Path) -> None:
    """A run that does not come there says nothing of it; others are made until a second one does."""
    source = f"""
import random
def f(x):
    {DRAWN}
    if COIN.pop(0):
        a = x.expand(n, 2)
        x = a[0]
    return x
COIN = [1, 0, 0, 1, 1, 1]
"""
    assert "a⟦f32[u0, 2]⟧" in shown(tmp_path, HEAD + source, "f(f32[2])")


def test_numbers_that_are_drawn_are_of_their_type(tmp_path: Path) -> None:
    source = (
        f"import random\ndef f(x):\n    {DRAWN}    a = {{'x': x, 'n': n, 'p': random.random(), 'k': 3}}\n    return a\n"
    )
    assert "a⟦{'x': f32[2], 'n': int, 'p': float, 'k': 3}⟧" in shown(tmp_path, HEAD + source, "f(f32[2])")


def test_a_compiled_function_takes_any_arguments(tmp_path: Path) -> None:
    """Code that counts the parameters of what it is given sees none, as with torch's own."""
    source = """
@torch.compile
def inner(a, b):
    c = a + b
    return c
def f(x):
    n = inner.__code__.co_argcount
    y = inner(x, x)[: n + 1]
    return y
"""
    text = shown(tmp_path, HEAD + source, "f(f32[5])")
    assert "y⟦f32[1]⟧" in text
    assert "c⟦f32[5]⟧" in text
