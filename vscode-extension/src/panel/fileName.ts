/** The name that is proposed for an export. */

import type { Choice } from "./messages";

/** `GPT.module.svg`: class, level and format. */
export function fileName({ name, level }: Choice, format: string): string {
  const parts = [name ?? "graph", level ?? "", format].map((part) => part.replace(/[^\w.-]+/g, "_"));
  return parts.filter(Boolean).join(".");
}
