import { join } from "node:path";
import { z } from "zod";
import type { UseFile } from "../../discovery/use/keep-uses.ts";
import type { Use } from "../../discovery/use/use-memory.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { removeTemporaries, writeDurably } from "../durable-file.ts";
import { type Files, nodeFiles } from "../files.ts";
import { ensureFolder } from "../journal/folder/data-folder.ts";
import { toTuple, UseTuple } from "./use-tuple.ts";

/**
 * `<data>/learned/uses.ndjson`: which endpoints were used after which asks. The first line says how many follow, one per
 * line, in the order in which they were last used:
 *
 *   [workspace, actor, provider, endpoint, [stem, …], how often, day since 1970]
 *
 * The file is optional: an invalid one counts as absent.
 */
const FOLDER = "learned";
const NAME = "uses.ndjson";
const FORMAT = 1;
const MAX_BYTES = 64 * 1_024 * 1_024;

const Header = z.object({ format: z.literal(FORMAT), uses: z.int().min(0) });
const WorkspaceName = z.string().min(1).max(1_000);
const Line = z.tuple([WorkspaceName], z.unknown());

/** The folder is created at the first write. */
export function openUseFile(dataDir: string, files: Files = nodeFiles()): UseFile {
  const folder = join(dataDir, FOLDER);
  return {
    async read() {
      try {
        await removeTemporaries(files, folder);
        return await readUses(files, join(folder, NAME));
      } catch (error) {
        if (systemErrorCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    async write(uses) {
      const lines = [{ format: FORMAT, uses: uses.length }, ...uses.map(toLine)];
      await ensureFolder(files, dataDir, FOLDER);
      await writeDurably(files, folder, NAME, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
    },
  };
}

async function readUses(files: Files, path: string): Promise<Use[]> {
  const { size } = await files.stat(path);
  if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_BYTES}`);
  const [first = "", ...rest] = (await files.readFile(path)).toString("utf8").trimEnd().split("\n");
  const { uses } = Header.parse(JSON.parse(first));
  if (rest.length !== uses) throw new Error(`it has ${rest.length} uses where it says ${uses}`);
  return rest.map((line) => toUse(Line.parse(JSON.parse(line))));
}

function toLine(use: Use): z.input<typeof Line> {
  return [use.workspaceId, ...toTuple(use)];
}

function toUse([workspaceId, ...tuple]: z.output<typeof Line>): Use {
  return { workspaceId, ...UseTuple.parse(tuple) };
}
