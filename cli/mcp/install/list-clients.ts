import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type ClientKind, clientKinds, type Folders } from "./client-kinds.ts";
import type { KnownClient } from "./installation.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { readJsonc } from "./jsonc-edit.ts";
import { configFile } from "./plan-install.ts";
import { hasTomlTable } from "./toml-edit.ts";

/** The clients that can be installed for, and whether the server of this name is in the user's own file of each. */
export async function listClients(folders: Folders, name: string): Promise<KnownClient[]> {
  return await Promise.all(
    clientKinds.map(async (kind) => {
      const file = configFile(kind, folders);
      return { client: kind.id, name: kind.name, file, state: await stateOf(kind, file, name, folders.home) };
    }),
  );
}

async function stateOf(kind: ClientKind, file: string, name: string, home: string): Promise<KnownClient["state"]> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) {
    // Everybody has a home; a folder of its own tells that the client was here.
    const folder = dirname(file);
    return folder !== home && (await isFolder(folder)) ? "not installed" : "absent";
  }
  try {
    return isInstalled(kind, text, name) ? "installed" : "not installed";
  } catch {
    return "unreadable";
  }
}

function isInstalled({ format, section }: ClientKind, text: string, name: string): boolean {
  if (format === "toml") return hasTomlTable(text, section, name);
  if (text.trim() === "") return false;
  const config = readJsonc(text);
  const servers = isRecord(config) ? config[section] : undefined;
  return isRecord(servers) && Object.hasOwn(servers, name);
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
