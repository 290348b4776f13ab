import type { Logger } from "../base/logger.ts";
import type { CatalogEntry, CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import type { ToolLister } from "../providers/protocol/provider.ts";
import type { ToolMarks } from "./tool-marks.ts";

/** The time between two looks at one server. */
const LOOK_EVERY_MS = 60 * 60 * 1_000;
/** The time for one look; then calls go on without it. */
const LOOK_TIMEOUT_MS = 10_000;

export interface ToolCheckParts {
  readonly marks: Pick<ToolMarks, "refresh" | "isPinned" | "judge">;
  readonly lister: ToolLister;
  readonly logger: Logger;
  /** Milliseconds that never go back. */
  readonly nowMs?: () => number;
}

interface Look {
  readonly atMs: number;
  readonly done: Promise<void>;
}

/** Learns from servers of imported tools whether these are still what was imported. */
export class ToolCheck {
  readonly #parts: Required<ToolCheckParts>;
  /** By provider and address. */
  readonly #looks = new Map<string, Look>();

  constructor(parts: ToolCheckParts) {
    this.#parts = { nowMs: () => performance.now(), ...parts };
  }

  /**
   * Before a call: the first one to a server after the start, and then at most one in an hour, has the tools listed. Calls that
   * come meanwhile wait for the same list. A list that fails says nothing about the tools. Never rejects.
   */
  async before(entry: CatalogEntry): Promise<void> {
    const { provider, request, http } = entry;
    if (provider.importedFrom !== "mcp" || request.tool === undefined) return;
    const { marks, nowMs } = this.#parts;
    await marks.refresh([provider]);
    if (!marks.isPinned(provider)) return;
    const key = JSON.stringify([provider.provider, http.baseUrl]);
    let look = this.#looks.get(key);
    if (look === undefined || nowMs() - look.atMs >= LOOK_EVERY_MS) {
      look = { atMs: nowMs(), done: this.#look(entry, provider) };
      this.#looks.set(key, look);
    }
    await look.done;
  }

  async #look(entry: CatalogEntry, provider: CatalogProvider): Promise<void> {
    const { marks, lister, logger } = this.#parts;
    try {
      const tools = await lister.listTools(entry, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) });
      await marks.judge(provider, tools);
    } catch (error) {
      logger.info({ err: error, provider: provider.provider }, "the tools of an MCP server could not be listed");
    }
  }
}
