import type { CliIo } from "../core/cli-io.ts";
import type { GlobalFlags } from "../flags/global-flags.ts";
import type { Projection } from "../projection/projection.ts";
import { isAgent } from "../terminal/agent.ts";
import { STDOUT_FILE } from "./data-sink.ts";

/** In which form one invocation prints: by its flags, and by what its stdout and stderr are. */
export class OutputForm {
  /** What `-o` names. With --json the answer is what stdout has, and all of it. */
  readonly file: string | undefined;
  readonly isAgent: boolean;
  readonly #io: CliIo;
  readonly #flags: GlobalFlags;
  readonly #projection: Pick<Projection, "isAsked" | "hasExpression">;

  constructor(io: CliIo, flags: GlobalFlags, projection: Pick<Projection, "isAsked" | "hasExpression">) {
    this.#io = io;
    this.#flags = flags;
    this.#projection = projection;
    this.file = flags.json && flags.output === STDOUT_FILE ? undefined : flags.output;
    this.isAgent = isAgent(io.env);
  }

  /** Whether screens are drawn rather than JSON printed. */
  get drawsScreens(): boolean {
    const { json, jsonl } = this.#flags;
    const isData = json === true || jsonl === true || this.file === STDOUT_FILE || this.#projection.isAsked;
    return this.#io.isTty.stdout && !isData;
  }

  /** Whether somebody reads along on stderr. */
  get isWatched(): boolean {
    return this.#io.isTty.stderr && this.#flags.quiet !== true && !this.isAgent;
  }

  /** Whether a list comes as a line for each item. */
  get printsLines(): boolean {
    const { json, jsonl } = this.#flags;
    if (jsonl) return true;
    if (json || this.drawsScreens || this.#projection.hasExpression) return false;
    return this.file === undefined || this.#projection.isAsked;
  }

  /** Whether text for people is printed as a value. */
  get printsValues(): boolean {
    return this.#projection.isAsked || this.#flags.json === true || this.#flags.jsonl === true;
  }

  /** How a whole answer is indented; undefined: not, it is one line. */
  get answerIndent(): number | undefined {
    return this.#io.isTty.stdout && this.#flags.jsonl !== true ? 2 : undefined;
  }

  /** How one of several values is indented: one line, but for a person who asked for one value. */
  get valueIndent(): number | undefined {
    const isForReading = this.#io.isTty.stdout && this.#flags.json === true && this.file === undefined;
    return isForReading ? 2 : undefined;
  }
}
