import { join } from "node:path";
import { ApiError } from "../../../shared/errors.ts";
import { makePrivateFolder, replacePrivateFile } from "../../../shared/replace-file.ts";
import { SecretsDocument, type SecretsFile } from "../../catalog/grants/secret-store.ts";
import { ConfigRefused, unusableConfigDir } from "../../config/config-refused.ts";
import { readPrivateText } from "./read-private-text.ts";

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
  if (!(error instanceof ConfigRefused)) throw error;
  // No Retry-After: the file has to be put right by a person.
  throw new ApiError("unavailable", error.message, { cause: error, errorCode: "NOT_CONFIGURED" });
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
  const text = await readPrivateText(path, MAX_BYTES);
  if (text === undefined) return {};
  const parsed = SecretsDocument.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ConfigRefused(
    `The file ${path} must be a JSON object of names such as ACME_API_KEY and their values as texts. Correct it, or remove it`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
