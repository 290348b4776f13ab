import {
  accessSync,
  constants,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { crc32 } from "node:zlib";

/** The compiled code of one file of the build. Whatever is wrong with what was kept counts as its absence. */
export interface CodeCache {
  read(): Buffer | undefined;
  /** Whether `write` could succeed: compiled code takes milliseconds to gather. */
  isWritable(): boolean;
  /** Never rejects: what cannot be kept is compiled again. */
  write(compiled: Buffer): Promise<void>;
}

/** Beside the program, so that whoever could write it could as well change the program. */
const FOLDER = "compiled";
const CRC_BYTES = 4;
const OTHERS_MAY_WRITE = 0o022;

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
    read() {
      try {
        if (!isSafe(lstatSync(folder))) return undefined;
        return readWhole(path, isSafe);
      } catch {
        return undefined;
      }
    },
    isWritable() {
      // Root leaves nothing in the folder of somebody else.
      if (process.getuid !== undefined && process.getuid() !== uid) return false;
      try {
        accessSync(dirname(program), constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    async write(compiled) {
      if (!this.isWritable()) return;
      const draft = `${path}.${process.pid}.tmp`;
      try {
        await mkdir(folder, { mode: 0o755 }).catch(() => {});
        const sum = Buffer.alloc(CRC_BYTES);
        sum.writeUInt32LE(crc32(compiled));
        await writeFile(draft, Buffer.concat([sum, compiled]), { mode: 0o644, flag: "wx" });
        await rename(draft, path);
        await removeOthers(folder, own, basename(path));
      } catch {
        await rm(draft, { force: true }).catch(() => {});
      }
    },
  };
}

function readWhole(path: string, isSafe: (facts: Stats) => boolean): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    if (!isSafe(fstatSync(file))) return undefined;
    const bytes = readFileSync(file);
    const compiled = bytes.subarray(CRC_BYTES);
    return bytes.readUInt32LE(0) === crc32(compiled) ? compiled : undefined;
  } finally {
    closeSync(file);
  }
}

/** At most a few: of several versions of Node, and of the flags that people set. */
const MOST_KEPT = 4;

async function removeOthers(folder: string, own: string, current: string): Promise<void> {
  const others = (await readdir(folder)).filter((name) => name.startsWith(own) && name !== current);
  await Promise.all(others.slice(MOST_KEPT - 1).map((name) => rm(join(folder, name), { force: true })));
}
