import { isDeepStrictEqual } from "node:util";
import { type RunRow, TERM_END } from "../../storage/postgres/line-rows.ts";

export interface FoundRunRow {
  readonly n: number;
  readonly month: number;
  readonly accepted: number;
  readonly run_id: string;
  readonly workspace_id: string;
  readonly created_ms: number;
  readonly terms: readonly string[];
  readonly facts: string;
  readonly idempotency_key: string | null;
  readonly kept_key: string | null;
}

export const RUN_ROWS = `
select n, month, accepted, run_id, workspace_id, created_ms, terms, facts, idempotency_key, kept_key
from runs where n > $1 and n <= $2 order by n`;

/**
 * Which columns are not what the line gives. A version may add terms and members of facts that rows of an earlier one lack: what
 * such a row has must be right, and no more is asked of it.
 */
export function differences(ought: RunRow & { readonly month: number }, has: FoundRunRow): string[] {
  const terms = new Set(ought.terms.split(TERM_END));
  const facts = JSON.parse(ought.facts) as Readonly<Record<string, unknown>>;
  const checks: readonly (readonly [column: string, isSame: boolean])[] = [
    ["month", has.month === ought.month],
    ["run_id", has.run_id === ought.runId],
    ["workspace_id", has.workspace_id === ought.workspaceId],
    ["created_ms", has.created_ms === ought.createdMs],
    ["idempotency_key", has.idempotency_key === ought.idempotencyKey],
    ["kept_key", has.kept_key === ought.keptKey],
    ["terms", has.terms.length > 0 && has.terms.every((term) => terms.has(term))],
    ["facts", Object.entries(factsOf(has)).every(([name, value]) => isDeepStrictEqual(value, facts[name]))],
  ];
  return checks.flatMap(([column, isSame]) => (isSame ? [] : [column]));
}

function factsOf({ facts }: FoundRunRow): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(facts) as Readonly<Record<string, unknown>>;
  } catch {
    return { facts };
  }
}
