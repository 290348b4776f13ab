/** Takes every loaded secret out of what leaves the daemon: answers, errors, run records, logs. */
export interface Redactor {
  text(text: string): string;
  /** Plain data with every string in it redacted, names of members included; itself where there is nothing to take out. */
  json<T>(value: T): T;
  /** Adds a secret that was not loaded but acquired, such as an access token. The newest 1,000 are kept. */
  remember(secret: string): void;
}

export const REDACTED = "[redacted]";

/**
 * Shorter values are words or numbers that ordinary text is full of: taking them out would destroy answers and protect
 * nothing.
 */
export const MIN_SECRET_CHARACTERS = 6;

const MAX_REMEMBERED = 1_000;

/**
 * Redacts by value: each secret as it is, in base64 (wherever it begins inside a longer text), in hex, URL-encoded,
 * form-encoded and JSON-escaped. Works on whole strings, so that nothing hides at a chunk's border. `values` is asked each time.
 * Source: security T17.
 */
export function createRedactor(values: () => readonly string[]): Redactor {
  const remembered = new Set<string>();
  let known: readonly string[] = [];
  let pattern: RegExp | undefined;
  let hasDigits = false;

  function current(): RegExp | undefined {
    const secrets = [...values(), ...remembered];
    if (secrets.length === known.length && secrets.every((secret, index) => secret === known[index])) return pattern;
    known = secrets;
    const forms = [...new Set(secrets.filter((secret) => secret.length >= MIN_SECRET_CHARACTERS).flatMap(spellings))];
    forms.sort((a, b) => b.length - a.length);
    hasDigits = forms.some((form) => /^-?\d+(\.\d+)?$/.test(form));
    pattern = forms.length === 0 ? undefined : new RegExp(forms.map(escapeForPattern).join("|"), "g");
    return pattern;
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

function replace(text: string, secrets: RegExp | undefined): string {
  return secrets === undefined ? text : text.replace(secrets, REDACTED);
}

interface Walk {
  readonly secrets: RegExp;
  readonly hasDigits: boolean;
  readonly depth: number;
}

/** Far above what any answer or log line may hold; below what the stack holds. */
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
 * What holds no secret is given back as it is: of a large answer nearly everything, and making all of it anew would take
 * longer than looking through it.
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

/** The ways in which a secret may come back. */
function spellings(secret: string): readonly string[] {
  const percent = percentEncoded(secret);
  const formEncoded = new URLSearchParams([["", secret]]).toString().slice(1);
  const json = JSON.stringify(secret).slice(1, -1);
  const plain = [
    secret,
    percent,
    percent.replaceAll("%20", "+"),
    strictPercentEncoded(percent),
    formEncoded,
    encodeURI(secret.replace(/\p{Surrogate}/gu, "\ufffd")),
    json,
    json.replaceAll("/", "\\/"),
    escapeUnicode(json),
    // A JSON text inside a JSON text.
    JSON.stringify(json).slice(1, -1),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  ];
  const lower = plain.map((form) => form.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  const hex = Buffer.from(secret).toString("hex");
  return [...plain, ...lower, ...base64Spellings(secret), ...base64Spellings(formEncoded), hex, hex.toUpperCase()];
}

function percentEncoded(secret: string): string {
  return encodeURIComponent(secret.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** As strict encoders write it (RFC 3986): `!'()*~` too. */
function strictPercentEncoded(percent: string): string {
  return percent.replace(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function escapeUnicode(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Base64 of a text depends on where the secret begins in it (`Basic base64(name:secret)`), so it is spelled for each of
 * the three beginnings, without the characters that its neighbours share.
 */
function base64Spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const start = [0, 2, 3][before] ?? 0;
    const isWhole = (before + bytes.length) % 3 === 0;
    const inner = encoded.slice(start, isWhole ? undefined : -1);
    if (inner.length < MIN_SECRET_CHARACTERS) return [];
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_"), percentEncoded(inner)];
  });
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
