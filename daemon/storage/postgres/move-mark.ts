import type { Queries } from "./connection.ts";

/** `coming`: a folder is being moved here. `going`: everything here is being moved into a folder. `gone`: it was. */
export type MoveState = "coming" | "going" | "gone";

export interface MoveMark {
  readonly state: MoveState;
  /** The folder. */
  readonly place: string;
  readonly at: Date;
}

/** The database does not hold the truth now, or not all of it. The message says how to go on. */
export class DatabaseMoved extends Error {
  override readonly name = "DatabaseMoved";

  /** `before` is said first: what was done before it was seen. */
  constructor(shown: string, { state, place, at }: MoveMark, before = "") {
    super(`${before}The database ${shown} starts no daemon: ${REASONS[state](place, at.toISOString())}`);
  }
}

const UNDO = "delete from move";

const REASONS: Readonly<Record<MoveState, (place: string, at: string) => string>> = {
  coming: (place, at) =>
    `${place} is being moved into it since ${at}, and not all is there. Go on with mkt daemon migrate --to postgres --data-dir ${place}; ` +
    "or stay with the folder, where the file MOVED is to be removed, and use an empty database for another move",
  going: (place, at) =>
    `it is being moved into ${place} since ${at}. Go on with mkt daemon migrate --to ${place}; ` +
    `or stay with the database: remove that folder, and type ${UNDO} in psql`,
  gone: (place, at) =>
    `its data were moved into ${place} at ${at} and go on there. Start the daemon with --data-dir ${place} and without ` +
    `MKT_DATABASE_URL; or, to go back to the state of that time and lose what came after, type ${UNDO} in psql`,
};

/** Undefined: daemons may work on the database. */
export async function readMoveMark(queries: Queries): Promise<MoveMark | undefined> {
  const [mark] = await queries.query<MoveMark & Record<string, unknown>>("select state, place, at from move");
  return mark;
}

/** Rejects with `DatabaseMoved`. Ask it when this daemon's row is among the daemons: a move looks there after it left its mark. */
export async function refuseMovedDatabase(queries: Queries, shown: string): Promise<void> {
  const mark = await readMoveMark(queries);
  if (mark !== undefined) throw new DatabaseMoved(shown, mark);
}

/** Replaces what is there; durable when it resolves. */
export async function writeMoveMark(queries: Queries, state: MoveState, place: string): Promise<void> {
  await queries.query(
    "insert into move (state, place) values ($1, $2) on conflict (is_one) do update set state = $1, place = $2, at = clock_timestamp()",
    [state, place],
  );
}

export async function removeMoveMark(queries: Queries): Promise<void> {
  await queries.query("delete from move");
}
