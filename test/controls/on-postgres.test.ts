import { onPostgres } from "../support/on-postgres.ts";

await onPostgres(import.meta.url, {
  always: ["./alerts.test.ts", "./money-gates.test.ts", "./refused-requests.test.ts"],
  long: ["./enforcement.test.ts", "./routes.test.ts"],
  never: { "./journal-bytes.test.ts": "it measures the files of the journal" },
});
