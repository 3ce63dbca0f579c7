"""Clients that send what they like: the server answers the next proper request, and says nothing that is no JSON."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lsprotocol import types

from fx_lsp.server.incoming import Incoming, Protocol
from tests.fuzz import hostile
from tests.fuzz.session import frame, initialize, notification, request, talk

INTERNAL = -32603
OWN = ("fx/graph", "fx/code", "fx/export", "fx/rewriteGraph", "fx/examples", "fx/doctor", "fx/trust")
METHODS = sorted({*types.METHOD_TO_TYPES, *OWN, "$/nothing", "textDocument/nothing"} - {types.EXIT})
MODEL = "from torch import nn\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n"

words = st.one_of(
    hostile.texts,
    st.sampled_from(
        [
            "file:///w/a.py",
            "file:///w/pyproject.toml",
            "file:///w/a%00.py",
            "file:///%FF%FE.py",
            "file:///\ud800.py",
            "file://[/a.py",
            "file:a.py",
            "file:////host",
            "file:///" + "a/" * 3000 + "a.py",
            "untitled:Untitled-1",
            "file:///dev/zero.py",
            "fx.addExample",
            "fx.annotate",
            "fx.chooseExample",
            "fx.chooseCall",
        ]
    ),
)
junk = st.recursive(
    st.one_of(st.none(), st.booleans(), hostile.numbers, st.floats(allow_nan=False, allow_infinity=False), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=6,
)
places = st.one_of(hostile.numbers, st.integers(0, 9))
positions = st.fixed_dictionaries({"line": places, "character": places})
ranges = st.fixed_dictionaries({"start": positions, "end": positions})
documents = st.fixed_dictionaries({"uri": words, "version": places, "languageId": st.just("python"), "text": words})
changes = st.one_of(
    st.fixed_dictionaries({"range": ranges, "text": words}), st.fixed_dictionaries({"text": words}), junk
)
params = st.one_of(
    junk,
    st.fixed_dictionaries(
        {
            "textDocument": documents,
            "position": positions,
            "range": ranges,
            "context": st.fixed_dictionaries({"diagnostics": st.just([])}),
            "contentChanges": st.lists(changes, max_size=3),
            "changes": st.lists(st.fixed_dictionaries({"uri": words, "type": places}), max_size=2),
            "event": st.fixed_dictionaries({"added": st.just([]), "removed": st.just([])}),
            "settings": junk,
            "command": words,
            "arguments": st.lists(junk, max_size=3),
            "name": junk,
            "line": junk,
            "level": junk,
            "example": junk,
            "format": junk,
            "id": junk,
        }
    ),
)
messages = st.one_of(
    junk,
    st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS), "params": params}),
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "id": st.one_of(st.integers(0, 3), junk), "method": st.sampled_from(METHODS)},
        optional={"params": params},
    ),
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "id": st.one_of(st.integers(0, 3), junk)}, optional={"result": junk, "error": junk}
    ),
    st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result"]), junk),
)


def body(message: Any) -> bytes:
    """JSON with halves of surrogate pairs as they are written."""
    return json.dumps(message).encode()


frames = st.one_of(
    messages.map(lambda message: frame(body(message))),
    st.tuples(messages, st.integers(-60, 60)).map(lambda pair: frame(body(pair[0]), pair[1])),
    st.binary(max_size=50).map(frame),
    st.sampled_from(
        [
            b"\r\n\r\n",
            b"Content-Length: 5\r\n",
            b"Content-Length: -1\r\n\r\n",
            b"Content-Length: 0\r\n\r\n",
            b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
            b"Content-Length: 99999999999\r\n\r\nxyz",
            b"content-length:1\r\nContent-Type: x\r\n\r\n{",
            b"x" * 70_000,
            b"\0\xff\xfe",
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            frame(b"[" * 100_000),
            frame(b'{"a":' * 5000),
            frame(b"1" * 10_000),
            frame(b'{"jsonrpc":"2.0","id":' + b"1" * 10_000 + b"}"),
            frame(b"\xff\xfe"),
            frame(b"[]"),
            frame(b"null"),
            frame(b"NaN"),
        ]
    ),
    st.binary(max_size=200),
)


def probes(last: str) -> list[bytes]:
    """Proper requests; a wrong length before them swallows no more than the first ones."""
    return [frame(request(name, "fx/examples", {"pad": "x" * 200})) for name in ("one", "two", "three", last)]


FEWER = settings(max_examples=max(settings.default.max_examples // 3, 1)) if settings.default else settings()
"""Each starts a server of its own."""


@FEWER
@given(st.lists(frames, max_size=6), st.booleans())
@example([frame(request(1, "textDocument/hover"), 7), frame(request(2, "fx/doctor"))], False)
@example([frame(request(1, "shutdown")), frame(notification("initialized", {}))], False)
@example([frame(request([1], "initialize", {}))], False)
@example([frame({"jsonrpc": "2.0", "id": {}, "result": None}), frame({"jsonrpc": "2.0", "result": 1})], True)
@example([frame(notification("$/cancelRequest", None)), frame(notification("$/cancelRequest", {"id": []}))], True)
@example([frame(notification("textDocument/didOpen", {"textDocument": {"uri": "file://[/a.py"}}))], True)
def test_the_next_proper_request_is_answered(chunks: list[bytes], begun: bool) -> None:
    start = [frame(message) for message in initialize(None)] if begun else []
    answers = asyncio.run(talk([*start, *chunks, *probes("last")], "last"))
    assert any(answer.get("id", 0) == "last" for answer in answers)


class _Noted:
    """Stands for the protocol."""

    begun = True

    def __init__(self) -> None:
        self.seen: list[str] = []

    def refuse(self, identity: Any, error: Exception) -> None:
        self.seen.append(f"refused {identity} {error}")

    def fail(self, identity: Any, error: Exception) -> None:
        self.seen.append(f"failed {identity} {error}")

    def structure_message(self, data: Any) -> Any:
        return data

    def handle_message(self, message: Any) -> None:
        self.seen.append(json.dumps(message))


def noted(chunks: list[bytes]) -> list[str]:
    """What the protocol is asked to do."""
    protocol = _Noted()
    incoming = Incoming(cast("Protocol", protocol))
    for chunk in chunks:
        incoming.feed(chunk)
        assert len(incoming._buffer) < 300_000
    return protocol.seen


@given(st.lists(frames, max_size=5), st.integers(1, 40))
def test_it_does_not_matter_how_the_bytes_arrive(chunks: list[bytes], size: int) -> None:
    data = b"".join([*chunks, *probes("last")])
    pieces = [data[start : start + size] for start in range(0, min(len(data), 3000), size)]
    rest = data[len(b"".join(pieces)) :]
    assert noted([data]) == noted([*pieces, rest])
    assert json.loads(noted([data])[-1])["id"] == "last"


def test_wrong_lengths_are_not_suffered_for_ever() -> None:
    with pytest.raises(ConnectionError):
        noted([(b"Content-Length: 1000\r\n\r\n" + b"x" * 20) * 5000])


edits = st.lists(
    st.one_of(st.fixed_dictionaries({"range": ranges, "text": words}), st.fixed_dictionaries({"text": words}))
)


@FEWER
@given(edits, positions, ranges)
def test_a_well_formed_request_fails_in_no_handler(
    edits: list[Any], position: dict[str, int], where: dict[str, Any]
) -> None:
    document = {"uri": "file:///w/a.py", "version": 1, "languageId": "python", "text": MODEL}
    known = {"textDocument": document, "position": position, "range": where, "context": {"diagnostics": []}}
    asked = ("inlayHint", "hover", "codeLens", "codeAction", "diagnostic")
    chunks = [
        *initialize(None),
        notification("textDocument/didOpen", known),
        notification("textDocument/didOpen", known),
        *(notification("textDocument/didChange", {**known, "contentChanges": [edit]}) for edit in edits),
        *(request(method, f"textDocument/{method}", known) for method in asked),
        *(request(method, method, {**known, "line": position["line"]}) for method in OWN[:-1]),
        notification("textDocument/didSave", known),
        notification("textDocument/didClose", known),
        notification("textDocument/didClose", known),
        notification("textDocument/didChange", {**known, "contentChanges": edits}),
        request("last", "shutdown"),
    ]
    answers = asyncio.run(talk([frame(chunk) for chunk in chunks], "last"))
    assert not [answer for answer in answers if answer.get("error", {}).get("code") == INTERNAL]


@pytest.mark.parametrize(
    ("chunks", "codes"),
    [
        ([request(1, "textDocument/hover", {})], {1: -32002}),
        ([request(1, "shutdown")], {1: -32002}),
        ([*initialize(None), request(1, "initialize", {"capabilities": {}})], {1: -32600}),
        ([*initialize(None), request(1, "no/such/method")], {1: -32601}),
        ([*initialize(None), request(1, "textDocument/hover", {"position": 3})], {1: -32602}),
        ([*initialize(None), request(1, "textDocument/hover", None)], {1: -32602}),
        ([*initialize(None), request("s", "shutdown"), request(1, "fx/doctor")], {1: -32600}),
        ([{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}], {None: -32600}),
        ([[request(1, "shutdown")]], {None: -32600}),
        ([b"{"], {None: -32700}),
        ([b"[" * 100_000], {None: -32700}),
    ],
)
def test_what_cannot_be_done_is_said(chunks: list[Any], codes: dict[Any, int]) -> None:
    answers = asyncio.run(talk([frame(chunk) for chunk in [*chunks, request("last", "fx/doctor")]], "last"))
    found = {
        answer["id"]: answer["error"]["code"] for answer in answers if "error" in answer and answer["id"] != "last"
    }
    assert found == codes


def test_text_in_a_message_is_no_header(tmp_path: Path) -> None:
    inside = "\r\nContent-Length: 10\r\n\r\n" + json.dumps(request("smuggled", "shutdown"))
    opened = notification("textDocument/didOpen", {"textDocument": {"uri": 3, "text": inside}})
    chunks = [*initialize(tmp_path), opened, request(inside, "no/such"), request("last", "fx/doctor")]
    answers = asyncio.run(talk([frame(chunk) for chunk in chunks], "last"))
    assert not [answer for answer in answers if answer.get("id") == "smuggled"]


def test_an_answer_that_is_none_ends_the_wait_for_it(tmp_path: Path) -> None:
    """The client gave its settings in a way that cannot be understood: the defaults hold, and the session goes on."""
    capabilities = {"workspace": {"configuration": True}}
    chunks = [frame(message) for message in initialize(tmp_path, capabilities=capabilities)]
    wrong = frame({"jsonrpc": "2.0", "id": "x", "error": {"code": "no"}})
    answers = asyncio.run(talk([*chunks, wrong, frame(request("last", "fx/doctor"))], "last"))
    assert any(answer.get("method") == "workspace/configuration" for answer in answers)
