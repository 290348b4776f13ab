import { ApiError } from "../../shared/errors.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { oncePer } from "../base/once-per.ts";
import { extract, parseExtractor } from "../manifest/extract.ts";
import type { InputSections } from "../manifest/input-sections.ts";
import type { ResourceReference } from "../manifest/manifest.ts";
import { isLive, type ResourceRecord } from "../ledger/records/resource-record.ts";

type Condition = (resource: ResourceRecord) => boolean;

/**
 * Returns the resources that a run ends, after checking that the workspace owns all resources that the run names.
 * Throws notFound, with the same message whether another workspace owns a resource or nobody does. `owned`: all
 * resources that the workspace has or had; `at`: now, ISO 8601. A resource with a pending release may be used until
 * then, but not changed.
 */
export function resourcesToEnd(
  { resources: rules, provider }: CatalogEntry,
  input: InputSections,
  { owned, at }: { readonly owned: readonly ResourceRecord[]; readonly at: string },
): ResourceRecord[] {
  if (rules === undefined) return [];
  const ofProvider = owned.filter((resource) => resource.provider === provider.provider);
  const find = (references: readonly ResourceReference[], mayBe: Condition) =>
    references.flatMap((reference) =>
      namesIn(input, reference).map((name) => getResource(ofProvider, reference, { name, mayBe })),
    );
  const isActive: Condition = ({ state }) => state === "ACTIVE";
  find(rules.uses, (one) => isActive(one) || (one.state === "EXPIRING" && at < (one.release?.dueAt ?? at)));
  find(rules.updates, isActive);
  return find(rules.releases, isActive);
}

const compiledName = oncePer(({ id }: ResourceReference) => parseExtractor(id));

/** The resources that the caller's input names; none if an optional field was left out. */
function namesIn(input: InputSections, reference: ResourceReference): string[] {
  const parsed = compiledName(reference);
  const value = parsed.ok ? extract(parsed.value, { input }) : undefined;
  return [value].flat().flatMap((name) => (typeof name === "string" || typeof name === "number" ? String(name) : []));
}

function getResource(
  owned: readonly ResourceRecord[],
  reference: ResourceReference,
  { name, mayBe }: { readonly name: string; readonly mayBe: Condition },
): ResourceRecord {
  const named = owned.filter(
    (resource) => resource.resource === reference.resource && resource[reference.as] === name && isLive(resource),
  );
  const found = named.findLast(mayBe) ?? named.at(-1);
  if (found === undefined) {
    throw new ApiError(
      "notFound",
      `This workspace has no ${reference.resource} "${name}"; GET /v1/resources lists those it has`,
      next,
    );
  }
  if (mayBe(found)) return found;
  const why = found.state === "SUSPENDED" ? ": its rent is not paid" : "";
  const message = `The ${reference.resource} "${name}" cannot be used now, it is ${found.state}${why}`;
  throw new ApiError("notFound", message, next);
}

/** What the CLI advises. */
const next = { extra: { next: "mkt resources" } };
