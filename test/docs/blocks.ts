/** A fenced block of a document, and what the comment right before it says of it. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Of the block's first line in the document. */
  readonly line: number;
  readonly task: Task;
}

/**
 * | Comment                     | The block is                                                              |
 * |-----------------------------|---------------------------------------------------------------------------|
 * | none, language `sh`         | typed, after those before it and in the same shell                        |
 * | `<!-- background -->`       | started and left running: what a reader has in another terminal           |
 * | `<!-- save: PATH -->`       | written to the file                                                       |
 * | `<!-- elsewhere: REASON -->`| not for this machine: read by bash and by the command line, and listed    |
 * | none, another language      | for reading                                                               |
 */
export type Task =
  | { readonly kind: "type" | "background" | "read" }
  | { readonly kind: "save"; readonly path: string }
  | { readonly kind: "elsewhere"; readonly reason: string };

const pattern = /(?:^<!-- ([^>]*?) -->\n\n)?^( *)```(\w+)\n([\s\S]*?)^ *```$/gm;

/** The blocks of a document in their order. Throws for a comment that means nothing. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(pattern)].map((found) => {
    const [, comment, indent = "", language = "", text = ""] = found;
    return {
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "").trimEnd(),
      line: markdown.slice(0, found.index).split("\n").length + (comment === undefined ? 1 : 3),
      task: taskOf(comment, language),
    };
  });
}

function taskOf(comment: string | undefined, language: string): Task {
  if (comment === undefined) return { kind: language === "sh" ? "type" : "read" };
  const [, kind = "", rest = ""] = /^(\w+)(?:: (.*))?$/s.exec(comment) ?? [];
  const said = rest.replaceAll(/\s+/g, " ");
  if (kind === "save" && said !== "") return { kind, path: said };
  if (kind === "elsewhere" && said !== "") return { kind, reason: said };
  if (kind === "background" && said === "") return { kind };
  return { kind: language === "sh" ? "type" : "read" };
}
