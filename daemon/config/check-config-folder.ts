import { join } from "node:path";
import { realPaths, whyNotOwn, whyNotOwnBelow, writableByOthers } from "../../shared/own-folder.ts";
import { ConfigRefused, unusableConfigDir } from "./config-refused.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Rejects with `ConfigRefused` if the folder of the owner's key and of secrets belongs to somebody else, or others may
 * create files in it. A missing folder is created later. Others may read file names in it: each file itself is private.
 * docs/security.md, T18.
 */
export async function checkConfigFolder(configDir: string): Promise<void> {
  let why: string | undefined;
  try {
    why = (await whyNotOwn(configDir)) ?? (await whyOpen(configDir)) ?? (await whyLocalForeign(configDir));
  } catch (error) {
    throw unusableConfigDir(configDir, error);
  }
  if (why !== undefined) throw new ConfigRefused(`The configuration folder ${configDir} is refused: ${why}`);
}

async function whyOpen(configDir: string): Promise<string | undefined> {
  const real = await ifThere(realPaths.realPath(configDir));
  const facts = real === undefined ? undefined : await ifThere(realPaths.lookAt(real));
  if (real === undefined || facts === undefined || process.platform === "win32") return undefined;
  return (facts.mode & WRITABLE_BY_OTHERS) === 0 ? undefined : writableByOthers(real, facts);
}

async function whyLocalForeign(configDir: string): Promise<string | undefined> {
  const local = join(configDir, "local");
  const facts = await ifThere(realPaths.lookAt(local));
  return facts === undefined ? undefined : whyNotOwnBelow(local, facts);
}

async function ifThere<Result>(looking: Promise<Result>): Promise<Result | undefined> {
  return await looking.catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  });
}
