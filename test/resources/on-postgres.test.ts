import { onPostgres } from "../support/on-postgres.ts";

// `crash.test.ts` and `one-thing.test.ts` copy data folders; the rest of the folder has no daemon.
await onPostgres(import.meta.url, {
  always: ["./resource-calls.test.ts", "./timers.test.ts"],
  long: [],
});
