import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import type { Logger } from "../base/logger.ts";
import type { ToolChange } from "../catalog/availability.ts";
import type { CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import type { ListedTool } from "../providers/protocol/provider.ts";
import { importRecordFile, readImportRecord } from "./import-folder.ts";
import { compareTools } from "./mcp/print-tools.ts";
import type { ImportRecord } from "./steps/import-steps.ts";

const Mark = z.strictObject({
  provider: z.string(),
  /** SHA-256 (hex) of the record that the tools were compared with: another record ends the mark. */
  record: z.string(),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
});
type Mark = z.infer<typeof Mark>;

/** What servers listed last that is not what was imported from them. */
export const ToolMarksDocument = z.strictObject({ marks: z.array(Mark) });
export type ToolMarksDocument = z.infer<typeof ToolMarksDocument>;

export interface ToolMarksParts {
  readonly document: {
    readonly data: ToolMarksDocument;
    update(change: (data: ToolMarksDocument) => void): Promise<void>;
  };
  readonly logger: Logger;
}

interface KnownRecord {
  /** Of the file's inode, size and times. */
  readonly state: string;
  readonly hash: string;
  readonly record: ImportRecord;
}

/**
 * Which tools of MCP servers are no longer as they were when they were imported. An import's record is beside the provider's
 * file; the marks are in the data folder and survive a restart.
 * docs/decisions/2026-11-22-changed-tools-are-off.md
 */
export class ToolMarks {
  readonly #parts: ToolMarksParts;
  readonly #marks: Map<string, Mark>;
  readonly #records = new Map<string, KnownRecord>();

  constructor(parts: ToolMarksParts) {
    this.#parts = parts;
    this.#marks = new Map(parts.document.data.marks.map((mark) => [mark.provider, mark]));
  }

  /** Undefined for a tool that is as it was imported, as far as is known. */
  changeOf({ importedFrom, provider }: CatalogProvider, tool: string): ToolChange | undefined {
    const mark = importedFrom === "mcp" ? this.#marks.get(provider) : undefined;
    if (mark?.changed.includes(tool) === true) return "changed";
    return mark?.removed.includes(tool) === true ? "removed" : undefined;
  }

  /** Reads the record again if it was written since: it holds what was accepted, and what `mkt catalog drift` saw. */
  async refresh(providers: readonly CatalogProvider[]): Promise<void> {
    for (const provider of providers) {
      if (provider.importedFrom !== "mcp") continue;
      const known = await this.#read(provider);
      if (known === "gone") await this.#put(provider.provider, undefined);
      if (known === undefined || known === "gone") continue;
      const { hash, record } = known;
      if (this.#marks.get(provider.provider)?.record === hash) continue;
      const { changed = [], removed = [] } = record.seen ?? {};
      const isSeen = record.seen !== undefined;
      await this.#put(provider.provider, isSeen ? toMark(provider, hash, { changed, removed }) : undefined);
    }
  }

  /** Whether an import recorded what its tools were. */
  isPinned({ file, provider }: CatalogProvider): boolean {
    return this.#records.has(importRecordFile(dirname(file), provider));
  }

  /** Compares what the server lists now with what was imported. Resolves when the difference is on the disk. */
  async judge(provider: CatalogProvider, tools: readonly ListedTool[]): Promise<void> {
    const known = await this.#read(provider);
    if (known === undefined || known === "gone") return;
    const { changed, removed } = compareTools(known.record.operations, { tools });
    await this.#put(provider.provider, toMark(provider, known.hash, { changed, removed }));
  }

  /** A disk that takes nothing keeps no tool on: the mark counts in memory. */
  async #put(provider: string, mark: Mark | undefined): Promise<void> {
    const before = this.#marks.get(provider);
    if (JSON.stringify(before) === JSON.stringify(mark)) return;
    if (mark === undefined) this.#marks.delete(provider);
    else this.#marks.set(provider, mark);
    const { document, logger } = this.#parts;
    if (mark !== undefined && mark.changed.length + mark.removed.length > 0) {
      const { changed, removed } = mark;
      logger.warn({ provider, changed, removed }, "tools have changed at their MCP server, and are off until accepted");
    }
    await document
      .update((data) => {
        data.marks = [...data.marks.filter((one) => one.provider !== provider), ...(mark === undefined ? [] : [mark])];
      })
      .catch((error: unknown) => {
        logger.error(
          { err: error, provider },
          "which tools have changed could not be recorded; a restart checks again",
        );
      });
  }

  /** `gone`: there is no record. Undefined: there is one that cannot be read, which ends no mark. */
  async #read({ file, provider }: CatalogProvider): Promise<KnownRecord | "gone" | undefined> {
    const dir = dirname(file);
    const path = importRecordFile(dir, provider);
    try {
      const facts = await stat(path, { bigint: true });
      const state = [facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(":");
      const known = this.#records.get(path);
      if (known?.state === state) return known;
      const record = await readImportRecord(dir, provider);
      if (record === undefined) return undefined;
      const hash = createHash("sha256").update(JSON.stringify(record)).digest("hex");
      const read = { state, hash, record };
      this.#records.set(path, read);
      return read;
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") return undefined;
      this.#records.delete(path);
      return "gone";
    }
  }
}

function toMark(
  { provider }: CatalogProvider,
  record: string,
  { changed, removed }: { readonly changed: readonly string[]; readonly removed: readonly string[] },
): Mark {
  return { provider, record, changed: [...changed].sort(), removed: [...removed].sort() };
}
