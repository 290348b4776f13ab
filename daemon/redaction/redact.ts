import { findSecrets } from "./find-secrets.ts";
import { createNeedleFinder, type NeedleFinder } from "./needle-finder.ts";
import { needlesOf } from "./needles.ts";

/** Removes every loaded secret from what leaves the daemon: answers, errors, run records, logs. */
export interface Redactor {
  text(text: string): string;
  /**
   * Plain data with every string in it redacted, including member names; the same object when there is nothing to
   * remove.
   */
  json<T>(value: T): T;
  /** Adds a secret that was not loaded but acquired, such as an access token. The newest 1,000 are kept. */
  remember(secret: string): void;
}

export const REDACTED = "[redacted]";

/**
 * Shorter values are words or numbers that are common in ordinary text: removing them would destroy answers and protect
 * nothing.
 */
export const MIN_SECRET_CHARACTERS = 6;

const MAX_REMEMBERED = 1_000;

/**
 * Redacts by value, in either case of its letters: each secret literally, in escapes of URLs, JSON, HTML and XML, also
 * nested; in UTF-16, hexadecimal, quoted-printable, and base64 at any offset in a longer text. Not covered: what the
 * provider compresses, encrypts or splits. Works on whole strings, so that nothing is missed at a chunk's border.
 * `values` is called each time. Source: docs/security.md, T17.
 */
export function createRedactor(values: () => readonly string[]): Redactor {
  const remembered = new Set<string>();
  const needles = new Map<string, readonly string[]>();
  let known: readonly string[] = [];
  let finder: NeedleFinder | undefined;
  let hasDigits = false;

  function current(): NeedleFinder | undefined {
    const secrets = [...values(), ...remembered];
    if (secrets.length === known.length && secrets.every((secret, index) => secret === known[index])) return finder;
    known = secrets;
    const used = new Set(secrets.filter(({ length }) => length >= MIN_SECRET_CHARACTERS));
    for (const old of needles.keys()) if (!used.has(old)) needles.delete(old);
    for (const secret of used) {
      if (!needles.has(secret)) needles.set(secret, needlesOf(secret, { minLength: MIN_SECRET_CHARACTERS }));
    }
    hasDigits = [...used].some((secret) => /^-?\d+(\.\d+)?$/.test(secret));
    finder = used.size === 0 ? undefined : createNeedleFinder([...needles.values()].flat());
    return finder;
  }

  return {
    text: (text) => replace(text, current()),
    json<T>(value: T): T {
      const secrets = current();
      return secrets === undefined ? value : (redactValue(value, { secrets, hasDigits, depth: 0 }) as T);
    },
    remember(secret) {
      remembered.delete(secret);
      remembered.add(secret);
      for (const oldest of remembered) {
        if (remembered.size <= MAX_REMEMBERED) break;
        remembered.delete(oldest);
      }
    },
  };
}

function replace(text: string, secrets: NeedleFinder | undefined): string {
  if (secrets === undefined) return text;
  const ranges = findSecrets(text, secrets);
  if (ranges.length === 0) return text;
  let kept = "";
  let at = 0;
  for (const { start, end } of ranges) {
    kept += text.slice(at, start) + REDACTED;
    at = end;
  }
  return kept + text.slice(at);
}

interface Walk {
  readonly secrets: NeedleFinder;
  readonly hasDigits: boolean;
  readonly depth: number;
}

/** Far above the depth of any answer or log line; below what the stack allows. */
const MAX_DEPTH = 1_000;

function redactValue(value: unknown, walk: Walk): unknown {
  if (typeof value === "string") return replace(value, walk.secrets);
  if (typeof value === "number" && walk.hasDigits) {
    const text = replace(String(value), walk.secrets);
    return text === String(value) ? value : text;
  }
  if (typeof value !== "object" || value === null) return value;
  if (walk.depth >= MAX_DEPTH) return REDACTED;
  const deeper = { ...walk, depth: walk.depth + 1 };
  if (Array.isArray(value)) return redactList(value, deeper);
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return value;
  return redactMembers(value as Readonly<Record<string, unknown>>, deeper);
}

/*
 * A part without a secret is returned as the same object: in a large answer that is nearly everything, and copying it
 * all would take longer than searching it.
 */

function redactList(list: readonly unknown[], walk: Walk): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const redacted = redactValue(list[at], walk);
    if (copy === undefined && redacted !== list[at]) copy = list.slice(0, at);
    copy?.push(redacted);
  }
  return copy ?? list;
}

function redactMembers(value: Readonly<Record<string, unknown>>, walk: Walk): unknown {
  const names = Object.keys(value);
  let entries: [string, unknown][] | undefined;
  for (const [at, name] of names.entries()) {
    const [shown, redacted] = [replace(name, walk.secrets), redactValue(value[name], walk)];
    if (entries === undefined && (shown !== name || redacted !== value[name])) {
      entries = names.slice(0, at).map((earlier) => [earlier, value[earlier]]);
    }
    entries?.push([shown, redacted]);
  }
  return entries === undefined ? value : Object.fromEntries(entries);
}
