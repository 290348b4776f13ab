import { onPostgres } from "../support/on-postgres.ts";

await onPostgres(import.meta.url, {
  always: ["./activities.test.ts"],
  long: [],
  never: {
    "./wallet.test.ts":
      "its server is made of a few parts, without a daemon; the reference calls credit and debit on PostgreSQL",
  },
});
