import { ResourceType } from "../../../shared/contract/resource-type.ts";
import { ceilToMicroDollars, type MicroDollars, microDollars } from "../../../shared/micro-dollars.ts";
import type { ManifestPrice } from "../../manifest/manifest-price.ts";
import { applyMarkup } from "../../billing/markup.ts";
import { fromDecimal, MAX_TEXT_DIGITS } from "../../../shared/rational.ts";
import type { Manifest, ManifestEndpoint, Resource } from "../../manifest/manifest.ts";
import type { CatalogProvider, CatalogResource, EndpointResources, ResourceRent } from "./catalog-entry.ts";
import { mergeHttp } from "./merge-endpoint.ts";

/**
 * The type that a resource has on the wire: the one in its file, otherwise its name. Undefined when neither is a valid
 * type.
 */
export function resourceTypeOf(slug: string, { type }: Pick<Resource, "type">): ResourceType | undefined {
  return type ?? ResourceType.safeParse(slug.replaceAll("-", "_")).data;
}

/** The resources of a checked file, with prices as callers pay them. */
export function buildResources(provider: CatalogProvider, manifest: Manifest): CatalogResource[] {
  const http = mergeHttp(manifest.http);
  return Object.entries(manifest.resources ?? {}).map(([slug, resource]) => ({
    ...describe(slug, resource, provider.provider),
    provider,
    ...(resource.verify !== undefined && { verify: resource.verify }),
    ...(resource.release !== undefined && { release: resource.release }),
    data: resource.data ?? {},
    // Only a resource without calls of its own may have no base URL.
    http: { ...http, baseUrl: http.baseUrl ?? "" },
    errors: manifest.errors,
  }));
}

export function buildResourceUse(
  use: NonNullable<ManifestEndpoint["resources"]>,
  manifest: Manifest,
  price: ManifestPrice,
): EndpointResources {
  return {
    ...(use.provisions !== undefined && { provisions: buildProvision(use.provisions, manifest, price) }),
    uses: use.uses ?? [],
    updates: use.updates ?? [],
    releases: use.releases ?? [],
  };
}

type Provision = NonNullable<NonNullable<ManifestEndpoint["resources"]>["provisions"]>;

function buildProvision(
  { resource: slug, id, identifier, data = {} }: Provision,
  manifest: Manifest,
  price: ManifestPrice,
): NonNullable<EndpointResources["provisions"]> {
  const resource = manifest.resources?.[slug];
  if (resource === undefined) throw new Error(`${manifest.provider}: ${slug} was not checked before it was built`);
  const { slug: name, ...facts } = describe(slug, resource, manifest.provider);
  // An endpoint that is priced by the period itself sets the rent of what it creates.
  const rent = price.type === "BY_PERIOD" ? price : resource.price;
  return {
    resource: name,
    ...facts,
    id,
    ...(identifier !== undefined && { identifier }),
    data,
    ...(rent?.type === "BY_PERIOD" && { rent: buildRent(rent, manifest.markup?.percent ?? 0) }),
  };
}

function describe(slug: string, resource: Resource, provider: string) {
  const type = resourceTypeOf(slug, resource);
  if (type === undefined) throw new Error(`${provider}: ${slug} was not checked before it was built`);
  const { displayName, description } = resource;
  return {
    slug,
    type,
    displayName: displayName === "" ? slug : displayName,
    ...(description !== undefined && { description }),
  };
}

/** `markup.fixed` is added once a run; a rent gets only the percentage. */
function buildRent(price: Extract<ManifestPrice, { type: "BY_PERIOD" }>, percent: number): ResourceRent {
  return {
    amountMicroDollars: microDollarsOf(price, percent),
    costMicroDollars: microDollarsOf(price, 0),
    period: price.period,
  };
}

function microDollarsOf(price: Extract<ManifestPrice, { type: "BY_PERIOD" }>, percent: number): MicroDollars {
  const model = applyMarkup(price, { percent });
  if (model.type !== "BY_PERIOD") throw new Error("a rent is priced by the period");
  return microDollars(Number(ceilToMicroDollars(fromDecimal(model.amount, MAX_TEXT_DIGITS))));
}
