import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { refusedInput } from "../../core/cli-error.ts";
import type { ClientKind, Folders } from "./client-kinds.ts";
import { setJsonMember } from "./jsonc-edit.ts";
import type { TomlTable } from "./toml-edit.ts";
import { setTomlTable } from "./toml-edit.ts";

/** What an installation changes, before anything is changed. */
export interface InstallPlan {
  readonly file: string;
  /** The file as it is; undefined when there is none. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Where the client's configuration lies: the user's own, or that of the project in this folder. */
export function configFile(kind: ClientKind, folders: Folders, projectDir?: string): string {
  if (projectDir === undefined) return join(...kind.userFile(folders));
  if (kind.projectFile === undefined) {
    throw refusedInput(`${kind.name} has no file of its own for a project; leave --project out.`);
  }
  return resolve(projectDir, ...kind.projectFile);
}

/** Rejects when the file cannot be read, or is written in a way that cannot be changed safely. */
export async function planInstall(
  kind: ClientKind,
  file: string,
  name: string,
  entry: TomlTable,
): Promise<InstallPlan> {
  const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw refusedInput(`${file} cannot be read: ${error.message}`);
  });
  try {
    return { file, before, after: withEntry(kind, before ?? "", name, entry) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refusedInput(
      `${file} ${error.message}, so it was left as it is. Add this under "${kind.section}" by hand: ` +
        JSON.stringify({ [name]: entry }),
    );
  }
}

/** The text with the entry in it, and the same line endings as before. */
function withEntry(kind: ClientKind, before: string, name: string, entry: TomlTable): string {
  const isWindows = /\r\n/.test(before) && !/(?:^|[^\r])\n/.test(before);
  const text = isWindows ? before.replaceAll("\r\n", "\n") : before;
  const after =
    kind.format === "toml"
      ? setTomlTable(text, kind.section, name, entry)
      : setJsonMember(text, [kind.section, name], entry);
  const ended = after.endsWith("\n") ? after : `${after}\n`;
  return isWindows ? ended.replaceAll("\n", "\r\n") : ended;
}
