import assert from "node:assert/strict";
import { test } from "node:test";

import { PADDING } from "../../webview/layout/metrics";
import { Layouter } from "../../webview/layout/layouter";
import type { Block, LayoutGraph } from "../../webview/layout/types";
import { flip } from "../../webview/model/child";
import { at } from "../../webview/model/list";
import { Model } from "../../webview/model/model";
import { View } from "../../webview/model/view";
import { layoutGraph } from "../../webview/scene/sizes";
import { FONTS, RULER } from "./ruler";
import { repeated, Sketch } from "./sketch";

function sizes(model: Model): LayoutGraph {
  return layoutGraph(model, RULER, FONTS);
}

function laidOut(
  sketch: Sketch,
  change: (view: View) => void = () => undefined,
): { view: View; layouter: Layouter; blocks: (Block | undefined)[] } {
  const view = new View(new Model(sketch.drawing()));
  change(view);
  const layouter = new Layouter();
  layouter.use(sizes(view.model));
  return { view, layouter, blocks: layouter.arrange(view.states) };
}

function boxes({ boxes: numbers }: Block): { left: number; top: number; right: number; bottom: number }[] {
  return Array.from({ length: numbers.length / 4 }, (_, child) => {
    const [left = 0, top = 0, width = 0, height = 0] = numbers.subarray(4 * child);
    return { left, top, right: left + width, bottom: top + height };
  });
}

function ends({ points, starts }: Block, line: number): [from: [number, number], to: [number, number]] {
  const [first, last] = [at(starts, line), at(starts, line + 1) - 1];
  return [
    [at(points, 2 * first), at(points, 2 * first + 1)],
    [at(points, 2 * last), at(points, 2 * last + 1)],
  ];
}

/** No two children overlap, and all of them are inside. */
function assertNeat(block: Block): void {
  const all = boxes(block);
  const byTop = [...all].sort((one, other) => one.top - other.top);
  byTop.forEach((one, number) => {
    assert.ok(one.left >= 0 && one.top >= 0 && one.right <= block.width + 0.01 && one.bottom <= block.height + 0.01);
    for (const other of byTop.slice(number + 1)) {
      if (other.top >= one.bottom) {
        break;
      }
      assert.ok(other.left >= one.right || other.right <= one.left, "two boxes overlap");
    }
  });
}

function chain(length: number): Sketch {
  const sketch = new Sketch();
  let last = sketch.node(0, "x", [], { role: "input" });
  for (let number = 1; number < length; number += 1) {
    last = sketch.node(0, "relu", [last]);
  }
  return sketch;
}

test("boxes stand below what they read, and none overlap", () => {
  const sketch = new Sketch();
  const x = sketch.node(0, "x");
  const sides = ["left", "right"].map((title) => sketch.node(0, title, [x]));
  sketch.node(0, "cat", sides);
  const block = at(laidOut(sketch).blocks, 0) as Block;
  assertNeat(block);
  const [first, left, right, cat] = boxes(block);
  assert.ok(first && left && right && cat);
  assert.ok(first.bottom < left.top && left.bottom < cat.top);
  assert.equal(left.top, right.top);
});

test("lines start at the lower and end at the upper border of boxes", () => {
  const { blocks, view } = laidOut(repeated(2).sketch, (one) => one.openAll());
  for (const [scope, block] of blocks.entries()) {
    if (block === undefined) {
      continue;
    }
    const all = boxes(block);
    const { children, edges } = view.model.scope(view.content(scope));
    block.edges.forEach((edge, line) => {
      const { source, target } = at(edges, edge);
      const [[fromX, fromY], [toX, toY]] = ends(block, line);
      const from = source === -1 ? undefined : at(all, children.indexOf(source));
      const to = target === -1 ? undefined : at(all, children.indexOf(target));
      assert.ok(fromY < toY);
      if (from !== undefined) {
        assert.ok(Math.abs(fromY - from.bottom) < 0.01 && fromX >= from.left && fromX <= from.right);
      }
      assert.ok(Math.abs(toY - (to?.top ?? block.height)) < 0.01);
      assert.ok(to === undefined || (toX >= to.left && toX <= to.right));
    });
  }
});

test("a line that goes into an open box goes on inside where it comes in", () => {
  const sketch = new Sketch();
  const sources = ["a", "b"].map((title) => sketch.node(0, title));
  const inner = sketch.scope(0, "Add", "add", sources);
  const sum = sketch.node(inner, "+");
  sketch.enter(inner, sum, 0);
  sketch.enter(inner, sum, 1);
  sketch.leave(inner, sum);
  const { blocks } = laidOut(sketch, (view) => view.openAll());
  const [outer, block] = blocks;
  assert.ok(outer && block);
  const box = at(boxes(outer), 2);
  const arrivals = [0, 1].map((line) => ends(outer, line)[1][0] - box.left);
  arrivals.forEach((x, entry) => assert.ok(Math.abs(x - at(block.entries, entry)) < 0.01));
  assert.notEqual(arrivals[0], arrivals[1]);
});

