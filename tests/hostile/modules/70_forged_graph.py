"""Answers with a graph that is none: cycles, places outside of its tables, scopes in themselves.  Harm: who draws it
never ends."""

from kit import Harmless, answer, binding, reply, span

GRAPH = True


def node(number, **fields):
    made = {"kind": "graph_node", "name": f"n{number}", "op": "call_function", "target": "torch.relu", "code": "x"}
    return {**made, "inputs": [number + 1, 0, -1, 10**9], "output": 10**6, "scope": number, "span": -7, **fields}


def scope(number):
    return {"kind": "graph_scope", "path": "a.b." * 50, "name": "Model", "parent": number, "span": 3, "definition": 99}


answer(
    reply(
        bindings=[binding(span(__file__, 1, 0, 1, 1))],
        files=[__file__],
        modules=[
            {"kind": "module_use", "path": __file__, "name": "Model", "inputs": [], "output": None, "parameters": 0}
        ],
        graph={
            "kind": "graph",
            "level": "operator",
            "name": "Model",
            "nodes": [node(number) for number in range(20_000)],
            "scopes": [scope(number) for number in range(5_000)],
            "imports": ["import os\nos.system('x')"],
            "signature": "def forward(self): \u202e",
            "failed": 10**9,
        },
    )
)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
