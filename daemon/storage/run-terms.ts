import type { WorkspaceId } from "../base/ids.ts";
import type { RunFilter } from "../ledger/stores/run-store.ts";
import type { RunEntry } from "./run-entry.ts";

/*
 * What a filter of runs can ask for, as words: an index keeps for each term the runs that have it, so that a filter that few runs
 * fit reads few of them.
 *
 *   s:STATUS   p:provider   e:endpoint   k:key id   l:label at the time   t:name:value   c:control id
 */

/** What must hold: of each group at least one term. */
export type WantedTerms = readonly (readonly string[])[];

/** Ids that runs of the workspace may name a key by which has this label now. */
export type KeysOfLabel = (workspaceId: WorkspaceId, label: string) => readonly string[];

/** Each term is looked for in each index: with more of them, looking at the runs costs less. */
const MAX_TERMS = 100;

export function termsOf(entry: RunEntry<unknown>): string[] {
  const { status, provider, endpoint, keyId, keyLabel, tags, controlIds } = entry;
  const terms = [`s:${status}`, `p:${provider}`, `e:${endpoint}`];
  if (keyId !== undefined) terms.push(`k:${keyId}`);
  if (keyLabel !== undefined) terms.push(`l:${keyLabel}`);
  for (const name in tags) terms.push(`t:${name}:${tags[name]}`);
  if (controlIds !== undefined) for (const controlId of controlIds) terms.push(`c:${controlId}`);
  return terms;
}

/**
 * Every run of the workspace that fits the filter has these terms; others may have them too, as times are no terms and a label
 * may have been another one at the time.
 */
export function wantedTerms(workspaceId: WorkspaceId, filter: RunFilter, keysOfLabel: KeysOfLabel): WantedTerms {
  const { statuses, provider, endpoint, keyLabel, keyId, tag, controlId } = filter;
  const wanted: string[][] = [];
  if (statuses !== undefined) wanted.push(statuses.map((status) => `s:${status}`));
  if (provider !== undefined) wanted.push([`p:${provider}`]);
  if (endpoint !== undefined) wanted.push([`e:${endpoint}`]);
  if (keyId !== undefined) wanted.push([`k:${keyId}`]);
  if (controlId !== undefined) wanted.push([`c:${controlId}`]);
  if (tag !== undefined) wanted.push([`t:${tag.key}:${tag.value}`]);
  if (keyLabel !== undefined) {
    const labelled = keysOfLabel(workspaceId, keyLabel);
    wanted.push([`l:${keyLabel}`, ...labelled.map((id) => `k:${id}`)]);
  }
  return wanted.filter((group) => group.length <= MAX_TERMS);
}
