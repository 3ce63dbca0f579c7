/** The page of the panel. */

/** Where the page finds its parts, as the webview may load them. */
export interface PageParts {
  readonly cspSource: string;
  readonly nonce: string;
  readonly script: string;
  readonly style: string;
  /** Source of the layout worker: a webview starts workers from blobs only. */
  readonly worker: string;
}

/** Nothing may run but the panel's own script and the worker that it starts; there is no network. */
export function pageHtml(parts: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${parts.nonce}'`,
    `style-src ${parts.cspSource}`,
    `connect-src ${parts.cspSource}`,
    "worker-src blob:",
    "img-src data: blob:",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>FX graph</title>
    <link rel="stylesheet" href="${parts.style}" />
  </head>
  <body>
    <div id="panel" data-worker="${parts.worker}"></div>
    <script nonce="${parts.nonce}" src="${parts.script}"></script>
  </body>
</html>
`;
}
