import { Command as CommanderCommand } from "commander";

/** A command that says how it is used: its help begins with lines to type, and tests type them. */
export class Command extends CommanderCommand {
  #examples: readonly string[] = [];

  /** Lines of a shell that do something with it as they stand; `01JV8Z…` stands for an id, whichever fits there. */
  examples(...lines: readonly string[]): this {
    this.#examples = lines;
    return this;
  }

  get exampleLines(): readonly string[] {
    return this.#examples;
  }

  override createCommand(name?: string): Command {
    return new Command(name);
  }
}
