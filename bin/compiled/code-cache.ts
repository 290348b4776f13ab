import {
  constants,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
  writeFile as writeFileLater,
} from "node:fs";
import { lstat, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { readBriefly } from "./read-briefly.ts";

/** The compiled code of one file of the build. Whatever is wrong with what was kept counts as its absence. */
export interface CodeCache {
  /** What `use` makes of the code that was kept, whose bytes are gone afterwards; undefined where none was. */
  read<Result>(use: (compiled: Buffer) => Result): Result | undefined;
  /**
   * Keeps what `gather` gives, which is asked before this returns, and only where it can be kept: compiled code takes milliseconds
   * to gather. Never rejects: what cannot be kept is compiled again.
   */
  write(gather: () => Buffer): Promise<void>;
}

/** Beside the program, so that whoever could write it could as well change the program. */
const FOLDER = "compiled";
const CRC_BYTES = 4;
const DRAFT = ".tmp";
const OTHERS_MAY_WRITE = 0o022;
const writeFile = promisify(writeFileLater);

/**
 * For a file of this text. The name says all that compiled code depends on, since V8 itself compares only the length of
 * the text, and npm gives the files of all versions the same date.
 */
export function openCodeCache(program: string, text: Uint8Array): CodeCache {
  const folder = join(dirname(program), FOLDER);
  const own = `${basename(program)}-`;
  const key = [text.length, crc32(text), cachedDataVersionTag(), process.version, process.arch].join("-");
  const path = join(folder, `${own}${key}.bin`);
  const { uid } = statSync(program);
  const owners = [uid, 0, process.getuid?.()];
  const isSafe = (facts: Stats) =>
    process.getuid === undefined || (owners.includes(facts.uid) && (facts.mode & OTHERS_MAY_WRITE) === 0);

  return {
    read(use) {
      try {
        if (!isSafe(lstatSync(folder))) return undefined;
        return readWhole(path, isSafe, use);
      } catch {
        return undefined;
      }
    },
    async write(gather) {
      // Root leaves nothing in the folder of somebody else.
      if (process.getuid !== undefined && process.getuid() !== uid) return;
      const draft = `${path}.${process.pid}${DRAFT}`;
      try {
        mkdirSync(folder, { mode: 0o755, recursive: true });
        // Only the attempt tells: what Windows says of a folder leaves its access list out.
        const file = openSync(draft, "wx", 0o644);
        try {
          const compiled = gather();
          const sum = Buffer.alloc(CRC_BYTES);
          sum.writeUInt32LE(crc32(compiled));
          await writeFile(file, Buffer.concat([sum, compiled]));
        } finally {
          closeSync(file);
        }
        await rename(draft, path);
        await removeOthers(folder, own, basename(path));
      } catch {
        await rm(draft, { force: true }).catch(() => {});
      }
    },
  };
}

function readWhole<Result>(
  path: string,
  isSafe: (facts: Stats) => boolean,
  use: (compiled: Buffer) => Result,
): Result | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    if (!isSafe(fstatSync(file))) return undefined;
    return readBriefly(file, (bytes) => {
      const compiled = bytes.subarray(CRC_BYTES);
      return bytes.readUInt32LE(0) === crc32(compiled) ? use(compiled) : undefined;
    });
  } finally {
    closeSync(file);
  }
}

/** At most a few: of several versions of Node, and of the flags that people set. */
const MOST_KEPT = 4;
/** No write takes nearly as long: the process that began it has ended. */
const OLDEST_DRAFT_MS = 3_600_000;

/** The oldest that were kept, and what a process began to write and left. */
async function removeOthers(folder: string, own: string, current: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(own) && name !== current);
  const others = await Promise.all(
    names.map(async (name) => ({ name, keptAtMs: (await lstat(join(folder, name))).mtimeMs })),
  );
  const isDraft = ({ name }: { readonly name: string }) => name.endsWith(DRAFT);
  const kept = others.filter((other) => !isDraft(other)).toSorted((a, b) => b.keptAtMs - a.keptAtMs);
  const left = others.filter((other) => isDraft(other) && Date.now() - other.keptAtMs > OLDEST_DRAFT_MS);
  const removed = [...kept.slice(MOST_KEPT - 1), ...left];
  await Promise.all(removed.map(({ name }) => rm(join(folder, name), { force: true })));
}
