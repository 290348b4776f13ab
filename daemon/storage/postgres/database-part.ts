import type { RunId, WorkspaceId } from "../../base/ids.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import type { EndedQuestion, EndedResource } from "../ended-resource.ts";
import type { HistoryPart, IdRange, PlacedLine } from "../history-part.ts";
import type { HistoryLines } from "../history-lines.ts";
import { knownLine } from "../journal/segments/line-shape.ts";
import type { CreatedRange, RunEntry } from "../run-entry.ts";
import type { WantedTerms } from "../run-terms.ts";
import type { Database } from "./database.ts";
import { columnTerm, columnText, entryFrom, type LinePlace } from "./line-rows.ts";
import type { Outputs } from "./outputs.ts";

/** The first page of a list is small; who reads on reads much. */
const BLOCKS = [64, 512, 2_048] as const;
/** As `MAX_KEPT_LOOKED_AT` and more: of one key, as many lines as anybody looks at. */
const MOST_OF_KEY = 100;

export const FIND_RUN = "select month, n, workspace_id from runs where run_id = $1";

const RUNS = `
select month, n, accepted, facts from runs
where workspace_id = $1 and accepted < $2
  and month = any(array(select month from months where created_to > $3 and created_from < $4))`;

/** Runs of a workspace, with a condition for each group of terms. */
export function runsQuery(groups: number): string {
  const terms = Array.from({ length: groups }, (_, group) => ` and terms && $${group + 6}::text[]`).join("");
  return `${RUNS}${terms} order by accepted desc limit $5`;
}

export const MOVEMENTS = `
select month, n from movements where workspace_id = $1 and n < $2 order by n desc limit $3`;

export const BY_KEY = `
select month, n from (
  (select month, n from runs where idempotency_key = $1 order by n desc limit ${MOST_OF_KEY})
  union
  (select month, n from runs where kept_key = $1 order by n desc limit ${MOST_OF_KEY})
) as found order by n desc limit ${MOST_OF_KEY}`;

const ENDED = `
select resource_id, provider, resource_type, state, provisioned_by, cycle, ended_at, month, n from ended_resources`;

export const FIND_ENDED = `${ENDED} where workspace_id = $1 and resource_id = $2`;

/** Of the filter, what is null is not asked for. */
export const LIST_ENDED = `${ENDED}
where workspace_id = $1 and resource_id < $2
  and ($3::text is null or provider = $3) and ($4::text is null or resource_type = $4) and ($5::text is null or state = $5)
  and ($6::text is null or provisioned_by = $6)
order by resource_id desc limit $7`;

/** Those that paid for more than their first period, and ended then or later. */
export const LIST_RENTED = `${ENDED}
where workspace_id = $1 and resource_id < $2 and cycle > 1 and ended_at >= $3 order by resource_id desc limit $4`;

/** No id is above it. */
const HIGHEST_ID = "\u{10FFFF}";

export const READ_LINE = "select body from lines where month = $1 and n = $2";
export const READ_LINES = "select n, body from lines where month = $1 and n = any($2::bigint[])";

interface EndedRow extends Record<string, unknown> {
  readonly resource_id: string;
  readonly provider: string;
  readonly resource_type: EndedResource<LinePlace>["resourceType"];
  readonly state: EndedResource<LinePlace>["state"];
  readonly provisioned_by: string;
  readonly cycle: number;
  readonly ended_at: string;
  readonly month: number;
  readonly n: number;
}

/** All finished runs, all movements and all ended resources, as one part of the history. What is under way is in memory. */
export class DatabasePart implements HistoryPart<LinePlace>, HistoryLines<LinePlace> {
  readonly newestRun = Number.MAX_SAFE_INTEGER;
  readonly newestLine = Number.MAX_SAFE_INTEGER;
  /** It is never too old to be looked at. */
  readonly newestAt = "9999-12-31T23:59:59.999Z";
  /** All that there may be. */
  readonly endedIds: IdRange = ["", HIGHEST_ID];
  readonly newestRentedAt = this.newestAt;
  readonly #database: Database;
  readonly #outputs: Outputs;

  constructor(database: Database, outputs: Outputs) {
    this.#database = database;
    this.#outputs = outputs;
  }

  parts(): readonly HistoryPart<LinePlace>[] {
    return [this];
  }

  async readLine(place: LinePlace): Promise<Line> {
    const { month, n } = place;
    const [row] = await this.#database.queryNamed<{ body: string }>("read-line", READ_LINE, [month, n]);
    if (row === undefined) throw new Error(`line ${n} of ${this.#database.address.shown} is in an index and not there`);
    return this.#lineOf(row.body, place);
  }

