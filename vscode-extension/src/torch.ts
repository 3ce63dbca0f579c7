/** Whether Python code has to do with PyTorch at all: without it no server is started. */

const IMPORT = /^[ \t]*(?:import[ \t]+(?:[\w.]+[ \t]*(?:as[ \t]+\w+[ \t]*)?,[ \t]*)*|from[ \t]+)torch(?![\w])/m;

/** Whether the text imports torch, or a part of it. What is in strings and comments may count: it does no harm. */
export function importsTorch(text: string): boolean {
  return IMPORT.test(text);
}
