import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ApiError } from "../../../shared/errors.ts";
import { makePrivateFolder, replacePrivateFile } from "../../../shared/replace-file.ts";
import { SecretsDocument, type SecretsFile } from "../../catalog/grants/secret-store.ts";
import { ConfigRefused, unusableConfigDir } from "../../config/config-refused.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";

const MAX_BYTES = 5_000_000;

/**
 * Opens `<config>/secrets.json`; nothing is written until the first update. Rejects with `ConfigRefused` for a file
 * that is a link, that others than its owner may read, or that cannot be parsed. Unlike the documents of the data
 * folder it keeps no copy of its former content: a removed secret is gone. docs/security.md, T18.
 */
export async function openSecretsFile(configDir: string): Promise<SecretsFile> {
  const path = join(configDir, "secrets.json");
  let data = await readSecretsFile(path);
  let last: Promise<unknown> = Promise.resolve();

  const updateNow = async (change: (data: SecretsDocument) => void) => {
    // Another daemon with this configuration folder, or its owner, may have written meanwhile.
    const draft = { ...(await readSecretsFile(path)) };
    change(draft);
    await writeSecretsFile(configDir, path, draft);
    data = draft;
  };
  return {
    get data() {
      return data;
    },
    update(change) {
      const update = last.then(() => updateNow(change)).catch(toApiError);
      last = update.catch(() => undefined);
      return update;
    },
  };
}

/** While the daemon runs, the error goes to the operator who made the request. */
function toApiError(error: unknown): never {
  throw error instanceof ConfigRefused ? new ApiError("unavailable", error.message, { cause: error }) : error;
}

async function writeSecretsFile(configDir: string, path: string, data: SecretsDocument): Promise<void> {
  try {
    await makePrivateFolder(configDir);
    await replacePrivateFile(path, `${JSON.stringify(data, null, 2)}\n`);
  } catch (error) {
    throw unusableConfigDir(configDir, error);
  }
}

async function readSecretsFile(path: string): Promise<SecretsDocument> {
  const text = await readPrivateText(path);
  if (text === undefined) return {};
  const parsed = SecretsDocument.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ConfigRefused(
    `The file ${path} must be a JSON object of names such as ACME_API_KEY and their values as texts. Correct it, or remove it`,
  );
}

/** Undefined when there is no file. */
async function readPrivateText(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw new ConfigRefused(`The file ${path} is a link, and may lead to where others read`);
    throw unusableConfigDir(dirname(path), error);
  });
  if (file === undefined) return undefined;
  try {
    const { mode, size, uid } = await file.stat();
    const self = process.geteuid?.();
    if (self !== undefined && uid !== self && uid !== 0) {
      throw new ConfigRefused(
        `The file ${path} belongs to user ${uid}, who may change the secrets in it. ` +
          `Replace the secrets if that was not you, then: sudo chown ${self} ${path}`,
      );
    }
    if ((mode & 0o077) !== 0 && process.platform !== "win32") {
      throw new ConfigRefused(
        `The file ${path} holds secrets, and others than you may use it (mode ${(mode & 0o777).toString(8)}). ` +
          `Replace the secrets in it if somebody may have read them, then: chmod 600 ${path}`,
      );
    }
    if (size > MAX_BYTES) throw new ConfigRefused(`The file ${path} has more than ${MAX_BYTES} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
