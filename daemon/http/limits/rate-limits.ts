import { ApiError } from "../../../shared/errors.ts";
import type { Clock } from "../../base/clock.ts";
import { LruCache } from "../../base/lru-cache.ts";
import type { Authenticate } from "../callers/access.ts";
import type { Caller } from "../callers/caller.ts";

/** Requests per minute; absent: no limit. */
export interface RateLimits {
  /** For one key, or for one user of the identity provider. */
  readonly caller?: number;
  /** For one source with invalid keys. */
  readonly failedKeys?: number;
  /** For one source with invalid access tokens. */
  readonly failedTokens?: number;
  /** For one source on routes without credentials. */
  readonly public?: number;
}

export interface RateGuard {
  /** Counts a caller's request and returns the rate limit headers, none without a limit. Throws 429 above the limit. */
  count(caller: Caller): Readonly<Record<string, string>>;
  /** As `count`, for a request without credentials. */
  countPublic(source: string | undefined): Readonly<Record<string, string>>;
  /** As `authenticate`, with 429 in place of the 401 of a source that failed too often. Who has a valid credential gets in. */
  watch(authenticate: Authenticate): Authenticate;
}

const WINDOW_MS = 60_000;
/** How many callers or sources one rule remembers; the least recently seen is forgotten first. */
const MAX_SUBJECTS = 10_000;

/** Limits per minute, in bounded memory. docs/security.md, T21; docs/contract.md, "Rate limits". */
export function createRateGuard({ limits, clock }: { limits: RateLimits; clock: Clock }): RateGuard {
  const callers = createRule("caller", limits.caller, clock);
  const failedKeys = createRule("failed-keys", limits.failedKeys, clock);
  const failedTokens = createRule("failed-tokens", limits.failedTokens, clock);
  const sources = createRule("public", limits.public, clock);
  return {
    count: ({ actor }) => callers(actor),
    countPublic: (source) => sources(networkOf(source ?? "")),
    watch: (authenticate) => async (credentials) => {
      try {
        return await authenticate(credentials);
      } catch (error) {
        const { authorization, source } = credentials;
        if (authorization !== undefined && error instanceof ApiError && error.kind === "unauthorized") {
          (isToken(authorization) ? failedTokens : failedKeys)(networkOf(source ?? ""));
        }
        throw error;
      }
    },
  };
}

type Rule = (subject: string) => Readonly<Record<string, string>>;

const NO_HEADERS = {};

function createRule(name: string, limit: number | undefined, clock: Clock): Rule {
  if (limit === undefined) return () => NO_HEADERS;
  const windows = new LruCache<string, { startMs: number; count: number }>(MAX_SUBJECTS);
  return (subject) => {
    const nowMs = clock.now();
    const window = windows.getOrMake(subject, () => ({ startMs: nowMs, count: 0 }));
    // A new window begins also if the clock was set back; otherwise a caller would have to wait for as long.
    if (Math.abs(nowMs - window.startMs) >= WINDOW_MS) Object.assign(window, { startMs: nowMs, count: 0 });
    window.count += 1;
    const resetSeconds = Math.max(1, Math.ceil((window.startMs + WINDOW_MS - nowMs) / 1_000));
    const headers = rateLimitHeaders({ rule: name, limit, remaining: Math.max(0, limit - window.count), resetSeconds });
    if (window.count <= limit) return headers;
    const message = `Rate limited. Retry after ${resetSeconds}s.`;
    throw new ApiError("rateLimited", message, { headers, retryAfterSeconds: resetSeconds });
  };
}

/** By its form alone: three parts, as a JWT has. */
function isToken(authorization: string): boolean {
  return authorization.split(".").length === 3;
}

/**
 * The part of an address that identifies a sender: for IPv6 the first 64 bits, since one host may use all addresses in
 * them.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const [left, right] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array.from({ length: zeros }, () => "0"), ...right].slice(0, 4).join(":");
}

function groupsOf(part: string): string[] {
  return part === "" ? [] : part.split(":");
}

/** Headers that tell a caller a limit and what is left of it. docs/contract.md, "Rate limits". */
export function rateLimitHeaders(facts: {
  readonly rule: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}): Readonly<Record<string, string>> {
  return {
    "ratelimit-limit": String(facts.limit),
    "ratelimit-remaining": String(facts.remaining),
    "ratelimit-reset": String(facts.resetSeconds),
    "x-ratelimit-rule": facts.rule,
  };
}
