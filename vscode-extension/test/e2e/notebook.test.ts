/** A notebook: its cells have what a file has, from calls in any other cell. */

import * as path from "node:path";
import { test } from "node:test";

import { FIXTURES } from "./harness/places";
import { session, traced } from "./harness/session";

const current = session();

test("a cell shows the shapes of a model that another cell calls", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([path.join(FIXTURES, "book")]);
    const window = await current().open({ workspace });
    await window.openFile("book.ipynb");
    await window.cellLine("h: f32[2, 4] = self.fc(x)").waitFor();
    await window.cellLine("def forward(self, x: f32[2, 8]):").waitFor();
    await window.shot("notebook");
  }));

test("an edit of one cell changes what another one shows", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.cellLine("out: f32[2, 4] = model(torch.randn(2, 8))").waitFor();
    await window.replaceInCell("= model(torch.randn(2, 8))", "out = model(torch.randn(5, 8))");
    await window.cellLine("h: f32[5, 4] = self.fc(x)").waitFor();
  }));
