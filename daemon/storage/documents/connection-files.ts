import { createHash } from "node:crypto";
import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "../../../shared/errors.ts";
import { flushFolder, makePrivateFolder, replacePrivateFile } from "../../../shared/replace-file.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import type { Logger } from "../../base/logger.ts";
import { unusableConfigDir } from "../../config/config-refused.ts";
import {
  ConnectionRecord,
  type ConnectionStore,
  marked,
  type MarkedConnection,
} from "../../connections/connection-record.ts";
import { readPrivateText } from "./read-private-text.ts";

/** Below the configuration folder. */
export const CONNECTIONS_FOLDER = "connections";

const MAX_BYTES = 1_000_000;

/**
 * Opens `<config>/connections`, a file for each connection; nothing is written until the first login. Rejects with
 * `ConfigRefused` for a file that others may read. One that cannot be understood, such as a later version's, is logged
 * and left as it is.
 */
export async function openConnectionFiles(
  configDir: string,
  { logger, learn }: { readonly logger: Logger; readonly learn: (secret: string) => void },
): Promise<ConnectionStore> {
  const folder = join(configDir, CONNECTIONS_FOLDER);
  const records = new Map<string, ConnectionRecord>();
  for (const name of await namesIn(folder)) {
    const record = await readRecord(join(folder, name), logger);
    if (record === undefined) continue;
    records.set(connectionFileName(record.workspaceId, record.provider), record);
    for (const token of [record.accessToken, record.refreshToken]) if (token !== undefined) learn(token);
  }
  return new ConnectionFiles(folder, records);
}

class ConnectionFiles implements ConnectionStore {
  readonly #folder: string;
  readonly #records: Map<string, ConnectionRecord>;
  /** Writes happen one at a time: an older one must not replace a newer one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string, records: Map<string, ConnectionRecord>) {
    this.#folder = folder;
    this.#records = records;
  }

  find(workspaceId: string, provider: string): ConnectionRecord | undefined {
    return this.#records.get(connectionFileName(workspaceId, provider));
  }

  all(): readonly ConnectionRecord[] {
    return [...this.#records.values()];
  }

  list(workspaceId: string): readonly ConnectionRecord[] {
    return [...this.#records.values()]
      .filter((record) => record.workspaceId === workspaceId)
      .sort((one, other) => (one.provider < other.provider ? -1 : 1));
  }

  async put(record: ConnectionRecord): Promise<void> {
    this.#records.set(connectionFileName(record.workspaceId, record.provider), record);
    await this.#write(record);
  }

  async keep(record: ConnectionRecord): Promise<boolean> {
    if (this.find(record.workspaceId, record.provider)?.connectionId !== record.connectionId) return false;
    await this.put(record);
    return true;
  }

  async mark(of: MarkedConnection, lastFailure: ConnectionRecord["lastFailure"]): Promise<boolean> {
    const record = marked(this.find(of.workspaceId, of.provider), of, lastFailure);
    if (record === undefined) return false;
    await this.put(record);
    return true;
  }

  async markRenewing(record: ConnectionRecord, since: string): Promise<undefined> {
    await this.#write({ ...record, renewingSince: since });
  }

  async remove({
    workspaceId,
    provider,
    connectionId,
  }: Pick<ConnectionRecord, "workspaceId" | "provider" | "connectionId">): Promise<boolean> {
    const name = connectionFileName(workspaceId, provider);
    const isReplaced = () => (this.#records.get(name)?.connectionId ?? connectionId) !== connectionId;
    if (isReplaced()) return false;
    this.#records.delete(name);
    await this.#inTurn(async () => {
      // A login that ended meanwhile writes its file after this.
      await unlink(join(this.#folder, name)).catch((error: unknown) => {
        if (systemErrorCode(error) !== "ENOENT") throw error;
      });
      await flushFolder(this.#folder);
    });
    return !isReplaced();
  }

  async #write(record: ConnectionRecord): Promise<void> {
    const name = connectionFileName(record.workspaceId, record.provider);
    await this.#inTurn(async () => {
      await makePrivateFolder(this.#folder);
      await replacePrivateFile(join(this.#folder, name), `${JSON.stringify(record, null, 2)}\n`);
    });
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work).catch((error: unknown) => {
      const { message } = unusableConfigDir(this.#folder, error);
      // No Retry-After: the folder has to be put right by a person.
      throw new ApiError("unavailable", message, { cause: error, errorCode: "NOT_CONFIGURED" });
    });
    this.#last = turn.catch(() => {});
    await turn;
  }
}

/** Ids of workspaces are not shown in names, and have no characters that a name cannot have. */
export function connectionFileName(workspaceId: string, provider: string): string {
  const workspace = createHash("sha256").update(workspaceId).digest("hex").slice(0, 24);
  return `${provider}.${workspace}.json`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw unusableConfigDir(folder, error);
  });
  return names.filter((name) => name.endsWith(".json")).sort();
}

async function readRecord(path: string, logger: Logger): Promise<ConnectionRecord | undefined> {
  const text = await readPrivateText(path, MAX_BYTES);
  if (text === undefined) return undefined;
  try {
    return ConnectionRecord.parse(JSON.parse(text));
  } catch {
    // Without the cause: it may quote a token.
    logger.warn({ file: path }, "the file of a connection cannot be understood; connect again to replace it");
    return undefined;
  }
}
