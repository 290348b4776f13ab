import { Command as CommanderCommand, type Help } from "commander";

/** A command that says how it is used: its help begins with lines to type, and tests type them. */
export class Command extends CommanderCommand {
  #examples: readonly string[] = [];
  #topics: readonly HelpTopic[] = [];

  /** Shell lines that work as they are; `01JV8Z…` stands for any id that fits there. */
  examples(...lines: readonly string[]): this {
    this.#examples = lines;
    return this;
  }

  get exampleLines(): readonly string[] {
    return this.#examples;
  }

  /** Adds pages to the help of the whole program. */
  addTopics(...topics: readonly HelpTopic[]): this {
    this.#topics = [...this.#topics, ...topics];
    return this;
  }

  get topics(): readonly HelpTopic[] {
    return this.#topics;
  }

  override createCommand(name?: string): Command {
    return new Command(name);
  }
}

/** A page of help that is about no single command: `mkt help <name>`. */
export interface HelpTopic {
  readonly name: string;
  /** In a few words. */
  readonly about: string;
  readonly text: (program: CommanderCommand, helper: Help) => string;
}
