import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { hostname } from "node:os";
import { findProcessIdentity } from "./process-identity.ts";

/*
 * The name of a file that is on its way to another name says who writes it, so that what a dead process left can be told
 * from what a living one is about to rename:
 *
 *   .secrets.json.<pid>-<place>-<process>-<random>.tmp
 *
 *   place     of the host and its pid namespace, outside of which the pid means nothing
 *   process   of the boot and the time when the process began, as pids are given out again
 */

const NAME = /^\..+\.(\d{1,10})-([0-9a-f]{8})-([0-9a-f]{8})-[0-9a-f]{12}\.tmp$/;
/** The names in earlier versions, and those of `conf`: their writer is unknown. */
const NAMES_WITHOUT_WRITER = /^\..+\.[0-9a-f]{12}\.tmp$|\.json\.tmp-[0-9a-f]{16}$/;
/**
 * Longer than any writer needs between creating such a file and renaming it; for writers that cannot be checked from
 * here.
 */
const SURELY_OVER_MS = 3_600_000;

/** A process as it appears in the names; `process` is undefined if the system does not report it. */
export interface Writer {
  readonly pid: number;
  readonly place: string;
  readonly process: string | undefined;
}

/** `random` is 12 hexadecimal digits. */
export function temporaryName(name: string, random: string, writer: Writer = self()): string {
  return `.${name}.${writer.pid}-${writer.place}-${writer.process ?? NOT_TOLD}-${random}.tmp`;
}

/** Whether a file of this name is a temporary one whose writer has ended. */
export async function isLeftover(path: string): Promise<boolean> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const [, pid, place, writer] = NAME.exec(name) ?? [];
  if (pid === undefined) return NAMES_WITHOUT_WRITER.test(name) && (await isOld(path));
  if (place !== placeOfPids() || writer === NOT_TOLD) return await isOld(path);
  return processMark(Number(pid)) !== writer;
}

const NOT_TOLD = "00000000";

let own: Writer | undefined;

function self(): Writer {
  return (own ??= { pid: process.pid, place: placeOfPids(), process: processMark(process.pid) });
}

function processMark(pid: number): string | undefined {
  const identity = findIdentity(pid);
  return identity === undefined ? undefined : mark(identity.boot, identity.start);
}

function findIdentity(pid: number): ReturnType<typeof findProcessIdentity> {
  // Other systems do not report it.
  return process.platform === "linux" || process.platform === "darwin" ? findProcessIdentity(pid) : undefined;
}

function placeOfPids(): string {
  return mark(hostname(), process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "none");
}

function mark(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 8);
}

/** Whether the file is old; a time in the future, from a clock that was set back, counts as old too. */
async function isOld(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  return facts !== undefined && Math.abs(Date.now() - facts.mtimeMs) > SURELY_OVER_MS;
}
