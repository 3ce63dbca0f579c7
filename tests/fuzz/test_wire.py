"""Bytes of a worker that means ill: messages, or `WireError`, whatever comes and however it is cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fx_lsp.model import messages, wire
from fx_lsp.model.messages import Hello, Output, TraceReply, TraceRequest
from fx_lsp.model.wire import WireError
from tests.fuzz import hostile

KINDS = sorted(wire._CLASSES)
junk = st.recursive(
    st.one_of(st.none(), st.booleans(), hostile.numbers, hostile.texts, st.floats()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.sampled_from(["kind", "id", "items", "value", "span", "path"]), hostile.texts), inner
        ),
        st.tuples(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(["id", "items", "text"]), inner)).map(
            lambda pair: {"kind": pair[0], **pair[1]}
        ),
    ),
    max_leaves=8,
)


@given(st.one_of(junk.map(lambda data: json.dumps(data).encode()), st.binary(max_size=60)))
@example(b"[" * 100_000)
@example(b'{"kind":"opaque","text":' * 5_000)
@example(b'{"kind":"ping","id":' + b"9" * 5_000 + b"}")
@example(b'{"kind":"trace_reply","id":1,"ms":NaN}')
@example(b'{"kind":"trace_reply","id":1,"ms":1e999}')
@example(b'{"kind":"trace_reply","id":1,"ms":' + b"9" * 400 + b"}")
@example(b'{"kind":["opaque"]}')
@example(b'{"kind":"span"}')
@example(b"\xff\xfe\x00")
@example(b"null")
def test_any_bytes_are_a_message_or_refused(body: bytes) -> None:
    try:
        message = wire.decode(body)
    except WireError:
        return
    assert wire.decode(wire.encode(message)) == message


@given(st.one_of(*(hostile.of(cls) for cls in (TraceReply, Output, Hello, TraceRequest))))
def test_what_can_be_said_comes_back(message: object) -> None:
    try:
        body = wire.encode(message)
    except ValueError:  # no number of JSON: infinite, or none
        return
    assert wire.decode(body) == message


@pytest.mark.parametrize("size", [101, 1 << 31, (1 << 32) - 1])
def test_a_frame_that_is_too_long_is_refused_by_its_header(size: int) -> None:
    with pytest.raises(WireError):
        wire.length(size.to_bytes(4, "big"), 100)
    assert messages.MAX_REPLY < 1 << 31
