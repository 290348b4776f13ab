import { errorText } from "../../shared/error-text.ts";
import type { ComposeRequest, ConvertRequest, DocumentSource } from "./steps/import-steps.ts";
import { ImportRefused } from "./conversion/imported-provider.ts";
import { InProcessImporter } from "./in-process-importer.ts";

/** The questions to the process, one at a time. */
export type ImportQuestion =
  | { readonly step: "convert"; readonly request: ConvertRequest }
  | { readonly step: "compose"; readonly request: ComposeRequest }
  | { readonly step: "print"; readonly request: DocumentSource };

export type ImportReply =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "refused"; readonly rule: string; readonly message: string; readonly line?: number }
  | { readonly kind: "failed"; readonly message: string };

/** Answers `ImportQuestion`s; the last conversion is kept for `compose`. */
export function createImportAnswers(): (question: unknown) => Promise<ImportReply> {
  const importer = new InProcessImporter();
  return async (question) => await answer(importer, question as ImportQuestion);
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
    return { kind: "failed", message: errorText(error) };
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
