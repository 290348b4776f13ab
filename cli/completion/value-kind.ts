import type { ValueNode } from "./command-tree.ts";

/** Where the values of an argument or of a flag come from. */
export type ValueKind = "endpoint" | "input" | "provider" | "run" | "profile" | "file" | "unknown";

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

export function valueKind({ node, option }: { node: ValueNode; option?: string }): ValueKind {
  return (option === undefined ? undefined : kindsOfOptions[option]) ?? kinds[node.name] ?? "unknown";
}
