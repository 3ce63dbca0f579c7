// Bundles the extension, and the graph panel's page, worker and style, into dist/.
import esbuild from "esbuild";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  outdir: "dist",
};
const extension = {
  ...common,
  entryPoints: { extension: "src/extension.ts" },
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
};
const panel = {
  ...common,
  entryPoints: {
    webview: "webview/main.ts",
    "layout.worker": "webview/layout.worker.ts",
  },
  platform: "browser",
  format: "iife",
  target: "es2022",
};
const style = { ...common, entryPoints: { webview: "webview/style.css" } };

const builds = [extension, panel, style];
if (watch) {
  for (const options of builds) {
    await (await esbuild.context(options)).watch();
  }
} else {
  await Promise.all(builds.map((options) => esbuild.build(options)));
}
