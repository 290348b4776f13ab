import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { hasPostgres } from "../support/postgres.ts";
import { openStores } from "./postgres/open-stores.ts";
import type { StoreUnderTest } from "./store-contract.ts";

interface KindOfStore {
  readonly name: string;
  open(): Promise<StoreUnderTest>;
  /** Of so many samples of a property, those that are tried: a database takes much longer to make. */
  samples(all: number): number;
}

async function openInMemory(): Promise<StoreUnderTest> {
  const store = openMemoryStore();
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

async function openInDatabase(): Promise<StoreUnderTest> {
  const opened = await openStores(1);
  const [store] = opened.stores;
  if (store === undefined) throw new Error("no store was opened");
  return { store, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** For suites of features that must hold on whatever store; on PostgreSQL where it is installed. */
export const eachStore: readonly KindOfStore[] = [
  { name: "in memory", open: openInMemory, samples: (all) => all },
  ...(hasPostgres
    ? [{ name: "in PostgreSQL", open: openInDatabase, samples: (all: number) => Math.max(1, Math.ceil(all / 20)) }]
    : []),
];
