/** Takes the pictures of the READMEs anew, from the examples: hints, hover, a failure and the graph. */

import * as path from "node:path";

import type { Locator } from "playwright-core";

import { BROKEN } from "./harness/examples";
import { Panel } from "./harness/panel";
import { EXAMPLES, EXTENSION } from "./harness/places";
import { Session } from "./harness/session";
import { retried, TRY_MS } from "./harness/wait";
import type { Workbench } from "./harness/workbench";

const MEDIA = path.join(EXTENSION, "media");
const LOOK = {
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.activityBar.location": "hidden",
  "workbench.statusBar.visible": false,
  "workbench.editor.showTabs": "none",
  "breadcrumbs.enabled": false,
  "editor.scrollbar.horizontal": "hidden",
  "editor.scrollbar.vertical": "hidden",
  "editor.hover.above": false,
  "editor.renderLineHighlight": "none",
  "editor.matchBrackets": "never",
  "editor.guides.indentation": false,
  "editor.overviewRulerBorder": false,
  "editor.hideCursorInOverviewRuler": true,
  "editor.inlayHints.maximumLength": 0,
};

/** A window with one file and nothing around it, with its first line at the top. */
async function only(session: Session, file: string, line: number): Promise<Workbench> {
  const workspace = session.profile.workspace([EXAMPLES]);
  const window = await session.open({ workspace, file: `${file}:${String(line)}`, settings: LOOK });
  const sidebar = window.page.locator(".part.sidebar");
  await retried("the sidebar closes", async () => {
    if (await sidebar.isVisible()) {
      await window.page.keyboard.press("Control+b");
      await sidebar.waitFor({ state: "hidden", timeout: TRY_MS });
    }
  });
  return window;
}

async function take(what: Locator, name: string): Promise<void> {
  const file = path.join(MEDIA, `${name}.png`);
  await what.screenshot({ path: file, animations: "disabled", caret: "hide" });
  console.log(path.relative(process.cwd(), file));
}

const text = await Session.start({ viewport: { width: 1000, height: 590 }, scale: 1.2 });
try {
  let window = await only(text, "gpt2.py", 48);
  await window.sees("y: f32[4, 12, 64, 64] = att @ v");
  await window.lens("2.4 M params").waitFor();
  await take(window.page.locator(".part.editor"), "hints");
  await window.hover("= self.c_attn(x)", "c_attn", "2304");
  await take(window.page.locator(".part.editor"), "hover");
  window = await only(text, BROKEN.file, 14);
  await window.squiggle("error").waitFor();
  await window.lens("Show FX graph").waitFor();
  await window.hover("self.fc1(x)", "fc1", BROKEN.says);
  await take(window.page.locator(".part.editor"), "failure");
} finally {
  await text.stop();
}

const graph = await Session.start({ viewport: { width: 1220, height: 700 } });
try {
  const window = await only(graph, "gpt2.py", 112);
  await window.lens("124.5 M params").waitFor();
  await window.run("FX: Show FX Graph");
  const panel = new Panel(window);
  await panel.drawn();
  await panel.find("softmax");
  await panel.key("Space");
  await panel.key("i");
  await window.toEditor();
  await window.sees("att: f32[4, 12, 64, 64] = F.softmax");
  await window.page.mouse.move(300, 5);
  await take(window.page.locator(".part.editor"), "graph");
} finally {
  await graph.stop();
}
