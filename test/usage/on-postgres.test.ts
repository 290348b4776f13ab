import { onPostgres } from "../support/on-postgres.ts";

// `damaged-export.test.ts` damages files.
await onPostgres(import.meta.url, {
  always: ["./usage.test.ts"],
  long: ["./export.test.ts"],
});
