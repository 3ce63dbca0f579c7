"""Every kind of binding has its value, just after its name."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from tests.worker.tracing import shown, trace

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"

CASES = {
    "assign": """
        def forward(x⟦f32[2, 3]⟧):
            y⟦f32[3, 2]⟧ = x.t()
            a⟦f32[2]⟧ = b⟦f32[2]⟧ = y.sum(0)
            c⟦f32[2]⟧: torch.Tensor = a + b
            n = x.size(0)
            return⟦f32[2]⟧ c
        """,
    "functions for a compiler of bytecode": """
        class compilers:
            def njit(*signature):
                return lambda f: f if not any("fx" in name for name in f.__code__.co_names) else None

        @compilers.njit("f8(f8)")
        def twice(v):
            w = v * 2
            return w

        def forward(x⟦f32[2, 3]⟧):
            y⟦f32[2, 3]⟧ = twice(x)
            return⟦f32[2, 3]⟧ y
        """,
    "unpacking": """
        def forward(x⟦f32[2, 3]⟧):
            b, d = x.shape
            values⟦f32[2]⟧, indices⟦i64[2]⟧ = x.max(1)
            first⟦f32[3]⟧, *rest⟦[f32[3]]⟧ = x.unbind(0)
            (p⟦f32[1, 3]⟧, (q⟦f32[2, 3]⟧, n)) = x[:1], (x, 3)
            return⟦(f32[2], [f32[3]])⟧ values, rest
        """,
    "a name bound twice": """
        def forward(x⟦f32[2, 3]⟧):
            _⟦f32[2, 3]⟧, a⟦f32[3]⟧, _⟦f32[]⟧ = x, x[0], x[0, 0]
            (_⟦f32[2, 3]⟧, b), _⟦f32[3]⟧ = (x, 1), x[0]
            for _⟦f32[3]⟧, _⟦f32[1, 2, 3]⟧ in [(x[0], x[None])]:
                c⟦f32[1, 2, 3]⟧ = _
            d⟦[f32[3]]⟧ = [_ for _⟦f32[]⟧, _⟦f32[3]⟧ in [(x[0, 0], x[0])]]
            return⟦f32[3]⟧ a
        """,
    "augmented": """
        def forward(x⟦f32[2, 3]⟧):
            x⟦f32[2, 3]⟧ += 1
            total = 0
            total⟦f32[]⟧ += x.sum()
            x⟦f32[2, 2]⟧ @= torch.ones(3, 2)
            return⟦f32[2, 2]⟧ x
        """,
    "attributes": """
        class Cache:
            pass
        def forward(x⟦f32[2, 3]⟧):
            cache = Cache()
            cache.last⟦f32[2, 3]⟧ = x
            cache.last⟦f32[2, 3]⟧ *= 2
            cache.left⟦f32[3]⟧, cache.right⟦f32[3]⟧ = x
            return⟦f32[3]⟧ cache.left
        """,
    "loops": """
        def forward(x⟦f32[2, 3]⟧):
            for i, row⟦f32[3]⟧ in enumerate(x):
                part⟦f32[1] | f32[2]⟧ = row[: i + 1]
            while x.dim() < 4:
                x⟦f32[1, 2, 3] | f32[1, 1, 2, 3]⟧ = x.unsqueeze(0)
            return⟦f32[1, 1, 2, 3]⟧ x
        """,
    "comprehensions": """
        def forward(x⟦f32[2, 3]⟧):
            rows⟦[f32[6], f32[6]]⟧ = [row.repeat(2) for row⟦f32[3]⟧ in x if row.dim() == 1]
            named⟦{'a': f32[6], 'b': f32[6]}⟧ = {name: r for name, r⟦f32[6]⟧ in zip("ab", rows)}
            total⟦f32[]⟧ = sum(r.sum() for r⟦f32[6]⟧ in rows)
            return⟦f32[2, 6]⟧ torch.stack([r * total for r⟦f32[6]⟧ in rows])
        """,
    "walrus": """
        def forward(x⟦f32[2, 3]⟧):
            if (y⟦f32[6]⟧ := x.flatten()).numel() > 3:
                x⟦f32[6]⟧ = y
            return⟦f32[6]⟧ x
        """,
    "inside strings": """
        def forward(x⟦f32[2, 3]⟧):
            text = f"{(y⟦f32[3, 2]⟧ := x.t()).shape} é {[r for r⟦f32[2]⟧ in y][0].dim()}"
            both⟦{f32[2, 3]}⟧ = frozenset([x])
            return⟦f32[3, 2]⟧ y
        """,
    "with": """
        from contextlib import contextmanager
        @contextmanager
        def doubled(x⟦f32[2, 3]⟧):
            yield torch.cat([x, x])
        def forward(x⟦f32[2, 3]⟧):
            with torch.no_grad(), doubled(x) as y⟦f32[4, 3]⟧:
                z⟦f32[4]⟧ = y.sum(1)
            return⟦f32[4]⟧ z
        """,
    "parameters": """
        def helper(a⟦f32[2, 3]⟧, /, b⟦f32[2, 3]⟧: "str", *more⟦(f32[2], f32[3])⟧, key=None, **rest⟦{'z': f32[1]}⟧):
            return⟦f32[2, 3]⟧ a
        def forward(x⟦f32[2, 3]⟧):
            return⟦f32[2, 3]⟧ helper(x, x, x[:, 0], x[0], key=1, z=x[0, :1])
        """,
    "lambda": """
        def forward(x⟦f32[2, 3]⟧):
            scale = lambda t⟦f32[2, 3]⟧, by=2: t * by
            return⟦f32[2, 3]⟧ scale(x)
        """,
    "match": """
        def forward(x⟦f32[2, 3]⟧):
            match (x, 3):
                case (y⟦f32[2, 3]⟧, int(n)):
                    return⟦f32[2, 3]⟧ y
        """,
    "outputs": """
        from dataclasses import dataclass
        from typing import NamedTuple, Optional
        @dataclass
        class Out:
            logits: torch.Tensor
            loss: Optional[torch.Tensor] = None
        class Pair(NamedTuple):
            a: torch.Tensor
            n: int
        def forward(x⟦f32[2, 3]⟧):
            out⟦Out(logits=f32[2, 3])⟧ = Out(x)
            pair⟦Pair(a=f32[2, 3], n=3)⟧ = Pair(x, 3)
            nested⟦{'x': [f32[2, 3], (f32[3], None)], 1: 'text'}⟧ = {"x": [x, (x[0], None)], 1: "text"}
            none = {"x": None}
            return⟦(Out(logits=f32[2, 3]), Pair(a=f32[2, 3], n=3))⟧ out, pair
        """,
    "non-ascii and tabs": """
        def forward(größe⟦f32[2, 3]⟧):
        \tif True:
        \t\té⟦f32[3, 2]⟧ = größe.t(); ü⟦f32[2, 2]⟧ = größe @ é  # naïve
        \treturn⟦f32[2, 2]⟧ ü
        """,
    "generator": """
        def halves(x⟦f32[2, 3]⟧):
            for row⟦f32[3]⟧ in x:
                yield row
        def forward(x⟦f32[2, 3]⟧):
            a⟦f32[3]⟧, b⟦f32[3]⟧ = halves(x)
            return⟦f32[3]⟧ a
        """,
}


@pytest.mark.parametrize("name", CASES)
def test_binding(name: str, tmp_path: Path) -> None:
    expected = HEAD + dedent(CASES[name]).strip("\n")
    source = re.sub("⟦.*?⟧", "", expected)
    assert shown(tmp_path, source, "forward(f32[2, 3])") == expected


def test_a_place_that_held_no_tensor_a_thousand_times(tmp_path: Path) -> None:
    source = """
        import torch
        from torch import nn

        class Item:
            def __getattribute__(self, name):
                seen = [name]
                return super().__getattribute__(name)

        class Net(nn.Module):
            def forward(self, x):
                item = Item()
                for number in range(3000):
                    part = [number]
                    other = item
                for number in range(1500):
                    late = x if number == 1400 else [number]
                return late
    """
    reply = trace(tmp_path, source, "Net()(f32[2, 3])")
    assert reply.failure is None
    assert [binding.name for binding in reply.bindings if binding.name in ("part", "other", "late")] == ["late"]
