import type { Command, Help } from "commander";

/** A page of help that is about no single command: `mkt help <name>`. */
export interface HelpTopic {
  readonly name: string;
  /** In a few words. */
  readonly about: string;
  readonly text: (program: Command, helper: Help) => string;
}
