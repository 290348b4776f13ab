import type { CommandNode, OptionNode, ValueNode } from "./command-tree.ts";

/** What fits at the cursor: one of these words, or a value that has to be looked up. */
export interface Wanted {
  words: readonly Offer[];
  value?: { node: ValueNode; option?: string };
  /** The arguments of the command before it. */
  given: readonly string[];
  /** The part of the word at the cursor before the value, such as `--provider=`. */
  before: string;
}

export interface Offer {
  word: string;
  about: string;
}

/**
 * Reads what a command line up to the cursor wants next. `words` are those after `mkt` and before the one at the
 * cursor.
 */
export function findWanted(tree: CommandNode, words: readonly string[], current: string): Wanted {
  const place = walk(tree, words);
  const given = place.arguments;
  if (place.pending) return { words: [], ...valueOf(place.pending), given, before: "" };
  if (current.startsWith("-") && !place.onlyArguments) return wantedFlag(place, current);
  const { command } = place.path.at(-1) ?? { command: tree };
  const node = argumentAt(command, given.length);
  return {
    words: given.length === 0 ? command.commands.map(({ names: [word = ""], about }) => ({ word, about })) : [],
    ...(node && { value: { node } }),
    given,
    before: "",
  };
}

interface CommandPosition {
  /** The commands named so far, the program itself first. */
  path: { command: CommandNode }[];
  /** The arguments of the last of them. */
  arguments: string[];
  /** A flag whose value is the word at the cursor. */
  pending?: OptionNode;
  /** A `--` came before. */
  onlyArguments: boolean;
}

function walk(tree: CommandNode, words: readonly string[]): CommandPosition {
  const place: CommandPosition = { path: [{ command: tree }], arguments: [], onlyArguments: false };
  for (const word of words) step(place, word);
  return place;
}

function step(place: CommandPosition, word: string): void {
  if (place.pending) {
    delete place.pending;
  } else if (word === "--") {
    place.onlyArguments = true;
  } else if (word.startsWith("-") && !place.onlyArguments) {
    const option = findOption(place, word);
    if (option?.value && !word.includes("=")) place.pending = option;
  } else {
    const below = place.path.at(-1)?.command.commands.find(({ names }) => names.includes(word));
    if (below && place.arguments.length === 0) place.path.push({ command: below });
    else place.arguments.push(word);
  }
}

function wantedFlag(place: CommandPosition, current: string): Wanted {
  const equals = current.indexOf("=");
  if (equals < 0) {
    const offers = optionsOf(place).map(({ names: [word = ""], about }) => ({ word, about }));
    return { words: offers, given: place.arguments, before: "" };
  }
  const option = findOption(place, current);
  const before = current.slice(0, equals + 1);
  return { words: [], ...(option?.value && valueOf(option)), given: place.arguments, before };
}

function valueOf(option: OptionNode): Pick<Wanted, "value"> {
  const [name = ""] = option.names;
  return option.value ? { value: { node: option.value, option: name } } : {};
}

function findOption(place: CommandPosition, word: string): OptionNode | undefined {
  const [name = ""] = word.split("=", 1);
  return optionsOf(place).find(({ names }) => names.includes(name));
}

/** Those of the command itself first, then those that are the same everywhere. */
function optionsOf({ path }: CommandPosition): OptionNode[] {
  return path.toReversed().flatMap(({ command }) => command.options);
}

function argumentAt({ arguments: nodes }: CommandNode, index: number): ValueNode | undefined {
  const last = nodes.at(-1);
  return nodes[index] ?? (last?.isRepeated ? last : undefined);
}
