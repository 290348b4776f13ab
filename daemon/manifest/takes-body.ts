import type { Call } from "./manifest.ts";

/** The methods that usually have a body. */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Whether a call sends a body: with GET, HEAD and DELETE only if it sets an encoding. */
export function takesBody({ method, encoding }: Pick<Call, "method" | "encoding">): boolean {
  return encoding === undefined ? METHODS_WITH_BODY.has(method) : encoding !== "none";
}
