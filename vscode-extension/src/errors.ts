/** Errors of requests, and of anything else. */

import { CONTENT_MODIFIED } from "./protocol";

/** The files were edited while the server worked: the next idle brings another answer. */
export function isModified(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === CONTENT_MODIFIED;
}

/** What it says; anything may be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
