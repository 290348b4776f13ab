import { onPostgres } from "../support/on-postgres.ts";

await onPostgres(import.meta.url, {
  always: ["./ended-resources.test.ts", "./lost-runs.test.ts", "./resource-calls.test.ts", "./timers.test.ts"],
  long: [
    "./crash.test.ts",
    "./exactly-once.test.ts",
    "./many-at-once.test.ts",
    "./one-thing.test.ts",
    "./provisioning.test.ts",
    "./release.test.ts",
    "./renewal.test.ts",
  ],
  never: {
    "./manifest-of-resources.test.ts": "it reads provider files",
    "./rent-periods.test.ts": "it keeps nothing",
  },
});
