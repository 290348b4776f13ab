import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { describeStore } from "./store-contract.ts";

describeStore("the memory store", async () => {
  const store = openMemoryStore();
  return { store, [Symbol.asyncDispose]: () => store.close() };
});
