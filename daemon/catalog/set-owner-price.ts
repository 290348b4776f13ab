import type { OwnerPrice, PutPriceRequest } from "../../shared/contract/admin.ts";
import type { PriceRule } from "../../shared/contract/price.ts";
import { ApiError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/near-misses.ts";
import { ManifestRule } from "../manifest/manifest-price.ts";
import { applyMarkup } from "../billing/markup.ts";
import { toPublicPrice } from "../billing/public-price.ts";
import { whyNotPriced } from "./owner-prices/apply-owner-prices.ts";
import type { Catalog } from "./catalog.ts";
import type { CatalogEntry } from "./entries/catalog-entry.ts";
import { formatDocumentPath } from "./problems/catalog-problem.ts";
import { type OwnerPriceStore, priceName, UnreadablePrices } from "./owner-prices/owner-prices.ts";

/** What the owner set, whether or not the catalog has it now. */
export function listOwnerPrices(catalog: Catalog): OwnerPrice[] {
  const problems = new Map(catalog.problems().map(({ path, message }) => [path, message]));
  return [...catalog.pricesOfOwner()].map(([name, price]) => {
    const problem = problems.get(formatDocumentPath(["prices", name]));
    return { ...placeOf(name), price: toWire(price), ...(problem !== undefined && { problem }) };
  });
}

/**
 * Resolves when the price is on the disk and in effect. Throws notFound, with near misses, for what is not in the
 * catalog, and invalidInput for a price that counts what an endpoint does not measure.
 */
export async function setOwnerPrice(catalog: Catalog, request: PutPriceRequest): Promise<OwnerPrice> {
  const store = storeOf(catalog);
  const { provider } = request;
  catalog.standing(provider);
  const entries =
    request.endpoint === undefined ? catalog.entriesOf(provider) : [catalog.get(provider, request.endpoint)];
  if (entries.some(({ alternatives }) => alternatives !== undefined)) {
    throw new ApiError(
      "invalidInput",
      "A route costs what the member that answers costs: set the prices of its members",
    );
  }
  const price = readPrice(request.price);
  for (const entry of entries) refuseUnmeasured(entry, price);
  const name = priceName(provider, request.endpoint === undefined ? undefined : entries[0]?.path);
  await writing(() => store.put(name, price));
  await catalog.reload();
  return { ...placeOf(name), price: toWire(price) };
}

/** Resolves when the price is removed and that of the file applies again. Throws notFound when there is none. */
export async function removeOwnerPrice(catalog: Catalog, provider: string, endpoint?: string): Promise<void> {
  const store = storeOf(catalog);
  const path = endpoint === undefined || endpoint.startsWith("/") ? endpoint : `/${endpoint}`;
  const name = priceName(provider, path);
  if (!(await writing(() => store.remove(name)))) {
    const names = [...catalog.pricesOfOwner().keys()];
    const hint = didYouMean(name, names) || "; mkt catalog prices lists those there are";
    throw new ApiError("notFound", `You have set no price for ${name}${hint}`);
  }
  await catalog.reload();
}

function storeOf({ ownerPrices }: Catalog): OwnerPriceStore {
  if (ownerPrices === undefined) throw new Error("this catalog has no prices of an owner");
  return ownerPrices;
}

/** Amounts with the precision that a file may have. */
function readPrice(asked: PutPriceRequest["price"]): ManifestRule {
  const read = ManifestRule.safeParse(toFilePrice(asked));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ApiError("invalidInput", `price.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is no price"}`);
}

/** Plain numbers, as people write them. */
function toFilePrice(price: PutPriceRequest["price"]): object {
  return {
    ...price,
    amount: price.amount.value,
    ...("flatFee" in price && price.flatFee !== undefined && { flatFee: price.flatFee.value }),
  };
}

function refuseUnmeasured(entry: CatalogEntry, price: ManifestRule): void {
  const why = whyNotPriced(entry, price);
  if (why === undefined) return;
  const target = `${entry.provider.provider}${entry.path}`;
  const message =
    `${price.type} does not fit ${target}: ${why}. Price it by the call (mkt catalog price ${target} <dollars>), ` +
    "or copy its file into the catalog folder of your configuration and declare it there";
  throw new ApiError("invalidInput", message);
}

async function writing<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    // No Retry-After: the file has to be fixed by a person.
    if (error instanceof UnreadablePrices) {
      throw new ApiError("unavailable", error.message, {
        errorCode: "NOT_CONFIGURED",
        extra: { next: "mkt catalog list" },
      });
    }
    throw error;
  }
}

function placeOf(name: string): { provider: string; endpoint?: string } {
  const slash = name.indexOf("/");
  return slash < 0 ? { provider: name } : { provider: name.slice(0, slash), endpoint: name.slice(slash) };
}

function toWire(price: ManifestRule): PriceRule {
  return toPublicPrice(applyMarkup(price)) as PriceRule;
}
