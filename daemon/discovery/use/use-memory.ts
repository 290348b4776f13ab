/** An endpoint that was run with success after an ask. */
export interface Use {
  readonly workspaceId: string;
  /** Who ran it, as runs name their caller. */
  readonly actor: string;
  readonly provider: string;
  readonly endpoint: string;
  /** Of the ask, sorted, each once; at least one. */
  readonly stems: readonly string[];
  /** How many asks it was run after; at least 1. */
  readonly count: number;
  /** The day of the last of them, in days since the epoch. */
  readonly day: number;
}

/** Whose uses are meant: those of a workspace, or of one actor in it. */
export interface UseReader {
  readonly workspaceId: string;
  /** Absent: everybody's. */
  readonly onlyActor?: string | undefined;
}

/** What was used after which asks, by workspace and bounded. */
export interface UseMemory {
  learn(use: Omit<Use, "count" | "day">, today: number): void;
  /** Those that are not too old, in the order in which they were last used. */
  usesOf(reader: UseReader, today: number): readonly Use[];
  /** Returns how many were erased. */
  forget(reader: UseReader): number;
  /** All that are not too old, for the file; a day after today counts as today, as the clock was ahead. */
  all(today: number): readonly Use[];
  /** Adds what `all` returned, before the first is learned. */
  restore(uses: readonly Use[]): void;
  /** Changes whenever the content does. */
  revision(): number;
}

/** The oldest go first. */
const MAX_OF_WORKSPACE = 500;
/** Beyond it the workspace with the most loses its oldest, so that a busy one takes nothing from a quiet one. */
const MAX_IN_ALL = 20_000;
/** What was not used for so long is forgotten. */
export const MAX_AGE_DAYS = 90;

export function createUseMemory(): UseMemory {
  const byWorkspace = new Map<string, Map<string, Use>>();
  let size = 0;
  let revision = 0;

  function remove(workspaceId: string, key: string | undefined): void {
    const uses = byWorkspace.get(workspaceId);
    if (uses === undefined || key === undefined || !uses.delete(key)) return;
    size -= 1;
    if (uses.size === 0) byWorkspace.delete(workspaceId);
  }

  function put(use: Use): void {
    const key = keyOf(use);
    remove(use.workspaceId, key);
    const uses = byWorkspace.get(use.workspaceId) ?? new Map<string, Use>();
    byWorkspace.set(use.workspaceId, uses.set(key, use));
    size += 1;
    if (uses.size > MAX_OF_WORKSPACE) remove(use.workspaceId, oldestOf(uses));
    if (size > MAX_IN_ALL) {
      const [workspaceId, largest] = largestOf(byWorkspace);
      remove(workspaceId, oldestOf(largest));
    }
  }

  const isFresh = (today: number) => (use: Use) => today - use.day <= MAX_AGE_DAYS;
  const isOf = ({ onlyActor }: UseReader, use: Use) => onlyActor === undefined || use.actor === onlyActor;

  return {
    learn(use, today) {
      const known = byWorkspace.get(use.workspaceId)?.get(keyOf(use));
      put({ ...use, count: (known?.count ?? 0) + 1, day: today });
      revision += 1;
    },
    usesOf(reader, today) {
      const uses = [...(byWorkspace.get(reader.workspaceId)?.values() ?? [])];
      return uses.filter((use) => isOf(reader, use) && isFresh(today)(use));
    },
    forget(reader) {
      const uses = [...(byWorkspace.get(reader.workspaceId) ?? [])].filter(([, use]) => isOf(reader, use));
      for (const [key] of uses) remove(reader.workspaceId, key);
      if (uses.length > 0) revision += 1;
      return uses.length;
    },
    all(today) {
      const uses = [...byWorkspace.values()].flatMap((ofOne) => [...ofOne.values()]);
      return uses.filter(isFresh(today)).map((use) => ({ ...use, day: Math.min(use.day, today) }));
    },
    restore(uses) {
      for (const use of uses) put(use);
    },
    revision: () => revision,
  };
}

/** No part of it has a line break. */
function keyOf({ actor, provider, endpoint, stems }: Omit<Use, "count" | "day">): string {
  return [actor, `${provider}${endpoint}`, stems.join(" ")].join("\n");
}

/** A map keeps the order in which its entries were last put. */
function oldestOf(uses: ReadonlyMap<string, Use>): string | undefined {
  return uses.keys().next().value;
}

function largestOf(byWorkspace: ReadonlyMap<string, ReadonlyMap<string, Use>>) {
  let largest: readonly [string, ReadonlyMap<string, Use>] = ["", new Map()];
  for (const each of byWorkspace) if (each[1].size > largest[1].size) largest = each;
  return largest;
}
