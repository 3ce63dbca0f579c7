"""Ways in which people write models: each maps to the right lines, with the right values."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from tests.worker.tracing import shown

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"

CASES = {
    "no_grad and compile": """
        class Net(nn.Module):
            @torch.no_grad()
            def scores(self, x⟦f32[2, 3]⟧):
                return⟦f32[2, 3]⟧ x.softmax(-1)

            @torch.compile(dynamic=True)
            def forward(self, x⟦f32[2, 3]⟧):
                y⟦f32[2, 3]⟧ = self.scores(x)
                return⟦f32[2, 3]⟧ y
        """,
    "script helper": """
        @torch.jit.script
        def gelu(x⟦f32[2, 4]⟧):
            y⟦f32[2, 4]⟧ = torch.tanh(x)
            return⟦f32[2, 4]⟧ 0.5 * x * (1 + y)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 4)

            def forward(self, x⟦f32[2, 3]⟧):
                return⟦f32[2, 4]⟧ gelu(self.fc(x))
        """,
    "containers": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 8), nn.ReLU())
                self.layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 4)])
                self.heads = nn.ModuleDict({"a": nn.Linear(4, 1), "b": nn.Linear(4, 2)})
                self.scale⟦f32[4]⟧ = nn.Parameter(torch.ones(4))

            def forward(self, x⟦f32[2, 3]⟧):
                x⟦f32[2, 8]⟧ = self.body(x)
                for layer in self.layers:
                    x⟦f32[2, 8] | f32[2, 4]⟧ = layer(x)
                x⟦f32[2, 4]⟧ = x * self.scale
                return⟦{'a': f32[2, 1], 'b': f32[2, 2]}⟧ {name: head(x) for name, head in self.heads.items()}
        """,
    "forward called directly": """
        class Inner(nn.Module):
            def forward(self, x⟦f32[2, 3]⟧):
                return⟦f32[3, 2]⟧ x.T

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def forward(self, x⟦f32[2, 3]⟧):
                y⟦f32[3, 2]⟧ = self.inner.forward(x)
                return⟦f32[3, 2]⟧ y
        """,
    "hooks": """
        def double(module, args⟦(f32[2, 3],)⟧, output⟦f32[2, 3]⟧):
            twice⟦f32[2, 6]⟧ = torch.cat([output, output], 1)
            return⟦f32[2, 6]⟧ twice

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 3)
                self.fc.register_forward_hook(double)

            def forward(self, x⟦f32[2, 3]⟧):
                y⟦f32[2, 6]⟧ = self.fc(x)
                return⟦f32[2, 6]⟧ y
        """,
    "checkpoint": """
        from torch.utils.checkpoint import checkpoint

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 5)

            def block(self, x⟦f32[2, 3]⟧):
                h⟦f32[2, 5]⟧ = self.fc(x)
                return⟦f32[2, 5]⟧ h

            def forward(self, x⟦f32[2, 3]⟧):
                a⟦f32[2, 5]⟧ = checkpoint(self.block, x, use_reentrant=False)
                b⟦f32[2, 5]⟧ = checkpoint(self.block, x, use_reentrant=True)
                return⟦f32[2, 5]⟧ a + b
        """,
    "autograd function": """
        class Swish(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x⟦f32[2, 3]⟧):
                y⟦f32[2, 3]⟧ = x * x.sigmoid()
                ctx.save_for_backward(x)
                return⟦f32[2, 3]⟧ y

            @staticmethod
            def backward(ctx, grad⟦f32[2, 3]⟧):
                (x⟦f32[2, 3]⟧,) = ctx.saved_tensors
                return⟦f32[2, 3]⟧ grad * x

        class Net(nn.Module):
            def forward(self, x⟦f32[2, 3]⟧):
                x⟦f32[2, 3]⟧ = x.requires_grad_()
                y⟦f32[2, 3]⟧ = Swish.apply(x)
                (g⟦f32[2, 3]⟧,) = torch.autograd.grad(y.sum(), x)
                return⟦f32[2, 3]⟧ g
        """,
    "partial": """
        from functools import partial

        def scaled(x⟦f32[2, 3]⟧, by):
            return⟦f32[2, 3]⟧ x * by

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.act = partial(scaled, by=2)

            def forward(self, x⟦f32[2, 3]⟧):
                y⟦f32[2, 3]⟧ = self.act(x)
                return⟦f32[2, 3]⟧ y
        """,
    "einops": """
        from einops import pack, rearrange, reduce, repeat
        from einops.layers.torch import Rearrange

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.patch = Rearrange("b (n p) -> b n p", p=1)

            def forward(self, x⟦f32[2, 3]⟧):
                p⟦f32[2, 3, 1]⟧ = self.patch(x)
                q⟦f32[3, 2]⟧ = rearrange(x, "b n -> n b")
                r⟦f32[2, 3, 4]⟧ = repeat(x, "b n -> b n k", k=4)
                m⟦f32[2]⟧ = reduce(x, "b n -> b", "mean")
                all⟦f32[2, 7]⟧, shapes = pack([x, r[:, 0]], "b *")
                return⟦f32[2, 7]⟧ all
        """,
    "func": """
        class Net(nn.Module):
            def forward(self, x⟦f32[2, 3]⟧):
                def one(row⟦f32[3]⟧):
                    s⟦f32[]⟧ = row.sum()
                    return⟦f32[]⟧ s

                sums⟦f32[2]⟧ = torch.vmap(one)(x)
                g⟦f32[3]⟧ = torch.func.grad(one)(x[0])
                return⟦f32[2]⟧ sums
        """,
    "attention": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn = nn.MultiheadAttention(8, 2, batch_first=True)
                self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
                self.rnn = nn.GRU(8, 5, bidirectional=True, batch_first=True)

            def forward(self, x⟦f32[2, 3]⟧):
                x⟦f32[2, 3, 8]⟧ = x[..., None].expand(-1, -1, 8)
                y⟦f32[2, 3, 8]⟧, w⟦f32[2, 3, 3]⟧ = self.attn(x, x, x)
                z⟦f32[2, 3, 8]⟧ = self.encoder(y)
                out⟦f32[2, 3, 10]⟧, h⟦f32[2, 2, 5]⟧ = self.rnn(z)
                return⟦f32[2, 3, 10]⟧ out
        """,
    "asks whether tensors are fake": """
        class Net(nn.Module):
            def forward(self, x⟦f32[2, 3]⟧):
                from torch._subclasses.fake_tensor import FakeTensor
                if isinstance(x, FakeTensor) or isinstance(x, torch._subclasses.FakeTensor):
                    x = x[0]
                return⟦f32[2, 3]⟧ x
        """,
    "accelerators": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 4, device="cuda")
                self.fc2 = nn.Linear(4, 4).cuda()
                self.to(0).to(1, torch.float32)

            def forward(self, x⟦f32[2, 3]⟧):
                x⟦f32[2, 3]⟧ = x.to(0).cuda().to("cuda:0", non_blocking=True).to(torch.device("mps"), torch.float32)
                noise⟦f32[2, 4]⟧ = torch.randn(2, 4, device="cuda")
                torch.cuda.synchronize()
                noise⟦f32[2, 4]⟧ = noise.pin_memory().share_memory_()
                return⟦f32[2, 4]⟧ self.fc2(self.fc(x)).to(noise) + noise
        """,
    "streams of an accelerator": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 4)
                self.side = torch.cuda.Stream()
                self.start = torch.cuda.Event(enable_timing=True)

            def forward(self, x⟦f32[2, 3]⟧):
                self.start.record()
                self.side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.device(0), torch.cuda.stream(self.side), torch.cuda.nvtx.range("fc"):
                    y⟦f32[2, 4]⟧ = self.fc(x)
                y.record_stream(self.side)
                torch.cuda.current_stream().wait_event(self.side.record_event())
                torch.cuda.nvtx.range_push("out")
                mask⟦b8[2, 4]⟧ = (y > 0).type(torch.cuda.BoolTensor)
                z⟦f64[2, 4]⟧ = y.type("torch.cuda.DoubleTensor")
                torch.cuda.reset_peak_memory_stats()
                end = self.start.record() or torch.cuda.Event()
                speed = 1000 / self.start.elapsed_time(end) + torch.cuda.max_memory_allocated()
                return⟦f64[2, 4]⟧ z * speed
        """,
    "attention that has no backward on the processor": """
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention

        def causal(b⟦i64[]⟧, h⟦i64[]⟧, q⟦i64[]⟧, k⟦i64[]⟧):
            return⟦b8[]⟧ q >= k

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 16, device="cuda")

            def forward(self, x⟦f32[2, 3]⟧):
                q⟦f32[1, 1, 2, 16]⟧ = self.fc(x)[None, None]
                mask = create_block_mask(causal, None, None, 2, 2, device=q.device)
                y⟦f32[1, 1, 2, 16]⟧ = flex_attention(q, q, q, block_mask=mask)
                return⟦f32[1, 1, 2, 16]⟧ y * 2
        """,
    "conversion": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 4)
                self.out = nn.Linear(3, 4)
                self.out.weight⟦f32[4, 3]⟧ = self.fc.weight

            def forward(self, x⟦f32[2, 3]⟧):
                self.half()
                y⟦f16[2, 4]⟧ = self.out(x.half())
                self.double().to("cpu")
                assert self.out.weight is self.fc.weight
                z⟦f64[2, 4]⟧ = self.fc(x.double())
                return⟦f64[2, 4]⟧ z
        """,
    "inside a string": '''
        class Net(nn.Module):
            """Doc with y = x[0] in it."""

            def forward(self, x⟦f32[2, 3]⟧):
                """Doc."""
                text = f"{(n := x.shape)} {x.dim()!r:>{4}}"
                return⟦f32[2, 3]⟧ x
        ''',
    "property, default and star expressions": """
        class Net(nn.Module):
            def __init__(self, parts=(1, 2)):
                super().__init__()
                self.parts = parts

            @property
            def table(self):
                return⟦f32[3]⟧ torch.arange(3.0)

            def forward(self, x⟦f32[2, 3]⟧, *, mask=None):
                mask⟦b8[2, 3]⟧ = x > 0 if mask is None else mask
                both⟦(f32[2, 3], b8[2, 3])⟧ = (*[x], mask)
                x⟦f32[2, 3]⟧ = torch.where(*[both[1]], self.table, x)
                return⟦f32[2, 3]⟧ x
        """,
}


@pytest.mark.parametrize("engine", ["fake", "real"])
@pytest.mark.parametrize("name", CASES)
def test_idiom(name: str, engine: str, tmp_path: Path) -> None:
    expected = HEAD + dedent(CASES[name]).strip("\n")
    source = re.sub("⟦.*?⟧", "", expected)
    call = "Net()(f32[2, 3])" if "class Net" in source else "forward(f32[2, 3])"
    assert shown(tmp_path, source, call, engine=engine) == expected
