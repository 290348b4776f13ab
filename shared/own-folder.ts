import { lstat, realpath } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { systemErrorCode } from "./system-error-code.ts";

/** The facts of a path itself; a link is not followed. */
export interface PathFacts {
  /** User id of the owner. */
  readonly owner: number;
  /** Permission bits, including the sticky one (01000). */
  readonly mode: number;
  readonly isLink: boolean;
  readonly isDirectory: boolean;
}

/** Access to paths and their owners. Errors are those of `node:fs`, with `code`. */
export interface PathDoor {
  lookAt(path: string): Promise<PathFacts>;
  /** Resolves links. */
  realPath(path: string): Promise<string>;
}

export const realPaths: PathDoor = {
  async lookAt(path) {
    const facts = await lstat(path);
    return {
      owner: facts.uid,
      mode: facts.mode & 0o7777,
      isLink: facts.isSymbolicLink(),
      isDirectory: facts.isDirectory(),
    };
  },
  realPath: (path) => realpath(path),
};

const ROOT = 0;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Why a folder cannot hold private files, with the command that fixes it; undefined when it can, or when it does not
 * exist. The folder, and any link on the path to it, must belong to this user or to root. If the path goes through a
 * link, nobody else may be able to change its parent folders, as in OpenSSH's StrictModes. docs/security.md, T18.
 */
export async function whyNotOwn(path: string, door: PathDoor = realPaths): Promise<string | undefined> {
  const self = ownUser();
  if (self === undefined) return undefined;
  const whole = resolve(path);
  let isLinked = false;
  for (const name of namesDownTo(whole)) {
    const facts = await lookIfThere(door, name);
    if (facts === undefined) return undefined;
    if (!facts.isLink) continue;
    isLinked = true;
    if (isOurs(facts, self)) continue;
    return `${name} is a link of user ${facts.owner}, who may let it lead elsewhere. Name the folder itself`;
  }
  const real = await door.realPath(whole);
  const facts = await door.lookAt(real);
  if (!isOurs(facts, self)) return belongsToOther(real, facts);
  if (!isLinked) return undefined;
  for (const above of namesDownTo(dirname(real))) {
    const why = whyChangeable(above, await door.lookAt(above), self);
    if (why !== undefined) return `it is reached over a link, and ${why}`;
  }
  return undefined;
}

/**
 * As `whyNotOwn`, for a path below a private folder: it may not be a link, and nobody else may write to it. The command
 * fixes all of `whole`, since a wrong owner or mode is seldom alone.
 */
export function whyNotOwnBelow(path: string, facts: PathFacts, whole = path): string | undefined {
  const self = ownUser();
  if (self === undefined) return undefined;
  if (facts.isLink) {
    return (
      `${path} is a link, and what is written there may be read where it leads. ` +
      "Put the folder or file itself in its place; another disk can be mounted there (mount --bind)"
    );
  }
  if (!isOurs(facts, self)) return belongsToOther(path, facts, whole);
  if ((facts.mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  return whole === path
    ? writableByOthers(path, facts)
    : `${isWritable(path, facts)}. Close all with: chmod -R go-w '${whole}'`;
}

/** Says that others may write to a folder, and how to prevent it. */
export function writableByOthers(path: string, { mode }: Pick<PathFacts, "mode">): string {
  return `${isWritable(path, { mode })}. Close it with: chmod go-w '${path}'`;
}

function isWritable(path: string, { mode }: Pick<PathFacts, "mode">): string {
  return `others may write to ${path} (mode ${octal(mode)})`;
}

function belongsToOther(path: string, { owner }: PathFacts, whole = path): string {
  const { uid, username } = userInfo();
  return (
    `${path} belongs to user ${owner}, and this is user ${uid} (${username}). ` +
    `Run mkt as its owner, name another folder, or give it over with: ${uid === ROOT ? "" : "sudo "}chown -R ${uid} '${whole}'`
  );
}

function whyChangeable(path: string, facts: PathFacts, self: number): string | undefined {
  if (!isOurs(facts, self)) return `${path} above it belongs to user ${facts.owner}. Name the folder by its own path`;
  const isOpen = (facts.mode & WRITABLE_BY_OTHERS) !== 0 && (facts.mode & STICKY) === 0;
  return isOpen ? writableByOthers(path, facts) : undefined;
}

function isOurs({ owner }: PathFacts, self: number): boolean {
  return owner === self || owner === ROOT;
}

/** Undefined on systems without user ids: Windows. */
function ownUser(): number | undefined {
  return process.geteuid?.();
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** `/a/b` → `/`, `/a`, `/a/b`. */
function namesDownTo(path: string): string[] {
  const parts = path.split(sep).filter((part) => part !== "");
  return [sep, ...parts.map((_, index) => join(sep, ...parts.slice(0, index + 1)))];
}

async function lookIfThere(door: PathDoor, path: string): Promise<PathFacts | undefined> {
  try {
    return await door.lookAt(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
