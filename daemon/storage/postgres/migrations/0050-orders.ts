import type { Migration } from "./migration.ts";

/** `jsonb` refuses what JSON may hold, such as a NUL in the reason of a denial. */
export const orders: Migration = {
  number: 50,
  title: "orders as they were written",
  sql: `
alter table run_orders alter column body type json using body::json, alter column outcome type json using outcome::json;
`,
};
