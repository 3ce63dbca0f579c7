"""`# fx:` comments: where they count, and one problem at the exact place of a mistake."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.config import Config
from fx_lsp.model.example import Example
from tests.analysis.workspaces import found, marked, problems, workspace


def targets(source: str) -> list[tuple[str, str]]:
    return [(example.target, example.call) for example in found(workspace(source), "directive")]


@pytest.mark.parametrize(
    "source",
    [
        "# fx: A()(f32[2])\nclass A: pass",
        "# fx: A()(f32[2])\n@deco\n# more\n@deco(1)\nclass A: pass",
        "@deco\n# fx: A()(f32[2])\nclass A: pass",
        "# fx: A()(f32[2])\n# a note\nclass A: pass",
        "class A: pass  # fx: A()(f32[2])",
        "class A(\n    B,\n):  # fx: A()(f32[2])\n    pass",
        "class A:\n    # fx: A()(f32[2])\n    def forward(self, x): pass",
        "class A:\n    # fx: A()(f32[2])\n    @torch.no_grad()\n    def forward(self, x): pass",
        "class A:\n    def forward(self, x):  # fx: A()(f32[2])\n        pass",
        "class A:\n    def forward(\n        self,\n        x,  # fx: A()(f32[2])\n    ):\n        pass",
        "class A:\n    #fx:A()(f32[2])\n    x = 1",
        "if True:\n    # fx: A()(f32[2])\n    class A: pass",
        "class A: pass\n\n# fx: A()(f32[2])\n",
    ],
)
def test_places(source):
    assert targets(source) == [("A", "A()(f32[2])")]


def test_several_and_nested():
    source = """
        # fx: Outer()(f32[2])
        # fx: Outer(3)(f32[3])
        class Outer:
            # fx: Outer.Inner()(i64[])
            class Inner: pass
    """
    assert targets(source) == [
        ("Outer", "Outer()(f32[2])"),
        ("Outer", "Outer(3)(f32[3])"),
        ("Outer.Inner", "Outer.Inner()(i64[])"),
    ]


def test_a_function():
    source = "# fx: attention(f32[2, 4, 8], f32[2, 4, 8])\ndef attention(q, k): return q @ k.mT\n"
    assert targets(source) == [("attention", "attention(f32[2, 4, 8], f32[2, 4, 8])")]


def test_strings_do_not_count():
    assert targets("x = '''\n# fx: A()(f32[2])\n'''\ny = '# fx: A()'\nclass A: pass") == []


def test_a_file_that_does_not_parse_says_nothing():
    space = workspace("# fx: A(\nclass A(: pass\n")
    assert (found(space, "directive"), problems(space, "directive")) == ([], [])


def test_span_counts_bytes_and_dims_come_from_the_configuration():
    space = workspace("class Ä: pass  # fx: Ä()(f32[T])  \n")
    config = Config(dims={"T": 5}, setup={"/w/model.py": "c = 1"})
    (example,) = found(space, "directive", config=config)
    assert isinstance(example, Example)
    assert (example.dims, example.setup, example.scope) == ((("T", 5),), "c = 1", "/w/model.py")
    assert example.span is not None
    assert marked(space, example.span) == "Ä()(f32[T])"


@pytest.mark.parametrize(
    ("call", "message", "place"),
    [
        ("A(", "not a Python expression: '(' was never closed", "("),
        ("A)(f32[2])", "not a Python expression: unmatched ')'", ")(f32[2])"),
        ("A()(f32[2]) then this", "not a Python expression: invalid syntax", "then this"),
        ("i64[] i64[] A()", "not a Python expression: invalid syntax", "i64[] A()"),
        ("x = A()", "not a Python expression: invalid syntax", "= A()"),
        ("A", "this calls nothing", "A"),
        ("f32[2, 3]", "this calls nothing", "f32[2, 3]"),
        ("B()(f32[2])", "B is neither defined nor imported in this file", "B"),
        ("Ä()(f32[2])", "Ä is neither defined nor imported in this file", "Ä"),
        ("b.c.D()(f32[2])", "b is neither defined nor imported in this file", "b"),
        ("A()(f33[2])", "unknown dtype f33, did you mean f32?", "f33"),
        ("A()(i64[], i46[2])", "unknown dtype i46, did you mean i64?", "i46"),
        ("A()(float32[2])", "unknown dtype float32, did you mean f32?", "float32"),
        ("A()(float[2])", "unknown dtype float, did you mean f32?", "float"),
        ("A()(int[2])", "unknown dtype int, did you mean i64?", "int"),
        ("A()(bool[2])", "unknown dtype bool, did you mean b8?", "bool"),
        ("A()(bfloat16[2])", "unknown dtype bfloat16, did you mean bf16?", "bfloat16"),
        ("A()(f32[B:2], f32[B:3])", "B has two sizes, 2 and 3", "B:3])"),
        ("A()(f32[B:x])", "a dim with a size is written name:number", "B:x])"),
        ("A()(f32[-1, 3])", "-1 is no size: a dim is a number or a name", "-1"),
        ("A()(f32['b'])", "'b' is no size: a dim is a number or a name", "'b'"),
        ("A()(f32[2.5])", "2.5 is no size: a dim is a number or a name", "2.5"),
        ("n = ; A()(f32[2])", "not a Python statement: invalid syntax", "n ="),
        ("n = 1; A(m)(f32[2]", "not a Python expression: '(' was never closed", "(f32[2]"),
        ("n = 1; B()(f32[2])", "B is neither defined nor imported in this file", "B"),
        ("n = 1;", "not a Python expression: invalid syntax", ""),
    ],
)
def test_mistakes(call, message, place):
    space = workspace(f"class A:  # é fx\n    def forward(self, x):  # fx: {call}\n        return x\n")
    (problem,) = problems(space, "directive")
    assert (problem.code, problem.severity) == ("bad-directive", "error")
    assert problem.message.startswith(message)
    assert problem.span.line == 2
    assert marked(space, problem.span) == place
    assert found(space, "directive") == []


def test_nested_too_deeply():
    call = "A()(" + "+".join(["1"] * 3000) + ")"
    (problem,) = problems(workspace(f"# fx: {call}\nclass A: pass\n"), "directive")
    assert problem.message.startswith(("this is nested too deeply", "not a Python expression: maximum recursion depth"))


def test_nothing_after_the_mark():
    space = workspace("# fx:\nclass A: pass\n")
    (problem,) = problems(space, "directive")
    assert problem.message.startswith("not a Python expression")
    assert problem.span.line == 1


@pytest.mark.parametrize(
    "source",
    [
        "# fx: len([f32[2]])\nclass A: pass",
        "# fx: nn.Linear(2, 3)(f32[2])\nfrom torch import nn",
        "# fx: torch.relu(f32[2])\nimport torch",
        "from elsewhere import *\n# fx: Unknown()(f32[2])\nclass A: pass",
        "sizes = [1]\n# fx: A()(f32[sizes[0]])\nclass A: pass",
        "f16x = {}\n# fx: A()(f16x[2])\nclass A: pass",
        "# fx: (A if True else A)()(f32[2])\nclass A: pass",
        "# fx: [layer(f32[2]) for layer in A().layers]\nclass A: pass",
    ],
)
def test_no_mistakes(source):
    assert problems(workspace(source), "directive") == []
    assert len(found(workspace(source), "directive")) == 1


def test_a_name_of_the_setup():
    space = workspace("# fx: made(f32[2])\nclass A: pass\n")
    assert problems(space, "directive")
    config = Config(setup={"/w/model.py": "made = A()"})
    assert not problems(space, "directive", config=config)


def test_statements_before_the_call():
    space = workspace("# fx: s = 'a;b'; n = len(s);  A(n)(f32[n])\nclass A: pass\n")
    (example,) = found(space, "directive", config=Config(setup={"/w/model.py": "c = 1"}))
    assert (example.setup, example.call) == ("c = 1\ns = 'a;b'; n = len(s)", "A(n)(f32[n])")
    assert marked(space, example.span) == "A(n)(f32[n])"
    assert problems(space, "directive") == []


def test_one_mistake_leaves_the_others():
    source = "# fx: A()(f32[2])\n# fx: A(\n# fx: A()(f32[3])\nclass A: pass\n"
    assert [call for _, call in targets(source)] == ["A()(f32[2])", "A()(f32[3])"]
    assert len(problems(workspace(source), "directive")) == 1
