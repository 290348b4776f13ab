import type { Call } from "./manifest.ts";

/** With these a body is nothing unusual. */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Whether a call sends a body: with GET, HEAD and DELETE only where its encoding is said. */
export function takesBody({ method, encoding }: Pick<Call, "method" | "encoding">): boolean {
  return encoding === undefined ? METHODS_WITH_BODY.has(method) : encoding !== "none";
}
