"""A drawing as one HTML page that loads nothing: the picture to drag and to zoom, and a card with what is known of a
node that is clicked."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any
from xml.sax.saxutils import escape

from fx_lsp.analysis.graph.drawing import Drawing, DrawnNode, DrawnScope
from fx_lsp.analysis.graph.opened import Opened
from fx_lsp.analysis.graph.svg import svg

_STYLE = """
html, body { margin: 0; height: 100%; overflow: hidden; }
body { color-scheme: light dark; font: 13px system-ui, sans-serif; }
#stage { position: absolute; inset: 0; overflow: hidden; cursor: grab; touch-action: none; }
#stage:active { cursor: grabbing; }
#stage > svg { transform-origin: 0 0; position: absolute; }
[data-node], .heading { cursor: pointer; }
.chosen > rect { stroke: Highlight; stroke-width: 3; }
#card { position: absolute; top: 12px; right: 12px; width: min(420px, 45vw); max-height: calc(100% - 48px);
  overflow: auto; padding: 12px 16px; border: 1px solid #8b949e; border-radius: 6px; background: Canvas;
  color: CanvasText; }
#card h2 { margin: 0 0 8px; font-size: 15px; overflow-wrap: anywhere; }
#card dl { margin: 0; display: grid; grid-template-columns: max-content 1fr; gap: 4px 12px; }
#card dt { color: GrayText; }
#card dd { margin: 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
"""

_SCRIPT = """
"use strict";
const stage = document.getElementById("stage"), picture = stage.querySelector("svg");
const card = document.getElementById("card");
const about = JSON.parse(document.getElementById("about").textContent);
let x = 0, y = 0, zoom = 1, held = null, moved = false;
function show() { picture.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`; }
function scale(by, cx, cy) {
  const next = Math.min(8, Math.max(0.02, zoom * by));
  x = cx - (cx - x) * next / zoom; y = cy - (cy - y) * next / zoom; zoom = next; show();
}
function fit() {
  const { width, height } = picture.viewBox.baseVal;
  zoom = Math.min(1, stage.clientWidth / width);
  x = (stage.clientWidth - width * zoom) / 2; y = Math.max(0, (stage.clientHeight - height * zoom) / 2); show();
}
stage.addEventListener("wheel", event => {
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) scale(Math.exp(-event.deltaY / 200), event.clientX, event.clientY);
  else { x -= event.deltaX; y -= event.deltaY; show(); }
}, { passive: false });
stage.addEventListener("pointerdown", event => { held = [event.clientX - x, event.clientY - y]; moved = false; });
stage.addEventListener("pointermove", event => {
  if (!held) return;
  const nextX = event.clientX - held[0], nextY = event.clientY - held[1];
  moved = moved || Math.abs(nextX - x) + Math.abs(nextY - y) > 3;
  if (moved) { x = nextX; y = nextY; show(); }
});
window.addEventListener("pointerup", () => { held = null; });
stage.addEventListener("click", event => {
  if (moved) return;
  const box = event.target.closest("[data-node], [data-scope]");
  stage.querySelector(".chosen")?.classList.remove("chosen");
  card.hidden = !box;
  if (!box) return;
  box.classList.add("chosen");
  const { node, scope } = box.dataset;
  const [title, rows] = about[node === undefined ? "s" + scope : "n" + node];
  card.replaceChildren(Object.assign(document.createElement("h2"), { textContent: title }));
  const list = document.createElement("dl");
  for (const [name, text] of rows) list.append(
    Object.assign(document.createElement("dt"), { textContent: name }),
    Object.assign(document.createElement("dd"), { textContent: text }));
  card.append(list);
});
document.addEventListener("keydown", event => {
  const middle = [stage.clientWidth / 2, stage.clientHeight / 2];
  const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
  if (step) { x += step[0]; y += step[1]; show(); }
  else if (event.key === "+" || event.key === "=") scale(1.25, ...middle);
  else if (event.key === "-") scale(0.8, ...middle);
  else if (event.key === "0") fit();
  else if (event.key === "Escape") card.hidden = true;
});
fit();
"""

Rows = list[tuple[str, str]]


def html(drawing: Drawing) -> str:
    """The text of an `.html` file.  Its policy allows its own script and nothing else."""
    opened = Opened(drawing)
    about: dict[str, Any] = {}
    for number in opened.scopes():
        about[f"s{number}"] = _scope(drawing.scopes[number])
        nodes = (child for child in opened.shown(number).children if child >= 0)
        about |= {f"n{child}": _node(drawing, drawing.nodes[child]) for child in nodes}
    # Inside a script element nothing is escaped, and the next `</script>` ends it.
    data = json.dumps(about, ensure_ascii=False).replace("<", "\\u003c")
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{escape(drawing.name)}</title>
<style>{_STYLE}</style>
</head>
<body>
<div id="stage">{svg(drawing)}</div>
<aside id="card" aria-live="polite" hidden></aside>
<script id="about" type="application/json">{data}</script>
<script>{_SCRIPT}</script>
</body>
</html>
"""


def _node(drawing: Drawing, node: DrawnNode) -> tuple[str, Rows]:
    values = drawing.values
    rows = [
        ("op", node.op),
        ("target", node.target),
        ("code", node.code),
        ("inputs", "\n".join(values[one].label for one in node.inputs)),
        ("output", values[node.value].label if node.value != -1 else ""),
        ("holds", "\n".join(f"{one.name} {values[one.value].label}" for one in node.held)),
        ("module", drawing.scopes[node.scope].path),
        *_numbers(node.parameters, node.flops, node.bytes),
        ("source", _place(drawing, node.place)),
        ("state", "this failed" if node.failed else ""),
    ]
    return f"{node.title} · {node.name}", [row for row in rows if row[1]]


def _scope(scope: DrawnScope) -> tuple[str, Rows]:
    rows = [
        ("path", scope.path),
        ("times", str(scope.times) if scope.times > 1 else ""),
        ("operations", f"{scope.operations:,}"),
        *_numbers(scope.parameters, scope.flops, scope.bytes),
        ("state", "something in it failed" if scope.failed else ""),
    ]
    return scope.title, [row for row in rows if row[1]]


def _numbers(parameters: int, flops: int, size: int) -> Rows:
    found = (("parameters", parameters), ("FLOPs", flops), ("bytes", size))
    return [(name, f"{number:,}") for name, number in found if number]


def _place(drawing: Drawing, place: int) -> str:
    return f"{drawing.spans[place].path}:{drawing.spans[place].line}" if place != -1 else ""
