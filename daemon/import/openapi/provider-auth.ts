import type { Auth } from "../../manifest/manifest.ts";
import type { OperationDraft } from "./convert-operation.ts";
import type { SecurityReader } from "./security/convert-security.ts";

/**
 * Chooses the credentials that each operation sends. An operation that works without a key sends it only if no
 * operation requires that key: a secret is optional for all or for none.
 */
export function chooseAuths(drafts: readonly OperationDraft[]): ReadonlyMap<OperationDraft, readonly Auth[]> {
  const needed = new Set(drafts.flatMap(neededSecrets));
  return new Map(
    drafts.map((draft) => {
      const { auth, optional, secrets } = draft.security;
      return [draft, optional && secrets.some((name) => needed.has(name)) ? [] : auth];
    }),
  );
}

/** The secrets that the chosen auths need, as the manifest declares them; undefined for none. */
export function secretsOf(
  drafts: readonly OperationDraft[],
  auths: ReadonlyMap<OperationDraft, readonly Auth[]>,
  reader: SecurityReader,
): Readonly<Record<string, unknown>> | undefined {
  const using = drafts.filter((draft) => (auths.get(draft) ?? []).length > 0 || (draft.security.inPath?.size ?? 0) > 0);
  const required = new Set(using.flatMap(neededSecrets));
  const all = new Set(using.flatMap(({ security }) => security.secrets));
  if (all.size === 0) return undefined;
  const declared = [...all].map((name) => {
    const secret = reader.secret(name);
    return [name, required.has(name) ? secret : { ...secret, optional: true }] as const;
  });
  return Object.fromEntries(declared);
}

/** The secrets that an operation requires; one in the path is always required. */
function neededSecrets({ security }: OperationDraft): readonly string[] {
  const inPath = [...(security.inPath ?? new Map<string, string>()).values()];
  const sent = security.optional ? [] : security.secrets.filter((name) => security.spare?.has(name) !== true);
  return [...sent, ...inPath];
}

/** It cannot be called without a key, or without something that this version does not support. */
export function needsKey(draft: OperationDraft): boolean {
  return draft.security.unusable !== undefined || neededSecrets(draft).length > 0;
}

/** The most frequent member of a list, the first of equals. */
export function mostCommon<T>(list: readonly T[], keyOf: (one: T) => string): T | undefined {
  const counts = new Map<string, { readonly one: T; count: number }>();
  for (const one of list) {
    const key = keyOf(one);
    const found = counts.get(key);
    if (found === undefined) counts.set(key, { one, count: 1 });
    else found.count += 1;
  }
  return [...counts.values()].reduce<{ readonly one: T; readonly count: number } | undefined>(
    (best, next) => (best === undefined || next.count > best.count ? next : best),
    undefined,
  )?.one;
}
