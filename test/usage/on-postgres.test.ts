import { onPostgres } from "../support/on-postgres.ts";

await onPostgres(import.meta.url, {
  always: ["./usage.test.ts", "./usage-sums.test.ts"],
  long: ["./export.test.ts"],
  never: { "./damaged-export.test.ts": "it damages a file; the doctor finds what is damaged in a database" },
});
