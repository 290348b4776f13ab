import type { Hints, HintTarget } from "../contract/hints.ts";
import { renderApi } from "./api.ts";
import { renderMcp } from "./mcp.ts";
import { renderMonid } from "./monid.ts";

/** Who reads the hints; `monid-cli` is the reference client's command line. Contract semantics, 11. */
export type HintReader = "cli" | "monid-cli" | "api" | "mcp" | "web";

/**
 * Hints as their reader wants them: data for our own command line and the web, words for the others. Strings stay as
 * they are; a target that cannot be rendered is left out. Undefined for an unknown reader and when nothing remains,
 * so that the member can be left out of the answer.
 */
export function renderHints(hints: Hints | undefined, reader: HintReader | undefined): Hints | undefined {
  if (hints === undefined || reader === undefined) return undefined;

  const rendered = Object.entries(hints).flatMap(([phrase, hint]) => {
    const words = typeof hint === "string" ? hint : renderTarget(hint, reader);
    return words === undefined ? [] : [[phrase, words] as const];
  });
  return rendered.length === 0 ? undefined : Object.fromEntries(rendered);
}

function renderTarget(target: HintTarget, reader: HintReader): HintTarget | string | undefined {
  switch (reader) {
    case "cli":
    case "web":
      return target;
    case "monid-cli":
      return renderMonid(target);
    case "api":
      return renderApi(target);
    case "mcp":
      return renderMcp(target);
  }
}
