import type { CommandNode, ValueNode } from "./command-tree.ts";
import { findWanted, type Offer, type Wanted } from "./wanted.ts";

/** Where the values of an argument or of a flag come from. */
type ValueKind = "endpoint" | "input" | "provider" | "run" | "profile" | "file" | "unknown";

/** By the names that the help has for them. */
const kinds: Readonly<Record<string, ValueKind>> = {
  endpoint: "endpoint",
  input: "input",
  provider: "provider",
  providers: "provider",
  runId: "run",
  profile: "profile",
  file: "file",
  files: "file",
  dir: "file",
  directory: "file",
  path: "file",
  paths: "file",
  sources: "file",
  old: "file",
  new: "file",
  "file-or-address": "file",
};

const kindsOfOptions: Readonly<Record<string, ValueKind>> = { "--provider": "provider", "--profile": "profile" };

/** The names that are known; each is read only when it is asked for. */
export interface KnownNames {
  endpoints(): Promise<readonly string[]>;
  /** The names of an endpoint's input, if it was inspected before. */
  inputs(endpoint: string): Promise<readonly string[]>;
  runs(): Promise<readonly string[]>;
  profiles(): Promise<readonly string[]>;
}

export interface Completion {
  /** Whole words that fit at the cursor. One that ends with "/" or "=" is continued. */
  offers: readonly Offer[];
  /** The shell should offer files, too. */
  withFiles: boolean;
}

/**
 * What fits at the cursor of a command line. `words` are those after `mkt` and before `current`, the one at the cursor.
 */
export async function complete(
  tree: CommandNode,
  { words, current }: { words: readonly string[]; current: string },
  known: KnownNames,
): Promise<Completion> {
  const wanted = findWanted(tree, words, current);
  const typed = current.slice(wanted.before.length);
  const kind = wanted.value && valueKind(wanted.value);
  const values = await offersOf(wanted, kind, typed, known);
  const offers = [...wanted.words, ...values.map((offer) => ({ ...offer, word: wanted.before + offer.word }))];
  return { offers: offers.filter(({ word }) => word.startsWith(current)), withFiles: kind === "file" };
}

async function offersOf(
  { value, given }: Wanted,
  kind: ValueKind | undefined,
  typed: string,
  known: KnownNames,
): Promise<Offer[]> {
  if (value?.node.choices) return toOffers(value.node.choices, "");
  switch (kind) {
    case "endpoint":
      return endpointOffers(await known.endpoints(), typed);
    case "input":
      return inputOffers(value?.option === undefined ? await known.inputs(given[0] ?? "") : [], given);
    case "provider":
      return toOffers(providersOf(await known.endpoints()), "provider");
    case "run":
      return toOffers((await known.runs()).toReversed(), "run");
    case "profile":
      return toOffers(await known.profiles(), "profile");
    default:
      return [];
  }
}

/** Providers first, like folders, and the endpoints of one after its slash. */
function endpointOffers(endpoints: readonly string[], typed: string): Offer[] {
  const providers = providersOf(endpoints).filter((provider) => `${provider}/`.startsWith(typed));
  if (typed.includes("/") || providers.length === 1) return toOffers(endpoints, "endpoint");
  return toOffers(
    providers.map((provider) => `${provider}/`),
    "provider",
  );
}

/** Those that were not given yet. */
function inputOffers(inputs: readonly string[], given: readonly string[]): Offer[] {
  const open = inputs.filter(
    (name) => !given.some((word) => word.startsWith(`${name}=`) || word.startsWith(`${name}:=`)),
  );
  return toOffers(
    open.map((name) => `${name}=`),
    "input",
  );
}

function providersOf(endpoints: readonly string[]): string[] {
  return [...new Set(endpoints.map((endpoint) => endpoint.slice(0, endpoint.indexOf("/"))))].sort();
}

function toOffers(words: readonly string[], about: string): Offer[] {
  return words.map((word) => ({ word, about }));
}

function valueKind({ node, option }: { node: ValueNode; option?: string }): ValueKind {
  return (option === undefined ? undefined : kindsOfOptions[option]) ?? kinds[node.name] ?? "unknown";
}
