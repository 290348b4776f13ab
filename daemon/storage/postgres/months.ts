import type { Queries } from "./connection.ts";
import type { Database } from "./database.ts";

const LOCK = 7_241_107_002;
/** Divided by month, each with the same parts. */
const DIVIDED = ["lines", "runs", "movements", "outputs"] as const;
type Divided = (typeof DIVIDED)[number];

export function partOf(table: Divided, month: number): string {
  return `${table}_${month}`;
}

/** The month after this one, by the database's clock. */
export const NEXT_MONTH =
  "select to_char(clock_timestamp() at time zone 'UTC' + interval '1 month', 'YYYYMM')::integer as month";

/** The months that the tables have parts for. A part is made before the first line of its month. */
export class Months {
  readonly #database: Database;
  readonly #known = new Set<number>();

  constructor(database: Database) {
    this.#database = database;
  }

  has(month: number): boolean {
    return this.#known.has(month);
  }

  /** Makes the parts of the month after this one, so that no commit waits for them when it begins. */
  async addNext(): Promise<void> {
    const [{ month } = { month: 0 }] = await this.#database.query<{ month: number }>(NEXT_MONTH);
    if (!this.has(month)) await this.add(month);
  }

  /** Makes the parts of a month, if no other daemon has; what reads and writes go on meanwhile. */
  async add(month: number): Promise<void> {
    await this.#database.transaction((queries) => addMonth(queries, month));
    this.#known.add(month);
  }
}

async function addMonth(queries: Queries, month: number): Promise<void> {
  await queries.query("select pg_advisory_xact_lock($1)", [LOCK]);
  const known = await queries.query("select from months where month = $1", [month]);
  if (known.length > 0) return;
  for (const table of DIVIDED) {
    const part = partOf(table, month);
    // To attach a table locks no reader and no writer out, other than to create it as a part.
    await queries.query(`create table ${part} (like ${table} including constraints including indexes)`);
    await queries.query(`alter table ${table} attach partition ${part} for values in (${month})`);
  }
  await queries.query("insert into months (month) values ($1)", [month]);
}
