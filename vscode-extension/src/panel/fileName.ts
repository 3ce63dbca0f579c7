/** The names that are proposed for files. */

import type { Choice } from "./messages";

/** `GPT.module.svg`: class, level and format. */
export function fileName({ name, level }: Choice, format: string): string {
  const parts = [name ?? "graph", level ?? "", format].map((part) => part.replace(/[^\w.-]+/g, "_"));
  return parts.filter(Boolean).join(".");
}

/** `conv_block_rewritten.py` of `ConvBlock`: it can be imported. */
export function rewrittenName(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll(/\W+/g, "_");
  return `${words.toLowerCase()}_rewritten.py`;
}
