/** Text of user code for the places where VS Code reads more than text: nothing of it becomes a link, an icon or a picture. */

/** One line for a notification or an entry of a list, which know links (`[text](command:…)`) and icons (`$(trash)`). */
export function asLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/([$\]])\(/g, "$1 (");
}

/** One paragraph of Markdown. */
export function asMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]()<>#+\-.!|~&:@/$]/g, "\\$&");
}
