import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { replaceCacheFile } from "../../shared/replace-file.ts";
import { buildCommandTree, type CommandNode } from "./command-tree.ts";
import { cacheFolder } from "./name-cache.ts";

/**
 * The tree of the whole command line, from a file if the same program wrote it there: building it means loading
 * every command, which is noticeable at a keypress. `program` is the program's own file.
 */
export async function keptCommandTree(
  configDir: string,
  program: { path: string; version: string },
  build: () => Promise<Parameters<typeof buildCommandTree>[0]>,
): Promise<CommandNode> {
  const folder = cacheFolder(configDir);
  const print = await fingerprint(program);
  const kept = folder === undefined ? undefined : await readKept(join(folder, fileName));
  if (kept !== undefined && kept.print === print) return kept.tree;
  const tree = buildCommandTree(await build());
  if (folder !== undefined) await keep(folder, JSON.stringify({ print, tree })).catch(() => {});
  return tree;
}

const fileName = "commands.json";

async function keep(folder: string, text: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(() => {});
  await replaceCacheFile(join(folder, fileName), text);
}

async function fingerprint({ path, version }: { path: string; version: string }): Promise<string> {
  const { mtimeMs, size } = await stat(path);
  return `${version} ${path} ${mtimeMs} ${size}`;
}

async function readKept(path: string): Promise<{ print: string; tree: CommandNode } | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as { print: string; tree: CommandNode };
  } catch {
    return undefined;
  }
}
