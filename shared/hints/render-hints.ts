import type { Hints, HintTarget } from "../contract/hints.ts";
import { renderApi } from "./api.ts";
import { renderMcp } from "./mcp.ts";
import { renderMonid } from "./monid.ts";
import { toPrintable } from "./printable.ts";

/** The reader of the hints; `monid-cli` is the reference client's command line. docs/contract.md, "Who gets hints". */
export type HintReader = "cli" | "monid-cli" | "api" | "mcp" | "web";

/**
 * Hints in the reader's format: data for our own command line and the web, words for the others. Every text in them is
 * printable, since some clients print it unchanged; hints that cannot be rendered or are empty are left out. Undefined
 * for an unknown reader and when nothing remains, so that the member can be left out of the answer.
 */
export function renderHints(hints: Hints | undefined, reader: HintReader | undefined): Hints | undefined {
  if (hints === undefined || reader === undefined) return undefined;

  const rendered = Object.entries(printableHints(hints)).flatMap(([phrase, hint]) => {
    const words = typeof hint === "string" ? hint : renderTarget(hint, reader);
    return words === undefined ? [] : [[phrase, words] as const];
  });
  return rendered.length === 0 ? undefined : Object.fromEntries(rendered);
}

/** The same hints without control sequences and invisible characters; empty ones are left out. */
export function printableHints(hints: Hints): Hints {
  const printable = Object.entries(hints).flatMap(([phrase, hint]) => {
    const words = typeof hint === "string" ? toPrintable(hint).trim() : printableTarget(hint);
    return words === "" ? [] : [[toPrintable(phrase).trim(), words] as const];
  });
  return Object.fromEntries(printable);
}

function printableTarget(target: HintTarget): HintTarget {
  const texts = Object.entries(target).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, printableMember(value)] as const],
  );
  return Object.fromEntries(texts) as HintTarget;
}

function printableMember(value: string | readonly string[]): string | string[] {
  return typeof value === "string" ? toPrintable(value).trim() : value.map((text) => toPrintable(text).trim());
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
