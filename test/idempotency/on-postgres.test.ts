import { onPostgres } from "../support/on-postgres.ts";

// `unreached.test.ts` copies data folders; test/chaos kills daemons on a database.
await onPostgres(import.meta.url, {
  always: ["./control-creations.test.ts", "./other-creations.test.ts"],
  long: ["./runs.test.ts", "./restart.test.ts"],
});
