import { createHash, randomBytes, randomInt } from "node:crypto";
import { ApiError } from "../../shared/errors.ts";
import type { UserId, WorkspaceId } from "../base/ids.ts";
import type { Login } from "./login.ts";

/** Time to log in. Long enough for a second factor, short enough that a forgotten page is worth nothing. */
export const ATTEMPT_LIFE_MS = 10 * 60_000;
/** How long the end of an attempt can be read. */
const END_LIFE_MS = 10 * 60_000;
const MAX_OF_CALLER = 10;
const MAX_OF_ALL = 2_000;
const MAX_WRONG_CODES = 5;
/** Without letters and digits that look alike. */
const CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 8;

/** Who began a login, and for which workspace. */
export interface Beginner {
  readonly workspaceId: WorkspaceId;
  readonly actor: string;
  readonly userId: UserId;
  readonly key?: { readonly keyId: string; readonly label: string };
}

/** The state of a login. `confirming`: the provider has answered, and the code that the browser shows is awaited. */
export type AttemptPhase = "waiting" | "confirming" | "exchanging" | "connected" | "failed";

/** One login that somebody began: in memory only, for minutes, and for one answer. */
export interface LoginAttempt {
  readonly attemptId: string;
  readonly by: Beginner;
  readonly login: Login;
  readonly redirectUri: string;
  readonly address: string;
  readonly verifier: string;
  readonly state: string;
  readonly expiresAtMs: number;
  /** The browser shows a code that the beginner has to give, so that nobody can have somebody else log in for him. */
  readonly needsCode: boolean;
  phase: AttemptPhase;
  /** Why it failed. */
  message?: string;
  /** The provider's answer, while the code is awaited. */
  answer?: { readonly parameters: URLSearchParams; readonly code: string; wrong: number };
  endedAtMs?: number;
}

/** The logins under way. A restart forgets them; then they are begun again. */
export class LoginAttempts {
  readonly #byId = new Map<string, LoginAttempt>();
  /** By the hash of the state, so that a search for it does not take its time by how much of it was right. */
  readonly #byState = new Map<string, LoginAttempt>();

  /** Throws rateLimited if too many are open. */
  add(attempt: LoginAttempt, nowMs: number): void {
    this.#sweep(nowMs);
    const open = [...this.#byId.values()].filter(({ endedAtMs }) => endedAtMs === undefined);
    const own = open.filter(({ by }) => by.workspaceId === attempt.by.workspaceId && by.actor === attempt.by.actor);
    if (own.length >= MAX_OF_CALLER || open.length >= MAX_OF_ALL) {
      throw new ApiError("rateLimited", "Too many logins are under way; finish one, or wait until they expire", {
        retryAfterSeconds: 60,
      });
    }
    this.#byId.set(attempt.attemptId, attempt);
    this.#byState.set(hashOf(attempt.state), attempt);
  }

  /** Only for who began it; undefined for everybody else. */
  find(attemptId: string, by: Pick<Beginner, "workspaceId" | "actor">, nowMs: number): LoginAttempt | undefined {
    this.#sweep(nowMs);
    const attempt = this.#byId.get(attemptId);
    const isOwn = attempt?.by.workspaceId === by.workspaceId && attempt.by.actor === by.actor;
    return isOwn ? attempt : undefined;
  }

  /** The login that waits for this state, which is then used up, whatever comes of it. */
  take(state: string, provider: string, nowMs: number): LoginAttempt | undefined {
    this.#sweep(nowMs);
    const key = hashOf(state);
    const attempt = this.#byState.get(key);
    // The address is the provider's own, so that the answer of one is never taken for that of another. RFC 9700, 4.4.
    if (attempt === undefined || attempt.login.provider.provider !== provider) return undefined;
    this.#byState.delete(key);
    return attempt;
  }

  /** The code for the browser to show. */
  awaitCode(attempt: LoginAttempt, parameters: URLSearchParams): string {
    const letters = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]);
    const code = letters.join("");
    attempt.phase = "confirming";
    attempt.answer = { parameters, code, wrong: 0 };
    return `${code.slice(0, 4)}-${code.slice(4)}`;
  }

  /** The provider's answer, if the code is right; it is then used up. A login with too many wrong codes fails. */
  takeConfirmed(attempt: LoginAttempt, typed: string, nowMs: number): URLSearchParams | undefined {
    const { answer } = attempt;
    if (answer === undefined) return undefined;
    const plain = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
    if (hashOf(plain) === hashOf(answer.code)) {
      delete attempt.answer;
      return answer.parameters;
    }
    answer.wrong += 1;
    if (answer.wrong >= MAX_WRONG_CODES) this.fail(attempt, "too many wrong codes were given", nowMs);
    return undefined;
  }

  fail(attempt: LoginAttempt, message: string, nowMs: number): void {
    this.#end(attempt, "failed", nowMs);
    attempt.message = message;
  }

  succeed(attempt: LoginAttempt, nowMs: number): void {
    this.#end(attempt, "connected", nowMs);
  }

  #end(attempt: LoginAttempt, phase: "connected" | "failed", nowMs: number): void {
    attempt.phase = phase;
    attempt.endedAtMs = nowMs;
    delete attempt.answer;
    this.#byState.delete(hashOf(attempt.state));
  }

  #sweep(nowMs: number): void {
    for (const attempt of this.#byId.values()) {
      const { endedAtMs, expiresAtMs, phase } = attempt;
      if (endedAtMs === undefined && phase !== "exchanging" && nowMs >= expiresAtMs) {
        this.fail(attempt, "nobody finished the login within 10 minutes", nowMs);
      }
      // A clock that was set back must not keep them for ever.
      if (endedAtMs !== undefined && Math.abs(nowMs - endedAtMs) > END_LIFE_MS) this.#byId.delete(attempt.attemptId);
    }
  }
}

export function newState(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