  async readLines(
    places: readonly LinePlace[],
  ): Promise<readonly { readonly where: LinePlace; readonly line: Line }[]> {
    // One line may end several resources: each has a place of its own.
    const byNumber = new Map<number, LinePlace[]>();
    for (const place of places) byNumber.set(place.n, [...(byNumber.get(place.n) ?? []), place]);
    const found: { readonly where: LinePlace; readonly line: Line }[] = [];
    for (const month of new Set(places.map((place) => place.month))) {
      const numbers = new Set(places.filter((place) => place.month === month).map(({ n }) => n));
      const rows = await this.#database.queryNamed<{ n: number; body: string }>("read-lines", READ_LINES, [
        month,
        [...numbers],
      ]);
      for (const { n, body } of rows) {
        const wanted = byNumber.get(n) ?? [];
        const line = this.#lineOf(body, wanted[0] ?? { month, n });
        for (const where of wanted) found.push({ where, line });
      }
    }
    return found;
  }

  #lineOf(body: string, place: LinePlace): Line {
    return this.#outputs.placed(knownLine(JSON.parse(body) as Record<string, unknown>), place);
  }

  readWhole(place: LinePlace): Promise<Line> {
    return this.readLine(place);
  }

  hasRunsOf(): boolean {
    return true;
  }

  mayHaveRun(): boolean {
    return true;
  }

  async probablyHasRun(): Promise<boolean> {
    return true;
  }

  async findRun(runId: RunId): Promise<{ readonly workspaceId: WorkspaceId; readonly where: LinePlace } | undefined> {
    const [row] = await this.#database.queryNamed<{ month: number; n: number; workspace_id: WorkspaceId }>(
      "find-run",
      FIND_RUN,
      [columnText(runId)],
    );
    return row && { workspaceId: row.workspace_id, where: { month: row.month, n: row.n } };
  }

  async *runBlocks(
    workspaceId: WorkspaceId,
    before: number,
    wanted: WantedTerms,
    { from, to }: CreatedRange = { from: -Infinity, to: Infinity },
  ): AsyncGenerator<readonly RunEntry<LinePlace>[]> {
    const text = runsQuery(wanted.length);
    const groups = wanted.map((group) => group.map(columnTerm));
    const range = [bounded(from), bounded(to)];
    let next = bounded(before);
    for (let block = 0; ; block += 1) {
      const limit = BLOCKS[Math.min(block, BLOCKS.length - 1)] ?? 1;
      const rows = await this.#database.query<{ month: number; n: number; accepted: number; facts: string }>(text, [
        workspaceId,
        next,
        ...range,
        limit,
        ...groups,
      ]);
      if (rows.length > 0) yield rows.map(({ facts, month, n }) => entryFrom(facts, { month, n }));
      if (rows.length < limit) return;
      next = rows.at(-1)?.accepted ?? 0;
    }
  }

  async *movementBlocks(workspaceId: WorkspaceId, before: number): AsyncGenerator<readonly PlacedLine<LinePlace>[]> {
    let next = bounded(before);
    for (let block = 0; ; block += 1) {
      const limit = BLOCKS[Math.min(block, BLOCKS.length - 1)] ?? 1;
      const rows = await this.#database.queryNamed<{ month: number; n: number }>("movements", MOVEMENTS, [
        workspaceId,
        next,
        limit,
      ]);
      if (rows.length > 0) yield rows.map(({ month, n }) => ({ seq: n, where: { month, n } }));
      if (rows.length < limit) return;
      next = rows.at(-1)?.n ?? 0;
    }
  }

  async findByKey(key: string): Promise<readonly LinePlace[]> {
    return await this.#database.queryNamed<{ month: number; n: number }>("by-key", BY_KEY, [columnText(key)]);
  }

  async findEndedResource(workspaceId: WorkspaceId, resourceId: string): Promise<EndedResource<LinePlace> | undefined> {
    const [row] = await this.#database.queryNamed<EndedRow>("find-ended", FIND_ENDED, [
      workspaceId,
      columnText(resourceId),
    ]);
    return row && endedOf(workspaceId, row);
  }

  async *endedBlocks(
    workspaceId: WorkspaceId,
    before: string | undefined,
    { provider, resourceType, state, provisionedBy, rentedSince }: EndedQuestion,
  ): AsyncGenerator<readonly EndedResource<LinePlace>[]> {
    const text = rentedSince === undefined ? LIST_ENDED : LIST_RENTED;
    const filter = [provider, resourceType, state, provisionedBy].map((value) => value && columnText(value));
    const wanted = rentedSince === undefined ? filter.map((value) => value ?? null) : [rentedSince];
    let next = before === undefined ? HIGHEST_ID : columnText(before);
    for (let block = 0; ; block += 1) {
      const limit = BLOCKS[Math.min(block, BLOCKS.length - 1)] ?? 1;
      const rows = await this.#database.query<EndedRow>(text, [workspaceId, next, ...wanted, limit]);
      if (rows.length > 0) yield rows.map((row) => endedOf(workspaceId, row));
      if (rows.length < limit) return;
      next = rows.at(-1)?.resource_id ?? "";
    }
  }
}

function endedOf(workspaceId: WorkspaceId, row: EndedRow): EndedResource<LinePlace> {
  return {
    resourceId: row.resource_id,
    workspaceId,
    provider: row.provider,
    resourceType: row.resource_type,
    state: row.state,
    provisionedBy: row.provisioned_by,
    cycle: row.cycle,
    endedAt: row.ended_at,
    where: { month: row.month, n: row.n },
  };
}

/** A column of 8 bytes has no infinity. */
function bounded(value: number): number {
  return Math.min(Math.max(Math.trunc(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
