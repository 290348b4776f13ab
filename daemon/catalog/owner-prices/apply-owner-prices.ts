import { checkUsage } from "../../billing/check-usage.ts";
import type { ManifestRule } from "../../manifest/manifest-price.ts";
import { applyMarkup } from "../../billing/markup.ts";
import { didYouMean } from "../../../shared/near-misses.ts";
import type { CatalogEntry } from "../entries/catalog-entry.ts";
import type { LoadedFolders } from "../reading/catalog-loader.ts";
import { ProblemList } from "../problems/catalog-problem.ts";
import { type OwnerPrices, priceName } from "./owner-prices.ts";
import type { LoadedProvider } from "../reading/provider-file.ts";

/**
 * The catalog with the owner's prices in place of those of the files. They are what callers pay: no markup is added. A
 * price that matches nothing, or counts what its endpoint does not measure, becomes a problem, and the price of the
 * file stays. An endpoint whose owner's price has a mistake cannot be run, because it might be sold for less than was
 * meant.
 */
export function applyOwnerPrices(
  loaded: LoadedFolders,
  { prices, mistaken, problems }: OwnerPrices,
  file: string,
): LoadedFolders {
  if (prices.size === 0 && mistaken.size === 0)
    return problems.length === 0 ? loaded : { ...loaded, problems: [...loaded.problems, ...problems] };
  const used = new Set<string>();
  const list = new ProblemList(file, () => undefined);
  const providers = loaded.providers.map((provider) => priceProvider(provider, { prices, mistaken }, { used, list }));
  for (const name of prices.keys()) {
    if (!used.has(name)) list.report(["prices", name], "owner-price", fitsNothing(name, loaded.providers), "nothing");
  }
  return { ...loaded, providers, problems: [...loaded.problems, ...problems, ...list.list()] };
}

/**
 * Why an endpoint cannot have a price: what it counts is not measured or has no limit. Undefined when it can have the
 * price.
 */
export function whyNotPriced(entry: CatalogEntry, price: ManifestRule): string | undefined {
  const [problem] = checkUsage(price, { usage: entry.usage, overrun: entry.overrun, input: entry.input });
  return problem?.message;
}

function priceProvider(
  loaded: LoadedProvider,
  { prices, mistaken }: Pick<OwnerPrices, "prices" | "mistaken">,
  { used, list }: { readonly used: Set<string>; readonly list: ProblemList },
): LoadedProvider {
  const { provider } = loaded.provider;
  let changed = false;
  const entries = loaded.entries.map((entry) => {
    const names = [priceName(provider, entry.path), priceName(provider)];
    for (const name of names) if (prices.has(name)) used.add(name);
    const name = names.find((candidate) => prices.has(candidate) || mistaken.has(candidate));
    const price = name === undefined ? undefined : prices.get(name);
    if (name !== undefined && price === undefined) {
      changed = true;
      return { ...entry, notRunnable: `the price that its owner gave ${name} has a mistake` };
    }
    if (name === undefined || price === undefined) return entry;
    const why = whyNotPriced(entry, price);
    if (why !== undefined) {
      list.report(["prices", name], "owner-price", `does not fit ${provider}${entry.path}: ${why}`, "nothing");
      return entry;
    }
    changed = true;
    const model = applyMarkup(price);
    const { marketMarkup: _, ...own } = entry;
    return { ...own, price: model, priceWithoutMarkup: model, isPriceOfOwner: true as const };
  });
  return changed ? { ...loaded, entries } : loaded;
}

function fitsNothing(name: string, providers: LoadedFolders["providers"]): string {
  const names = providers.flatMap(({ provider, entries }) => [
    provider.provider,
    ...entries.map(({ path }) => priceName(provider.provider, path)),
  ]);
  const near = didYouMean(name, names);
  return `nothing of the catalog is called ${name}${near}; take it away: mkt catalog price ${name} --remove`;
}
