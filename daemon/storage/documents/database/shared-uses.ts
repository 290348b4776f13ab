import { z } from "zod";
import type { SharedUses, WorkspaceUses } from "../../../discovery/use/share-uses.ts";
import { toTuple, UseTuple } from "../use-tuple.ts";
import type { KnownDocument, SharedDocuments } from "./shared-documents.ts";

/*
 * One document for each workspace, `learned/<workspace>`:
 *
 *   {"format":1,"forgets":0,"uses":[[actor, provider, endpoint, [stem, …], how often, day since 1970], …]}
 *
 * One that cannot be understood counts as empty.
 */
const PREFIX = "learned/";
/** Of one workspace, in characters; it loses the oldest beyond it. */
const MOST_OF_WORKSPACE = 500_000;
/** Of all together, since each daemon has them in memory; the largest loses its oldest. */
const MOST_IN_ALL = 16_000_000;

export const LearnedDocument = z.object({ format: z.literal(1), forgets: z.int().min(0), uses: z.array(UseTuple) });

const NOTHING: WorkspaceUses = { forgets: 0, uses: [] };

export function isLearned(name: string): boolean {
  return name.startsWith(PREFIX);
}

export function openSharedUses(shared: SharedDocuments): SharedUses & { readonly workspaces: () => readonly string[] } {
  const parsed = new Map<string, { readonly from: KnownDocument; readonly uses: WorkspaceUses }>();

  function read(workspaceId: string): WorkspaceUses {
    const from = shared.get(PREFIX + workspaceId);
    if (from === undefined) {
      parsed.delete(workspaceId);
      return NOTHING;
    }
    const before = parsed.get(workspaceId);
    if (before?.from === from) return before.uses;
    const uses = parse(workspaceId, from.body);
    parsed.set(workspaceId, { from, uses });
    return uses;
  }

  async function change(
    workspaceId: string,
    decide: (before: WorkspaceUses) => WorkspaceUses | undefined,
  ): Promise<void> {
    await shared.change(PREFIX + workspaceId, (body) => {
      const after = decide(body === undefined ? NOTHING : parse(workspaceId, body));
      return after === undefined ? undefined : encode(after);
    });
  }

  async function boundAll(): Promise<void> {
    const names = shared.names(PREFIX);
    const lengthOf = (name: string) => shared.get(name)?.body.length ?? 0;
    if (names.reduce((sum, name) => sum + lengthOf(name), 0) <= MOST_IN_ALL) return;
    const [largest = ""] = names.toSorted((one, other) => lengthOf(other) - lengthOf(one));
    await change(largest.slice(PREFIX.length), halved);
  }

  return {
    read,
    async change(workspaceId, decide) {
      await change(workspaceId, decide);
      await boundAll();
    },
    workspaces: () => shared.names(PREFIX).map((name) => name.slice(PREFIX.length)),
  };
}

function parse(workspaceId: string, body: string): WorkspaceUses {
  const { data } = LearnedDocument.safeParse(jsonOf(body));
  if (data === undefined) return NOTHING;
  return { forgets: data.forgets, uses: data.uses.map((use) => ({ workspaceId, ...use })) };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function encode(known: WorkspaceUses): string {
  const body = JSON.stringify({ format: 1, forgets: known.forgets, uses: known.uses.map(toTuple) });
  return body.length <= MOST_OF_WORKSPACE ? body : encode(halved(known));
}

function halved({ forgets, uses }: WorkspaceUses): WorkspaceUses {
  return { forgets, uses: uses.slice(Math.ceil(uses.length / 2)) };
}
