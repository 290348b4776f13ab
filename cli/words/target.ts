import { usageError } from "../core/cli-error.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

/** An endpoint as the service names it. */
export interface Target {
  provider: string;
  /** With its leading slash. */
  endpoint: string;
}

/** Reads `provider/endpoint…`, or `provider endpoint`; the words that follow are returned as they are. */
export function parseTarget(words: readonly string[]): { target: Target; rest: string[] } {
  const [first = "", second, ...others] = words;
  const slash = first.indexOf("/");
  if (slash > 0 && slash < first.length - 1) {
    const target = { provider: first.slice(0, slash), endpoint: first.slice(slash) };
    return { target, rest: words.slice(1) };
  }
  if (slash < 0 && first !== "" && second !== undefined && second !== "" && !second.includes("=")) {
    const endpoint = second.startsWith("/") ? second : `/${second}`;
    return { target: { provider: first, endpoint }, rest: others };
  }
  throw usageError(
    `"${first}" is not an endpoint: write <provider>/<endpoint>, such as atlas/countries.`,
    slash < 0 && first !== "" ? shellLine("mkt", "endpoints", "--provider", first) : "mkt discover <words>",
  );
}

/** The endpoint as the CLI writes it: `atlas/countries`. */
export function targetWords({ provider, endpoint }: Target): string {
  return `${provider}${endpoint.startsWith("/") ? "" : "/"}${endpoint}`;
}
