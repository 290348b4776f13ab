import { z } from "zod";
import type { Use } from "../../discovery/use/use-memory.ts";

const text = z.string().min(1).max(1_000);

/** In the order of a tuple, which documents on disks and in databases have. */
const members = {
  actor: text,
  provider: text,
  endpoint: text,
  stems: z.array(text).min(1).max(100),
  count: z.int().min(1),
  day: z.int().min(0),
};
const names = Object.keys(members) as (keyof typeof members)[];

/** A use of a known workspace, as documents keep it: `[actor, provider, endpoint, [stem, …], how often, day since 1970]`. */
export const UseTuple = z
  .array(z.unknown())
  .length(names.length)
  .transform((values) => Object.fromEntries(names.map((name, place) => [name, values[place]])))
  .pipe(z.object(members));

export function toTuple(use: Omit<Use, "workspaceId">): readonly unknown[] {
  return names.map((name) => use[name]);
}
