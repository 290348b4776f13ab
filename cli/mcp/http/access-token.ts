import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makePrivateFolder, replacePrivateFile } from "../../../shared/replace-file.ts";
import { refusedInput } from "../../core/cli-error.ts";
import { refuseShared } from "../../connection/refuse-shared.ts";

/** The bearer token of the MCP server over HTTP, and the file that holds it. */
export interface AccessToken {
  readonly token: string;
  readonly path: string;
}

/** In the configuration folder, so that a client's configuration stays valid. */
export const MCP_TOKEN_FILE = "mcp-token";

/**
 * The token in the file (default `MCP_TOKEN_FILE`). A missing file is created, readable only by its owner. Rejects for
 * a file that others may read, and for one that holds something else.
 */
export async function accessToken(configDir: string, file?: string): Promise<AccessToken> {
  const path = file ?? join(configDir, MCP_TOKEN_FILE);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw refusedInput(`The token file ${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return { token: await makeToken(path), path };
  refuseShared(path, "the token of the MCP server");
  const token = text.trim();
  if (!/^[\x21-\x7e]{20,}$/.test(token)) {
    throw refusedInput(`The token file ${path} must hold one token of at least 20 visible ASCII characters.`);
  }
  return { token, path };
}

async function makeToken(path: string): Promise<string> {
  await makePrivateFolder(dirname(path));
  const token = `mcp_${randomBytes(32).toString("base64url")}`;
  await replacePrivateFile(path, `${token}\n`);
  return token;
}
