import { onPostgres } from "../support/on-postgres.ts";

await onPostgres(import.meta.url, {
  always: ["./run-states.test.ts"],
  long: [
    "./additions.test.ts",
    "./authentication.test.ts",
    "./errors.test.ts",
    "./hints.test.ts",
    "./limits.test.ts",
    "./price-types.test.ts",
    "./reference-calls.test.ts",
    "./reference-client.test.ts",
  ],
  never: {},
});
