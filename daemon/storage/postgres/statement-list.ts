import type { Connection as Wire, Query } from "pg";

/** Statements that are sent together. What they find is not read. */
export class StatementList {
  readonly #statements: Statement[] = [];

  /** As `Connection.queryNamed`, but sent with the others. */
  queryNamed(name: string, text: string, values: readonly Value[] = []): void {
    this.#statements.push({ name, text, values: values.map(textOf) });
  }

  /**
   * Makes `query`, which has not been sent, one that sends all of them and is answered once, after the last one or the first that
   * failed; those after it are not done. `planned` are the names that the session knows; those that become known are returned.
   *
   * The protocol's messages are in its manual, "Extended Query". pg sends a Sync after each statement, so the server would wake
   * this process for each.
   */
  sendWith(query: Query, planned: ReadonlySet<string>): readonly string[] {
    const added = this.#statements.filter(({ name }) => !planned.has(name));
    const nothing = () => undefined;
    Object.assign(query, {
      submit: (wire: Wire) => {
        wire.stream.cork();
        try {
          for (const statement of this.#statements) send(wire, statement, added.includes(statement));
          wire.sync();
        } finally {
          wire.stream.uncork();
        }
        return null;
      },
      handleRowDescription: nothing,
      handleDataRow: nothing,
      handleCommandComplete: nothing,
    });
    return added.map(({ name }) => name);
  }
}

type Single = string | number | null;
type Value = Single | readonly Single[];

interface Statement {
  readonly name: string;
  readonly text: string;
  /** Texts by now, so that nothing can fail when half of a list has left. */
  readonly values: (string | null)[];
}

function send(wire: Wire, { name, text, values }: Statement, isNew: boolean): void {
  if (isNew) {
    // A list before it that failed may have got as far as to this name.
    wire.close({ type: "S", name }, true);
    wire.parse({ name, text, types: [] }, true);
  }
  wire.bind({ portal: "", statement: name, values }, true);
  wire.execute({ portal: "" }, true);
}

function textOf(value: Value): string | null {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return `{${value.map(itemText).join(",")}}`;
}

function itemText(item: Single): string {
  if (item === null) return "NULL";
  return typeof item === "number" ? String(item) : `"${item.replace(/["\\]/g, "\\$&")}"`;
}
