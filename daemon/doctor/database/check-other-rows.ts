import { countWords } from "../../../shared/count-words.ts";
import { NO_MONEY } from "../../../shared/micro-dollars.ts";
import type { Queries } from "../../storage/postgres/connection.ts";
import { columnText } from "../../storage/postgres/line-rows.ts";
import type { Findings } from "../finding.ts";
import { addTo, type EndedAt, type NumberSum, type ReadLines } from "./check-line-rows.ts";

/** Column of `ended_resources` → the fact that it has. */
const ENDED_COLUMNS = {
  resource_id: "resourceId",
  workspace_id: "workspaceId",
  provider: "provider",
  resource_type: "resourceType",
  state: "state",
  provisioned_by: "provisionedBy",
  cycle: "cycle",
  ended_at: "endedAt",
  month: "month",
  n: "n",
} as const satisfies Readonly<Record<string, keyof EndedAt>>;

type EndedRow = Readonly<Record<keyof typeof ENDED_COLUMNS, string | number>>;

const PAGE = 10_000;
const DAY_MS = 86_400_000;

export const ACCOUNTS = "select account, micro from accounts where account > $1 order by account limit $2";
export const OWNERS = "select run_id from run_owners where run_id > $1 order by run_id limit $2";

export const ENDED = `select ${Object.keys(ENDED_COLUMNS).join(", ")} from ended_resources where resource_id > $1 order by resource_id limit $2`;

/** Tables that say the same as the lines: the head, the months, the balances, who drives open runs, movements, ended resources. */
export async function checkOtherRows(
  queries: Queries,
  findings: Findings,
  read: ReadLines,
  { ownersAreThere }: { readonly ownersAreThere: boolean },
): Promise<void> {
  await checkHead(queries, findings, read);
  const months = await checkMonths(queries, findings, read);
  await checkAccounts(queries, findings, read);
  // While a folder is being moved here, its open runs have no owner yet.
  if (ownersAreThere) await checkOwners(queries, findings, read);
  const movements = await checkMovements(queries, findings, read);
  const ended = await checkEnded(queries, findings, read);
  const runs = countWords(read.ledger.runs - read.ledger.state.runs.list().length, "finished run");
  findings.looked.set("indexes", `${runs}, ${movements}, ${ended}, ${months}`);
}

async function checkHead(queries: Queries, findings: Findings, { last }: ReadLines): Promise<void> {
  const heads = await queries.query<{ n: number; month: number }>("select n, month from head");
  const [head] = heads;
  if (heads.length === 1 && head?.n === last.n && (last.n === 0 || head.month === last.month)) return;
  const says = head === undefined ? "nothing" : `line ${head.n} of ${head.month}`;
  findings.damage("journal", `the newest line is ${last.n} of ${last.month}, and the head says ${says}`, {
    row: "head",
  });
}

async function checkMonths(queries: Queries, findings: Findings, { months }: ReadLines): Promise<string> {
  const rows = await queries.query<{ month: number; created_from: number | null; created_to: number | null }>(
    "select month, created_from, created_to from months",
  );
  const known = new Map(rows.map((row) => [row.month, row]));
  for (const [month, { from, to }] of months) {
    const row = known.get(month);
    const holds =
      row !== undefined &&
      (from === Infinity || (Number(row.created_from ?? Infinity) <= from && to < Number(row.created_to ?? -Infinity)));
    if (holds) continue;
    const span = from === Infinity ? "" : ` from ${dayOf(from)} to ${dayOf(to)}`;
    const message = `runs that were created${span} are left out of lists: the month does not say that it has them`;
    findings.damage("indexes", message, { row: `month ${month}` });
  }
  return countWords(rows.length, "month");
}

