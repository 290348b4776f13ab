import { usageError } from "../core/cli-error.ts";
import type { FieldPath } from "./field-path.ts";
import { selectFields } from "./select-fields.ts";
import { unmatchedWords } from "./unmatched-words.ts";

export interface ProjectionFlags {
  readonly fields?: readonly FieldPath[] | undefined;
  readonly jq?: string | undefined;
}

/**
 * What `--fields` and `--jq` make of an answer: first the fields, then the expression. A field that is nowhere in the answer
 * is told by `note`; when none of those named is there, that is wrong usage.
 */
export class Projection {
  readonly #flags: ProjectionFlags;
  readonly #note: (text: string) => Promise<void>;

  constructor(flags: ProjectionFlags, note: (text: string) => Promise<void>) {
    this.#flags = flags;
    this.#note = note;
  }

  get isAsked(): boolean {
    return this.#flags.fields !== undefined || this.#flags.jq !== undefined;
  }

  /** Whether an expression says what an answer becomes. */
  get hasExpression(): boolean {
    return this.#flags.jq !== undefined;
  }

  /** Rejects with wrong usage for an expression that cannot be read: before anything is asked for, or paid. */
  async check(): Promise<void> {
    if (this.#flags.jq !== undefined) await (await import("./jq.ts")).checkJq(this.#flags.jq);
  }

  /** The values, each with the named fields alone. */
  async select(values: readonly unknown[]): Promise<readonly unknown[]> {
    const { fields } = this.#flags;
    if (fields === undefined || values.length === 0) return values;
    const { value, unmatched } = selectFields(values, fields);
    const [first] = unmatched;
    if (first !== undefined && unmatched.length === fields.length) throw usageError(unmatchedWords(values, first));
    for (const path of unmatched) await this.#note(unmatchedWords(values, path));
    return value as unknown[];
  }

  /** What the expression makes of the values, as lines of text; `toJson` writes them where there is none. */
  async toLines(values: readonly unknown[], toJson: (value: unknown) => string): Promise<string[]> {
    const { jq } = this.#flags;
    if (jq === undefined) return values.map(toJson);
    return (await import("./jq.ts")).runJq(
      values.map((value) => JSON.stringify(value) ?? "null"),
      jq,
    );
  }
}
