/** Measures text without a browser. */

import { fontsOf, type Ruler } from "../../webview/scene/fonts";

export const FONTS = fontsOf("sans-serif", "monospace");

/** Every character is 7 wide; nothing is cut off. */
export const RULER: Ruler = { width: (text) => 7 * text.length, fit: (text) => text };