function dayOf(ms: number): string {
  return new Date(Math.floor(ms / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
}

async function checkAccounts(queries: Queries, findings: Findings, { ledger }: ReadLines): Promise<void> {
  const { accounts } = ledger.state.book.money;
  const unseen = new Set(accounts.keys());
  const compare = (account: string, has: number) => {
    const ought = accounts.get(account) ?? NO_MONEY;
    if (has === ought) return;
    findings.damage("ledger", `the table has ${has} micro-dollars, the lines give ${ought}`, {
      row: `account ${account}`,
    });
  };
  for await (const { account, micro } of pages<{ account: string; micro: number }>(
    queries,
    ACCOUNTS,
    (row) => row.account,
  )) {
    unseen.delete(account);
    compare(account, micro);
  }
  for (const account of unseen) compare(account, 0);
}

async function checkOwners(queries: Queries, findings: Findings, { ledger }: ReadLines): Promise<void> {
  const open = new Set<string>(ledger.state.runs.list().map(({ run }) => run.runId));
  for await (const { run_id: runId } of pages<{ run_id: string }>(queries, OWNERS, (row) => row.run_id)) {
    if (open.delete(runId)) continue;
    findings.damage("runs", "a daemon drives it, and it is not under way", { row: `run ${runId}` });
  }
  for (const runId of open)
    findings.damage("runs", "it is under way, and no daemon will ever drive it", { row: `run ${runId}` });
}

async function checkMovements(queries: Queries, findings: Findings, { movements }: ReadLines): Promise<string> {
  const unseen = new Set(movements.keys());
  let count = 0;
  const compare = (workspaceId: string, has: NumberSum) => {
    const ought = movements.get(workspaceId) ?? { count: 0, sum: 0 };
    count += has.count;
    if (has.count === ought.count && has.sum === ought.sum) return;
    const message = `the lines moved its money ${countWords(ought.count, "time")}, and ${has.count} rows in movements say so, or of other lines`;
    findings.damage("indexes", message, { row: `workspace ${workspaceId}` });
  };
  for (let after = ""; ;) {
    const [row] = await queries.query<{ workspace_id: string | null }>(
      "select min(workspace_id) as workspace_id from movements where workspace_id > $1",
      [after],
    );
    if (row === undefined || row.workspace_id === null) break;
    after = row.workspace_id;
    unseen.delete(after);
    compare(after, await sumOf(queries, after));
  }
  for (const workspaceId of unseen) compare(workspaceId, { count: 0, sum: 0 });
  return countWords(count, "movement");
}

async function checkEnded(queries: Queries, findings: Findings, { ended }: ReadLines): Promise<string> {
  const unseen = new Map(ended);
  for await (const row of pages<EndedRow>(queries, ENDED, ({ resource_id: id }) => String(id))) {
    const id = String(row.resource_id);
    const ought = ended.get(id);
    unseen.delete(id);
    const wrong = ought === undefined ? ["none ended it"] : differencesOf(row, ought);
    if (wrong.length === 0) continue;
    findings.damage("indexes", `its row in ended_resources is another than the lines give: ${wrong.join(", ")}`, {
      row: `resource ${id}`,
    });
  }
  for (const [id, { n }] of unseen)
    findings.damage("indexes", `line ${n} ended it, and it is in no list`, { row: `resource ${id}` });
  return countWords(ended.size, "ended resource");
}

/** In words. */
function differencesOf(row: EndedRow, ought: EndedAt): string[] {
  const names = Object.keys(ENDED_COLUMNS) as (keyof typeof ENDED_COLUMNS)[];
  const wrong = names.filter((name) => asColumn(row[name]) !== asColumn(ought[ENDED_COLUMNS[name]]));
  return wrong.length === 0 ? [] : [`line ${ought.n} ended it`, `with another ${wrong.join(", ")}`];
}

/** Text that a database cannot hold is told in other words by it. */
function asColumn(value: string | number): string | number {
  return typeof value === "string" ? columnText(value) : value;
}

async function sumOf(queries: Queries, workspaceId: string): Promise<NumberSum> {
  const sums = new Map<string, NumberSum>();
  for (let after = 0; ;) {
    const rows = await queries.query<{ n: number }>(
      "select n from movements where workspace_id = $1 and n > $2 order by n limit $3",
      [workspaceId, after, PAGE],
    );
    for (const { n } of rows) addTo(sums, workspaceId, n);
    if (rows.length < PAGE) return sums.get(workspaceId) ?? { count: 0, sum: 0 };
    after = rows.at(-1)?.n ?? 0;
  }
}

/** All rows of a query whose `$1` is the name of the last one, and `$2` how many. */
async function* pages<Row extends Record<string, unknown>>(
  queries: Queries,
  text: string,
  nameOf: (row: Row) => string,
): AsyncGenerator<Row> {
  for (let after = ""; ;) {
    const rows = await queries.query<Row>(text, [after, PAGE]);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = nameOf(last);
  }
}
