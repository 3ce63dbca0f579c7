"""Messages survive the wire, and nothing else gets through."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.model.comparison import Overlay
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import (
    Cancel,
    Hello,
    Output,
    Ping,
    Pong,
    Ready,
    StartFailed,
    Taken,
    TraceReply,
    TraceRequest,
)
from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Operation, OperationVariant, Reached, Variant
from fx_lsp.model.value import Group, Opaque, TensorType
from fx_lsp.model.wire import WireError, decode, encode, frame, length

SPAN = Span("/é.py", 1, 2, 3, 4)
TENSOR = TensorType("f32", (2, 3), ("u0", None), "cuda", (1, 2))
GROUP = Group("dict", (TENSOR, Opaque("None"), Group("tuple", (TENSOR,))), ("'a'", "'b'", "'c'"), "", 2)

MESSAGES = [
    Hello(1, "3.11.7", "2.13.0", 12, layers=(LayerReport("limits", "child", "active", "ABI 7", "Memory."),)),
    StartFailed(1, "no torch"),
    Cancel(3),
    TraceRequest(1, "/w", "/w/a.py", "f()", "x = 1", (Overlay("/w/b.py", "é\n"),), "real", 3.5, 10),
    Output(3, True, 9, "timeout", "log"),
    Ready((LayerReport("limits", "child", "missing", "no such system"),)),
    Taken(),
    Ping(3),
    Pong(3),
    Policy(("/a", "/b"), home="/h", seconds=2.5, off=("limits",), bubblewrap=True),
    TraceReply(
        4,
        "real",
        1.5,
        (Binding(SPAN, "x", "assign", (Variant(GROUP, ("a.b",), 3),)),),
        (Operation(SPAN, "torch.cat", "function", (OperationVariant((TENSOR,), GROUP),), (SPAN,)),),
        (ModuleUse("/é.py", "Net", (TENSOR,), None, 5),),
        (Reached("/é.py", (1, 2)),),
        ("/é.py",),
        ("cuda",),
        "why",
        "log",
        Failure("trace", "message", SPAN, (SPAN,), "RuntimeError", "detail", False),
    ),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.kind)
def test_round_trip(message: object) -> None:
    assert decode(encode(message)) == message


def test_what_is_as_usual_is_not_sent() -> None:
    usual = encode(TensorType("f32", (2, 3)))
    assert b"stride" not in usual
    assert b"device" not in usual
    odd = Failure("trace", "message", None, (), proven=1)  # type: ignore[arg-type]
    assert b'"proven":1' in encode(odd)


def test_frame() -> None:
    framed = frame(b"body")
    assert framed == b"\0\0\0\4body"
    assert length(framed[:4], 4) == 4
    with pytest.raises(WireError):
        length(framed[:4], 3)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "3",
        "{}",
        '{"kind": "nonsense"}',
        '{"kind": ["hello"]}',
        '{"kind": "cancel"}',
        '{"kind": "cancel", "id": "3"}',
        '{"kind": "cancel", "id": true}',
        '{"kind": "cancel", "id": 3, "more": 1}',
        '{"kind": "reached", "path": "a", "unreached": [1, "2"]}',
        '{"kind": "reached", "path": "a", "unreached": {}}',
        '{"kind": "failure", "stage": "a", "message": "b", "span": {"path": "a"}}',
        '{"kind": "failure", "stage": "a", "message": "b", "span": {"kind": "cancel", "id": 3}}',
        '{"kind": "trace_reply", "id": 1, "ms": NaN}',
        '{"kind": "trace_reply", "id": 1, "ms": 1e999}',
        f'{{"kind": "trace_reply", "id": 1, "ms": {10**400}}}',
        f'{{"kind": "cancel", "id": {"1" * 10_000}}}',
        "[" * 100_000,
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    with pytest.raises(WireError):
        decode(line.encode())


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(WireError):
        decode(b'{"kind": "\xff"}')


def test_nesting_is_bounded() -> None:
    value: object = {"kind": "opaque", "text": "x"}
    for _ in range(200):
        value = {"kind": "group", "form": "tuple", "items": [value]}
    with pytest.raises(WireError):
        decode(json.dumps({"kind": "variant", "value": value}).encode())


KEYS = st.sampled_from(["kind", "id", "items", "value", "span", "x"])
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
)


@given(DATA)
def test_no_json_does_harm(data: object) -> None:
    with contextlib.suppress(WireError):
        decode(json.dumps(data).encode())
