import type { MessagePort } from "node:worker_threads";
import type { ComposeRequest, ConvertRequest, DocumentSource } from "./import-steps.ts";
import { ImportRefused } from "./imported-provider.ts";
import { InProcessImporter } from "./in-process-importer.ts";

/** What the thread is asked: one at a time. */
export type ImportQuestion =
  | { readonly step: "convert"; readonly request: ConvertRequest }
  | { readonly step: "compose"; readonly request: ComposeRequest }
  | { readonly step: "print"; readonly request: DocumentSource };

export type ImportReply =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "refused"; readonly rule: string; readonly message: string; readonly line?: number }
  | { readonly kind: "failed"; readonly message: string };

/** Answers what comes through the port, for as long as the thread lives. */
export function serveImports(port: MessagePort): void {
  const importer = new InProcessImporter();
  port.on("message", (question: ImportQuestion) => {
    void answer(importer, question).then((reply) => port.postMessage(reply));
  });
}

async function answer(importer: InProcessImporter, question: ImportQuestion): Promise<ImportReply> {
  try {
    return { kind: "result", result: await ask(importer, question) };
  } catch (error) {
    if (error instanceof ImportRefused) {
      const { rule, message, line } = error;
      return { kind: "refused", rule, message, ...(line !== undefined && { line }) };
    }
    if (error instanceof RangeError && error.message.includes("call stack")) {
      return { kind: "refused", rule: "depth", message: "It nests too deep to be read." };
    }
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

async function ask(importer: InProcessImporter, question: ImportQuestion): Promise<unknown> {
  switch (question.step) {
    case "convert":
      return await importer.convert(question.request);
    case "compose":
      return await importer.compose(question.request);
    case "print":
      return await importer.print(question.request);
  }
}
