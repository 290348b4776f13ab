type Member = Readonly<Record<string, unknown>>;

/** Rows of the same kind inside an output. */
export interface OutputTable {
  /** Where the list is: `output.items`, or `output` itself. */
  readonly path: string;
  readonly columns: readonly string[];
  /** Columns of numbers alone, whose digits stand below each other. */
  readonly numeric: ReadonlySet<string>;
  readonly rows: readonly Member[];
}

const MOST_COLUMNS = 30;
const SAMPLED = 200;

/** The largest list of objects at the top of an output or one level below; undefined where a table says nothing. */
export function tableOf(output: unknown): OutputTable | undefined {
  const places: [string, unknown][] = [["output", output]];
  if (isMember(output)) for (const [name, value] of Object.entries(output)) places.push([`output.${name}`, value]);
  const lists = places.flatMap(([path, value]) => (isRows(value) ? [{ path, rows: value }] : []));
  const [largest] = lists.toSorted((a, b) => b.rows.length - a.rows.length);
  if (largest === undefined) return undefined;
  const sample = largest.rows.slice(0, SAMPLED);
  const names = new Set(sample.flatMap((row) => Object.keys(row)));
  const columns = [...names].slice(0, MOST_COLUMNS);
  const numeric = columns.filter((name) =>
    sample.every((row) => row[name] === null || row[name] === undefined || typeof row[name] === "number"),
  );
  return { ...largest, columns, numeric: new Set(numeric) };
}

function isRows(value: unknown): value is readonly Member[] {
  return Array.isArray(value) && value.length > 0 && value.slice(0, SAMPLED).every(isMember);
}

function isMember(value: unknown): value is Member {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
