import assert from "node:assert/strict";
import { test } from "node:test";

import { flip, type Child } from "../../webview/model/child";
import { identityOf, withIdentity } from "../../webview/model/identity";
import { Model } from "../../webview/model/model";
import { View } from "../../webview/model/view";
import { neighbours, sibling, walk } from "../../webview/model/walk";
import { repeated, Sketch } from "./sketch";

/** `x → a(b(relu) → gelu) → output`. */
function nested(): { view: View; a: number; b: number; relu: Child; gelu: Child } {
  const sketch = new Sketch();
  const x = sketch.node(0, "x", [], { role: "input" });
  const a = sketch.scope(0, "A", "a", [x]);
  const b = sketch.scope(a, "B", "a.b");
  sketch.enter(a, flip(b));
  const relu = sketch.node(b, "relu");
  sketch.enter(b, relu);
  sketch.leave(b, relu);
  const gelu = sketch.node(a, "gelu", [flip(b)]);
  sketch.leave(a, gelu);
  sketch.node(0, "output", [flip(a)], { role: "output" });
  return { view: new View(new Model(sketch.drawing())), a, b, relu, gelu };
}

test("at first only the children of the whole are to be seen", () => {
  const { view, a, relu } = nested();
  assert.equal(view.isVisible(flip(a)), true);
  assert.equal(view.isOpen(flip(a)), false);
  assert.equal(view.visible(relu), flip(a));
});

test("opening shows one more level, closing hides all of them", () => {
  const { view, a, b, relu, gelu } = nested();
  view.toggle(flip(a));
  assert.deepEqual([view.visible(gelu), view.visible(relu)], [gelu, flip(b)]);
  view.toggle(flip(b));
  assert.equal(view.isVisible(relu), true);
  view.toggle(flip(a));
  assert.equal(view.visible(relu), flip(a));
  view.toggle(flip(a));
  assert.equal(view.isVisible(relu), true, "what was open inside is open again");
});

test("all open, all closed", () => {
  const { view, a, relu } = nested();
  view.openAll();
  assert.equal(view.isVisible(relu), true);
  view.closeAll();
  assert.equal(view.visible(relu), flip(a));
});

test("to reveal a box opens what is around it, and nothing else", () => {
  const { view, a, b, gelu } = nested();
  view.reveal(gelu);
  assert.deepEqual([view.isOpen(flip(a)), view.isOpen(flip(b))], [true, false]);
});

test("a folded repeat shows the inside of its first member in its own box", () => {
  const { sketch, repeat, members } = repeated(3);
  const view = new View(new Model(sketch.drawing()));
  view.toggle(flip(repeat));
  const [first = 0, second = 0] = members;
  const [linear, relu] = [0, 1].map((place) => view.model.scope(first).children[place]);
  assert.equal(view.content(repeat), first);
  assert.deepEqual(view.children(repeat), [linear, relu]);
  assert.equal(view.home(linear ?? -1), repeat);
  assert.equal(view.isVisible(linear ?? -1), true);
  assert.equal(view.visible(flip(first)), flip(repeat), "the member has no box of its own");
  assert.equal(view.visible(view.model.scope(second).children[0] ?? -1), flip(repeat), "nor have the others");
});

test("unrolled, every member has a box", () => {
  const { sketch, repeat, members } = repeated(3);
  const view = new View(new Model(sketch.drawing()));
  view.toggleUnrolled(flip(repeat));
  assert.deepEqual(view.children(repeat), members.map(flip));
  assert.equal(
    members.every((member) => view.isVisible(flip(member))),
    true,
  );
  view.toggleUnrolled(flip(repeat));
  assert.equal(view.content(repeat), members[0]);
});

test("to reveal a box of a later member unrolls the repeat", () => {
  const { sketch, repeat, members } = repeated(3);
  const view = new View(new Model(sketch.drawing()));
  const [first, , third] = members.map((member) => view.model.scope(member).children[1] ?? -1);
  view.reveal(first ?? -1);
  assert.equal(view.content(repeat), members[0], "the first member shows without that");
  view.reveal(third ?? -1);
  assert.equal(view.content(repeat), repeat);
  assert.equal(view.isVisible(third ?? -1), true);
});

test("what is open has keys that open the same in another drawing", () => {
  const one = repeated(3);
  const view = new View(new Model(one.sketch.drawing()));
  view.toggleUnrolled(flip(one.repeat));
  view.toggle(flip(one.members[1] ?? 0));
  const { open, unrolled } = view.keys();
  assert.deepEqual([open, unrolled], [["h.0 … h.2:repeat", "h.1"], ["h.0 … h.2:repeat"]]);

  const other = new Sketch();
  other.scope(0, "New", "new");
  const again = new View(new Model(other.drawing()));
  again.restore(open, unrolled);
  assert.deepEqual(again.keys(), { open: [], unrolled: [] }, "keys that are not there are left alone");
  const same = new View(new Model(repeated(3).sketch.drawing()));
  same.restore(open, unrolled);
  assert.deepEqual(same.keys(), { open, unrolled });
});

test("along the data, and at the end of a scope on to what follows it", () => {
  const { view, a, b, relu, gelu } = nested();
  view.openAll();
  assert.deepEqual(neighbours(view, flip(b), "next"), [gelu]);
  assert.equal(walk(view, flip(a), "inside"), flip(b));
  assert.equal(walk(view, relu, "next"), gelu);
  assert.equal(walk(view, gelu, "previous"), flip(b));
  assert.equal(walk(view, relu, "outside"), flip(b));
  assert.equal(walk(view, flip(a), "outside"), undefined);
  assert.equal(sibling(view, gelu, -1), flip(b));
});

test("a node is found again after an edit elsewhere changed the numbers of all names", () => {
  const { sketch, members } = repeated(2);
  const before = new Model(sketch.drawing());
  const relu = before.scope(members[1] ?? 0).children[1] ?? -1;
  const after = repeated(2).sketch;
  after.nodes.forEach((node, number) => (after.nodes[number] = { ...node, name: `${node.name}_1` }));
  assert.equal(withIdentity(new Model(after.drawing()), identityOf(before, relu)), relu);
  assert.equal(withIdentity(new Model(new Sketch().drawing()), identityOf(before, relu)), undefined);
});
