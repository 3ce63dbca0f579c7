import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_MARKS, type Frame } from "../../webview/draw/frame";
import { paint } from "../../webview/draw/painter";
import { SvgSurface } from "../../webview/draw/svg";
import type { Look, Theme } from "../../webview/draw/theme";
import { Layouter } from "../../webview/layout/layouter";
import { flip, type Child } from "../../webview/model/child";
import { Model } from "../../webview/model/model";
import { View } from "../../webview/model/view";
import { beside } from "../../webview/scene/beside";
import { Scene } from "../../webview/scene/scene";
import { layoutGraph } from "../../webview/scene/sizes";
import { trace, type Lines } from "../../webview/scene/trace";
import { FONTS, RULER } from "./ruler";
import { repeated, Sketch } from "./sketch";

function sceneOf(sketch: Sketch, change: (view: View) => void = () => undefined): { scene: Scene; view: View } {
  const view = new View(new Model(sketch.drawing()));
  change(view);
  const layouter = new Layouter();
  layouter.use(layoutGraph(view.model, RULER, FONTS));
  return { scene: new Scene(view.model, view, layouter.arrange(view.states)), view };
}

const LOOK: Look = { fill: "#111", border: "#222", accent: "#333" };
const KINDS = [
  "module",
  "input",
  "output",
  "constant",
  "reference",
  "failed",
  "weight",
  "norm",
  "activation",
  "pool",
  "shape",
  "operation",
];
const THEME: Theme = {
  fonts: FONTS,
  background: "#000",
  text: "#fff",
  dim: "#aaa",
  line: "#888",
  labelText: "#999",
  depths: ["#000", "#010101"],
  frame: "#555",
  looks: Object.fromEntries(KINDS.map((kind) => [kind, LOOK])) as Theme["looks"],
  selected: "#00f",
  hover: "#0ff",
  cursor: "#ff0",
  hit: "#f80",
  error: "#f00",
  badge: "#666",
  badgeText: "#fff",
  incoming: "#00f",
  outgoing: "#f80",
  heat: ["#000", "#f00"],
  contrast: false,
};

function drawn(scene: Scene, part: Partial<Frame> = {}): string {
  const { width, height } = scene.size;
  const surface = new SvgSurface();
  paint(surface, {
    scene,
    theme: THEME,
    ruler: RULER,
    scale: 1,
    left: 0,
    top: 0,
    right: width,
    bottom: height,
    heat: "none",
    hottest: 0,
    marks: NO_MARKS,
    ...part,
  });
  return surface.document(0, 0, width, height, THEME.background);
}

function texts(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text ?? "");
}

test("children are inside the boxes of their parents", () => {
  const { scene, view } = sceneOf(repeated(3).sketch, (one) => one.openAll());
  let checked = 0;
  for (const { scope, content } of scene.opened.values()) {
    const outer = scene.box(flip(scope));
    for (const child of view.model.scope(content).children) {
      const box = scene.box(child);
      assert.ok(outer && box);
      assert.ok(box.x >= outer.x && box.y >= outer.y);
      assert.ok(
        box.x + box.width <= outer.x + outer.width + 0.01 && box.y + box.height <= outer.y + outer.height + 0.01,
      );
      checked += 1;
    }
  }
  assert.equal(checked, 5);
});

test("the innermost box at a point", () => {
  const { repeat, sketch } = repeated(2);
  const { scene, view } = sceneOf(sketch, (one) => one.openAll());
  const middle = (child: Child): Child | undefined => {
    const box = scene.box(child);
    return box && scene.at(box.x + box.width / 2, box.y + box.height / 2);
  };
  const [linear = -1] = view.children(repeat);
  assert.equal(middle(linear), linear);
  const frame = scene.box(flip(repeat));
  assert.ok(frame);
  assert.equal(scene.at(frame.x + 2, frame.y + 2), flip(repeat));
  assert.equal(scene.at(-5, -5), undefined);
});

