"""Makes big graphs like those of real models, ready to be drawn.

    python bench/graph_panel/graphs.py FOLDER MODEL-SIZE…

`resnet-5000` writes `resnet-5000.json`: an answer of `fx/graph` with about that many nodes.  The models are
`transformer`, whose blocks all read one mask and two rotary tables; `resnet`, whose blocks differ in their widths; and
`flat`, one module without any inside.  Needs no torch.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fx_lsp.analysis.graph.hierarchy import draw
from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.model.span import Span
from fx_lsp.model.value import TensorType

URI = "file:///models/net.py"
T, C = 64, 768


class Builder:
    """Runs a model that is written down call by call."""

    def __init__(self, name: str) -> None:
        self.nodes: list[GraphNode] = []
        self._name = name
        self._scopes = [GraphScope("", name)]
        self._inside = [0]
        self._values: dict[TensorType, int] = {}
        self._parameters = 0

    def graph(self) -> Graph:
        """All that ran."""
        spans = tuple(Span("/models/net.py", line, 8, line, 40) for line in range(1, 100))
        return Graph("operator", self._name, tuple(self.nodes), tuple(self._scopes), tuple(self._values), spans)

    @contextmanager
    def module(self, path: str, name: str) -> Iterator[None]:
        """A call of a module."""
        around = self._scopes[self._inside[-1]].path
        self._inside.append(len(self._scopes))
        whole = f"{around}.{path}" if around else path
        self._scopes.append(GraphScope(whole, name, self._inside[-2], span=len(path) % 99))
        yield
        self._inside.pop()

    def input(self, name: str, shape: Sequence[int]) -> int:
        """An input of the model."""
        return self._add(name, "placeholder", (), shape)

    def output(self, value: int) -> None:
        """The model returns it."""
        self._add("output", "output", (value,), ())

    def call(self, target: str, inputs: Sequence[int], shape: Sequence[int], flops: int = 0) -> int:
        """A torch function."""
        return self._add(target, "call_function", inputs, shape, flops)

    def layer(
        self, path: str, name: str, target: str, value: int, shape: Sequence[int], *weights: Sequence[int]
    ) -> int:
        """A module with parameters, as one function that reads them."""
        with self.module(path, name):
            read = [self._parameter(f"p{number}", weight) for number, weight in enumerate(weights)]
            return self.call(target, (value, *read), shape, 2 * shape[0] * T * C * C)

    def _parameter(self, name: str, shape: Sequence[int]) -> int:
        path = self._scopes[self._inside[-1]].path
        return self._add(f"{path}.{name}", "get_attr", (), shape, source="parameter")

    def _add(
        self, target: str, op: str, inputs: Sequence[int], shape: Sequence[int], flops: int = 0, source: str = ""
    ) -> int:
        value = self._values.setdefault(TensorType("f32", tuple(shape)), len(self._values))
        name = f"{target.rpartition('.')[2]}_{len(self.nodes)}"
        code = f"{name} = {target}({', '.join(self.nodes[one].name for one in inputs)})"
        elements = 1
        for size in shape:
            elements *= size
        parameters = elements if source else 0
        self.nodes.append(
            GraphNode(name, op, target, code, tuple(inputs), value, self._inside[-1], len(self.nodes) % 99, parameters,
                      flops, 0 if source else 4 * elements, source)
        )  # fmt: skip
        return len(self.nodes) - 1


def transformer(size: int) -> Graph:
    """Blocks of attention and a perceptron; about 36 nodes each."""
    net = Builder("Transformer")
    x = net.layer("wte", "Embedding", "torch.nn.functional.embedding", net.input("idx", (4, T)), (4, T, C), (50304, C))
    mask = net.call("torch.tril", (net.call("torch.ones", (), (T, T)),), (T, T))
    angles = net.call("torch.outer", (net.call("torch.arange", (), (T,)),), (T, C // 24))
    tables = [net.call(f"torch.{name}", (angles,), (T, C // 24)) for name in ("cos", "sin")]
    for number in range(round(size / 36)):
        with net.module(f"h.{number}", "Block"):
            normal = net.layer("ln_1", "LayerNorm", "torch.nn.functional.layer_norm", x, (4, T, C), (C,), (C,))
            x = net.call("operator.add", (x, _attention(net, normal, mask, tables)), (4, T, C))
            normal = net.layer("ln_2", "LayerNorm", "torch.nn.functional.layer_norm", x, (4, T, C), (C,), (C,))
            with net.module("mlp", "MLP"):
                y = net.layer("c_fc", "Linear", "torch.nn.functional.linear", normal, (4, T, 4 * C), (4 * C, C))
                y = net.call("torch.nn.functional.gelu", (y,), (4, T, 4 * C))
                y = net.layer("c_proj", "Linear", "torch.nn.functional.linear", y, (4, T, C), (C, 4 * C))
            x = net.call("operator.add", (x, y), (4, T, C))
    net.output(net.layer("lm_head", "Linear", "torch.nn.functional.linear", x, (4, T, 50304), (50304, C)))
    return net.graph()


def _attention(net: Builder, x: int, mask: int, tables: Sequence[int]) -> int:
    head = (4, 12, T, C // 12)
    with net.module("attn", "CausalSelfAttention"):
        y = net.layer("c_attn", "Linear", "torch.nn.functional.linear", x, (4, T, 3 * C), (3 * C, C))
        parts = net.call("torch.split", (y,), (4, T, C))
        query, key, value = (_head(net, net.call("operator.getitem", (parts,), (4, T, C))) for _ in range(3))
        with net.module("rope", "Rotary"):
            turned = [net.call("operator.mul", (one, table), head) for one in (query, key) for table in tables]
            query, key = (net.call("operator.add", turned[at : at + 2], head) for at in (0, 2))
        scores = net.call("operator.matmul", (query, net.call("torch.transpose", (key,), head)), (4, 12, T, T))
        scores = net.call(
            "torch.masked_fill", (net.call("operator.mul", (scores,), (4, 12, T, T)), mask), (4, 12, T, T)
        )
        weights = net.call("torch.softmax", (scores,), (4, 12, T, T))
        y = net.call("torch.transpose", (net.call("operator.matmul", (weights, value), head),), (4, T, 12, C // 12))
        y = net.call("torch.reshape", (y,), (4, T, C))
        return net.layer("c_proj", "Linear", "torch.nn.functional.linear", y, (4, T, C), (C, C))


def _head(net: Builder, x: int) -> int:
    return net.call("torch.transpose", (net.call("torch.reshape", (x,), (4, T, 12, C // 12)),), (4, 12, T, C // 12))


def resnet(size: int) -> Graph:
    """Residual blocks in four stages; about 12 nodes each, and each a bit wider than the one before."""
    net = Builder("ResNet")
    x = _conv(net, "stem", net.input("x", (2, 3, 64, 64)), 64)
    blocks = round(size / 12 / 4)
    for stage in range(4):
        with net.module(f"layer{stage + 1}", "Sequential"):
            for number in range(blocks):
                width = 64 * 2**stage + 8 * number
                with net.module(str(number), "Bottleneck"):
                    y = _conv(net, "1", x, width)
                    y = _conv(net, "2", y, width)
                    y = _conv(net, "3", y, 4 * width, last=True)
                    x = net.call(
                        "operator.add", (y, _conv(net, "down", x, 4 * width, last=True)), (2, 4 * width, 16, 16)
                    )
                    x = net.call("torch.relu", (x,), (2, 4 * width, 16, 16))
    net.output(net.call("torch.flatten", (x,), (2, 2048)))
    return net.graph()


def _conv(net: Builder, number: str, x: int, width: int, last: bool = False) -> int:
    shape = (2, width, 16, 16)
    y = net.layer(f"conv{number}", "Conv2d", "torch.conv2d", x, shape, (width, width, 3, 3))
    y = net.layer(f"bn{number}", "BatchNorm2d", "torch.nn.functional.batch_norm", y, shape, (width,), (width,))
    return y if last else net.call("torch.relu", (y,), shape)


def flat(size: int) -> Graph:
    """One module without any inside, and with long ways from node to node."""
    net = Builder("Flat")
    made = [net.input("x", (8, 8))]
    for number in range(size):
        others = (made[-1], made[(number * 7919) % len(made)])
        made.append(net.call(("operator.add", "torch.relu")[number % 2], others[: 1 + (number % 3 == 0)], (8, 8)))
    net.output(made[-1])
    return net.graph()


def reply(graph: Graph) -> dict[str, object]:
    """The answer of `fx/graph`."""
    drawing = asdict(draw(graph))
    drawing["places"] = [
        {
            "uri": URI,
            "range": {
                "start": {"line": span["line"] - 1, "character": span["column"]},
                "end": {"line": span["end_line"] - 1, "character": span["end_column"]},
            },
        }
        for span in drawing.pop("spans")
    ]
    about = {"uri": URI, "name": graph.name, "names": [graph.name], "level": "operator"}
    levels = [{"id": "operator", "title": "Operators"}]
    rest = {"levels": levels, "example": 0, "examples": [], "engine": "fake", "failure": None, "drawing": drawing}
    return {"state": "graph", "message": "", **about, **rest}


MODELS = {"transformer": transformer, "resnet": resnet, "flat": flat}


def main() -> None:
    """Write them."""
    folder, *wanted = sys.argv[1:]
    for one in wanted:
        name, size = one.split("-")
        Path(folder, f"{one}.json").write_text(json.dumps(reply(MODELS[name](int(size)))))


if __name__ == "__main__":
    main()
