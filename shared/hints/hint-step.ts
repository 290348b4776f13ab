import type { HintTarget } from "../contract/hints.ts";
import { toPrintable } from "./printable.ts";

/** A hint with everything that its kind needs, in printable text. Endpoints start with a slash. */
export type HintStep =
  | { kind: "command"; command: string }
  | { kind: "discover"; query: string; also: readonly string[]; category: string | undefined }
  | { kind: "inspect" | "run"; provider: string; endpoint: string }
  | { kind: "getRun" | "stop"; runId: string }
  | { kind: "releaseResource"; resourceId: string };

/** The step of a target; undefined when a member is missing or the kind is unknown. */
export function readHintStep(target: HintTarget): HintStep | undefined {
  const { kind } = target;
  switch (kind) {
    case "command": {
      const command = present(target.command);
      return command === undefined ? undefined : { kind, command };
    }
    case "discover": {
      const query = present(target.query);
      if (query === undefined) return undefined;
      return {
        kind,
        query,
        also: target.also?.flatMap((text) => present(text) ?? []) ?? [],
        category: name(target.category),
      };
    }
    case "inspect":
    case "run": {
      const provider = name(target.provider);
      const path = name(target.endpoint);
      if (provider === undefined || path === undefined) return undefined;
      return { kind, provider, endpoint: path.startsWith("/") ? path : `/${path}` };
    }
    case "getRun":
    case "stop": {
      const runId = name(target.runId);
      return runId === undefined ? undefined : { kind, runId };
    }
    case "releaseResource": {
      const resourceId = name(target.resourceId);
      return resourceId === undefined ? undefined : { kind, resourceId };
    }
    default:
      return undefined;
  }
}

/** What a discovery takes beside its query. */
export function discoverMembers({ also, category }: HintStep & { kind: "discover" }) {
  return { ...(also.length > 0 && { also }), ...(category !== undefined && { category, minScore: 0 }) };
}

/** The words followed by the target's comment after `#`, if it has one. */
export function withComment(words: string, target: HintTarget): string {
  const comment = commentOf(target);
  return comment === undefined ? words : `${words} # ${comment}`;
}

/** The target's comment in printable text. */
export function commentOf(target: HintTarget): string | undefined {
  return present(target.comment);
}

function present(text: string | undefined): string | undefined {
  const printable = text === undefined ? "" : toPrintable(text).trim();
  return printable === "" ? undefined : printable;
}

/** An id or a path; not dot segments, since a URL would resolve them away. */
function name(text: string | undefined): string | undefined {
  const printable = present(text);
  return printable === "." || printable === ".." ? undefined : printable;
}