test("what is hidden has no box", () => {
  const { repeat, members, sketch } = repeated(2);
  const { scene, view } = sceneOf(sketch);
  assert.equal(scene.box(view.model.scope(members[0] ?? 0).children[0] ?? -1), undefined);
  assert.ok(scene.box(flip(repeat)));
});

test("only what is to be seen is drawn", () => {
  const sketch = new Sketch();
  let last = sketch.node(0, "first");
  for (let number = 0; number < 30; number += 1) {
    last = sketch.node(0, "middle", [last]);
  }
  sketch.node(0, "last", [last]);
  const { scene } = sceneOf(sketch);
  const { height } = scene.size;
  assert.equal(texts(drawn(scene)).filter((text) => text === "middle").length, 30);
  const top = texts(drawn(scene, { bottom: 40 }));
  assert.ok(top.includes("first") && !top.includes("last"));
  const bottom = texts(drawn(scene, { top: height - 10 }));
  assert.ok(bottom.includes("last") && !bottom.includes("first"));
});

test("from afar nothing is written on boxes, and small open ones are empty", () => {
  const { sketch } = repeated(3);
  const { scene } = sceneOf(sketch, (view) => view.openAll());
  assert.ok(texts(drawn(scene)).includes("relu"));
  assert.deepEqual(texts(drawn(scene, { scale: 0.3 })), []);
  const near = (drawn(scene, { scale: 0.3 }).match(/<path/g) ?? []).length;
  const far = (drawn(scene, { scale: 0.02 }).match(/<path/g) ?? []).length;
  assert.ok(far < near);
});

test("a picture has shapes on its lines, the number of a repeat, and escapes what XML reserves", () => {
  const { sketch } = repeated(12);
  sketch.node(0, "<&>");
  const svg = drawn(sceneOf(sketch).scene);
  assert.ok(texts(svg).includes("× 12"));
  assert.ok(texts(svg).includes("f32[2, 3]"));
  assert.ok(svg.includes("&lt;&amp;&gt;") && !svg.includes("<&>"));
});

test("the lines of a box are followed through borders, both ways", () => {
  const { repeat, members, sketch } = repeated(2);
  const { scene, view } = sceneOf(sketch, (one) => one.toggle(flip(repeat)));
  const [linear = -1, relu = -1] = view.model.scope(members[0] ?? 0).children;
  const plain = (lines: Lines): [number, number[]][] => [...lines].map(([scope, numbers]) => [scope, [...numbers]]);
  const { incoming, outgoing } = trace(scene, linear);
  assert.deepEqual(
    plain(incoming),
    [
      [repeat, [0]],
      [0, [0]],
    ],
    "from the border of the repeat, and before that from x",
  );
  assert.deepEqual(plain(outgoing), [[repeat, [1]]]);
  assert.deepEqual(
    plain(trace(scene, relu).outgoing),
    [
      [repeat, [2]],
      [0, [1]],
    ],
    "out of the repeat to the output",
  );
  const [x = -1] = view.children(0);
  assert.deepEqual(
    plain(trace(scene, x).outgoing),
    [
      [0, [0]],
      [repeat, [0]],
    ],
    "into the repeat",
  );
});

test("the box to the left and to the right", () => {
  const sketch = new Sketch();
  const x = sketch.node(0, "x");
  const [left = -1, right = -1] = ["a", "b"].map((title) => sketch.node(0, title, [x]));
  sketch.node(0, "cat", [left, right]);
  const { scene, view } = sceneOf(sketch);
  const [first, second] = (scene.box(left)?.x ?? 0) < (scene.box(right)?.x ?? 0) ? [left, right] : [right, left];
  assert.equal(beside(scene, view, first, "right"), second);
  assert.equal(beside(scene, view, second, "left"), first);
  assert.equal(beside(scene, view, first, "left"), undefined);
  assert.equal(beside(scene, view, x, "right"), undefined);
});