test("an open box is as big as what is in it, with room around", () => {
  const { blocks } = laidOut(repeated(2).sketch, (view) => view.openAll());
  const [outer, inner] = blocks;
  assert.ok(outer && inner);
  const box = at(boxes(outer), 1);
  assert.ok(
    Math.abs(box.right - box.left - inner.width) < 0.01 && Math.abs(box.bottom - box.top - inner.height) < 0.01,
  );
  const [left, right] = [
    Math.min(...boxes(inner).map((one) => one.left)),
    Math.max(...boxes(inner).map((one) => one.right)),
  ];
  assert.ok(left >= PADDING - 0.01 && inner.width - right >= PADDING - 0.01);
});

test("equal boxes are laid out once", () => {
  const { sketch, repeat, members } = repeated(12);
  const { layouter, blocks } = laidOut(sketch, (view) => {
    view.toggleUnrolled(flip(repeat));
    view.openAll();
  });
  assert.equal(new Set(members.map((member) => blocks[member])).size, 1);
  assert.equal(layouter.distinct, 3, "the whole, the repeat and one member");
});

test("what was laid out once is not laid out again when a box closes and opens", () => {
  const { view, layouter, blocks } = laidOut(repeated(3).sketch, (one) => one.openAll());
  view.closeAll();
  layouter.arrange(view.states);
  const before = layouter.distinct;
  view.openAll();
  assert.equal(layouter.arrange(view.states)[0], blocks[0]);
  assert.equal(layouter.distinct, before);
});

test("only what is open has a block", () => {
  const { repeat, members, sketch } = repeated(3);
  const { blocks } = laidOut(sketch, (view) => view.toggle(flip(repeat)));
  assert.ok(blocks[0] && blocks[repeat]);
  assert.ok(members.every((member) => blocks[member] === undefined));
});

test("edges with the same ends are one line that says how many it is", () => {
  const sketch = new Sketch();
  sketch.values.push("i64[2]");
  const split = sketch.node(0, "split");
  const cat = sketch.node(0, "cat", [split]);
  sketch.edge(0, split, cat, 0, 0, 1);
  const block = at(laidOut(sketch).blocks, 0) as Block;
  assert.deepEqual([[...block.edges], [...block.more]], [[0], [1]]);
});

test("labels do not overlap boxes", () => {
  const sketch = new Sketch();
  const x = sketch.node(0, "x");
  const parts = Array.from({ length: 5 }, (_, number) => sketch.node(0, "part".repeat(number + 1), [x]));
  sketch.node(0, "cat", [...parts, x]);
  const block = at(laidOut(sketch).blocks, 0) as Block;
  const width = RULER.width("f32[2, 3]", FONTS.label);
  for (let line = 0; line < block.edges.length; line += 1) {
    const [x0, y0] = [at(block.labels, 2 * line), at(block.labels, 2 * line + 1)];
    assert.ok(!Number.isNaN(x0));
    const hit = boxes(block).find(
      ({ left, right, top, bottom }) =>
        x0 + width / 2 > left && x0 - width / 2 < right && y0 + 6 > top && y0 - 6 < bottom,
    );
    assert.equal(hit, undefined);
  }
});

test("more boxes than dagre can take", () => {
  const sketch = chain(5000);
  for (let number = 0; number < 2000; number += 1) {
    sketch.edge(0, number, number + 7 + (number % 90)); // some of them long
  }
  const block = at(laidOut(sketch).blocks, 0) as Block;
  assert.equal(boxes(block).length, 5000);
  assertNeat(block);
});

test("very many boxes side by side get several rows", () => {
  const sketch = new Sketch();
  const x = sketch.node(0, "x");
  const made = Array.from({ length: 2000 }, () => sketch.node(0, "relu", [x]));
  sketch.node(0, "stack", made);
  const block = at(laidOut(sketch).blocks, 0) as Block;
  assertNeat(block);
  assert.ok(block.width < 12_000);
});

test("few boxes with very many long lines do not take long", () => {
  const sketch = chain(400);
  for (let from = 0; from < 40; from += 1) {
    for (let to = from + 30; to < 400; to += 9) {
      sketch.edge(0, from, to);
    }
  }
  const start = performance.now();
  assertNeat(at(laidOut(sketch).blocks, 0) as Block);
  assert.ok(performance.now() - start < 3000);
});

test("data that flows back does no harm", () => {
  const sketch = new Sketch();
  const one = sketch.node(0, "one");
  const two = sketch.node(0, "two", [one]);
  sketch.edge(0, two, one);
  assertNeat(at(laidOut(sketch).blocks, 0) as Block);
});

test("a graph without boxes has an empty block", () => {
  const block = at(laidOut(new Sketch()).blocks, 0) as Block;
  assert.deepEqual([block.boxes.length, block.width, block.height], [0, 0, 0]);
});

test("to arrange before there is a graph is an error", () => {
  assert.throws(() => new Layouter().arrange(new Uint8Array(1)), /no graph/);
});
