import { join } from "node:path";
import { mistakeWords } from "../catalog/problems/not-loaded.ts";
import { OwnerPriceStore } from "../catalog/owner-prices/owner-prices.ts";
import { ConfigRefused } from "./config-refused.ts";

/**
 * The owner's prices. Rejects with `ConfigRefused` if the file cannot be understood. Without these prices, runs would
 * be charged what the provider files say, which is nothing if the vendor bills the owner.
 */
export async function openOwnerPrices(configDir: string): Promise<OwnerPriceStore> {
  const store = new OwnerPriceStore(join(configDir, "prices.yaml"));
  const { isUnreadable, problems } = await store.read();
  if (!isUnreadable) return store;
  const [mistake] = problems;
  const where = mistake === undefined ? "" : ` (${mistakeWords(mistake)})`;
  throw new ConfigRefused(
    `The prices in ${store.file} cannot be read${where}. Fix or remove the file, and start again`,
  );
}
