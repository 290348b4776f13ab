import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toLlmsText } from "../../shared/llms-text.ts";
import { operations } from "../../shared/contract/index.ts";
import { type ErrorKind, statusByErrorKind } from "../../shared/errors.ts";
import { aRun, startStandIn } from "../cli/stand-in-service.ts";
import { call } from "../mcp/call.ts";
import { type ConnectedMcp, connectOverStdio } from "../mcp/connect-mcp.ts";
import { lastLine, runMkt } from "../support/run-cli.ts";

const root = new URL("../../", import.meta.url).pathname;

/** What an answer says of waiting: Retry-After, a code that names what a person has to do, or nothing. */
type Says = "wait" | "nothing" | Uppercase<string>;

/**
 * Every answer of the daemon by which it says that it cannot do something now, by the place that makes it and words of it.
 * docs/contract.md, "Retry-After".
 */
const answers: readonly (readonly [file: string, kind: ErrorKind, words: string, says: Says])[] = [
  ["availability.ts", "unavailable", "errorCodes[reason]", "MISSING_SECRET"],
  ["set-owner-price.ts", "unavailable", "error.message", "NOT_CONFIGURED"],
  ["input-validation.ts", "unavailable", "cause", "PROVIDER_NOT_LOADED"],
  ["not-loaded.ts", "unavailable", "is not loaded", "PROVIDER_NOT_LOADED"],
  ["connection-service.ts", "unavailable", "nobody said where they reach", "NOT_CONFIGURED"],
  ["connection-service.ts", "unavailable", "error.message", "NOT_CONFIGURED"],
  ["login-attempts.ts", "rateLimited", "Too many logins", "wait"],
  ["catalog-index.ts", "unavailable", "RETRY_SECONDS", "wait"],
  ["caller-line.ts", "unavailable", "The service is overloaded", "wait"],
  ["document-imports.ts", "unavailable", "Other documents are being read", "wait"],
  ["error-response.ts", "unavailable", "cannot write to its storage", "STORAGE_FAILED"],
  ["error-response.ts", "unavailable", "cannot reach its database", "wait"],
  ["orders.ts", "unavailable", "message", "wait"],
  ["orders.ts", "unavailable", "message", "wait"],
  ["error-response.ts", "internal", "is damaged on the service's disk", "nothing"],
  ["error-response.ts", "internal", "Internal error", "nothing"],
  ["error-response.ts", "diskFull", "is full", "wait"],
  ["error-response.ts", "unavailable", "too many files", "wait"],
  ["listener.ts", "unavailable", "maximum number of active connections", "wait"],
  ["listener.ts", "unavailable", "still unread", "wait"],
  // Nobody is there to read it.
  ["mount-routes.ts", "unavailable", "The caller hung up", "nothing"],
  ["rate-limits.ts", "rateLimited", "resetSeconds", "wait"],
  ["event-hub.ts", "rateLimited", "message", "wait"],
  ["event-hub.ts", "unavailable", "shutting down", "wait"],
  ["search-line.ts", "unavailable", "Too many searches", "wait"],
  ["server.ts", "unavailable", "shutting down", "wait"],
  ["sign-in.ts", "unavailable", "is starting", "wait"],
  ["token-verifier.ts", "unavailable", "keys cannot be read", "wait"],
  ["resource-service.ts", "badGateway", "gave no information", "nothing"],
  ["resource-service.ts", "badGateway", "cause.message", "nothing"],
  ["admission.ts", "unavailable", "missing.why", "NOT_CONNECTED"],
  ["hops.ts", "loopDetected", "1", "nothing"],
  ["hops.ts", "loopDetected", "2", "nothing"],
  ["admit-through-route.ts", "unavailable", "OUTAGE_RETRY_SECONDS", "wait"],
  ["admit-through-route.ts", "unavailable", "errorCode", "NOT_CONFIGURED"],
  ["market-desk.ts", "unavailable", "or the service stops", "wait"],
  ["market-desk.ts", "loopDetected", "quote.message", "nothing"],
  ["quote.ts", "unavailable", "MARKET_RETRY_SECONDS", "wait"],
  ["open-run-limits.ts", "rateLimited", "under way", "wait"],
  ["answer-to-start.ts", "unavailable", "STORAGE_FAILED", "STORAGE_FAILED"],
  ["reuse-or-start.ts", "unavailable", "shutting down", "wait"],
  ["answer-to-start.ts", "unavailable", "retryAfterSeconds: 2, extra", "wait"],
  ["waiting-callers.ts", "rateLimited", "wait for runs to end", "wait"],
  ["secret-verdicts.ts", "unavailable", "No secret of", "MISSING_SECRET"],
  ["connection-files.ts", "unavailable", "message", "NOT_CONFIGURED"],
  ["secrets-file.ts", "unavailable", "error.message", "NOT_CONFIGURED"],
];

const kinds = "unavailable|rateLimited|badGateway|internal|diskFull|loopDetected";

/** The calls of `new ApiError` for these kinds in the daemon's sources, each up to its closing bracket. */
function madeAnswers(): { readonly file: string; readonly kind: string; readonly text: string }[] {
  const files = readdirSync(join(root, "daemon"), { recursive: true, encoding: "utf8" });
  return files
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const source = readFileSync(join(root, "daemon", path), "utf8");
      return [...source.matchAll(new RegExp(`new ApiError\\(\\s*(?:"(${kinds})"|kind\\b)`, "g"))].map((found) => ({
        file: basename(path),
        kind: found[1] ?? "unavailable",
        text: upToBracket(source.slice(found.index + "new ApiError".length)),
      }));
    });
}

function upToBracket(source: string): string {
  let depth = 0;
  for (const [place, letter] of [...source].entries()) {
    if (letter === "(") depth += 1;
    if (letter === ")") depth -= 1;
    if (depth === 0) return source.slice(0, place + 1);
  }
  return source;
}

describe("every answer that says not now", () => {
  test("is in the table", () => {
    const made = madeAnswers().map(({ file, kind }) => `${file} ${kind}`);

    expect(made.sort()).toEqual(answers.map(([file, kind]) => `${file} ${kind}`).sort());
  });

  test.each(answers.filter(([file]) => file !== "hops.ts"))("%s: %s, %s, says %s", (file, kind, words, says) => {
    const found = madeAnswers().filter((one) => one.file === file && one.kind === kind && one.text.includes(words));

    expect(found).not.toEqual([]);
    for (const { text } of found.slice(0, 1)) {
      expect(text.includes("retryAfterSeconds")).toBe(says === "wait");
      const isCoded = text.includes("errorCode");
      expect(isCoded).toBe(says !== "wait" && says !== "nothing");
    }
  });

  test("of 429, 503 and 507 has a wait or a code, but for the one that nobody reads", () => {
    const busy = answers.filter(([, kind]) => [429, 503, 507].includes(statusByErrorKind[kind]));

    expect(busy.filter(([, , , says]) => says === "nothing").map(([file]) => file)).toEqual(["mount-routes.ts"]);
  });
});

/** Each status and what it says of waiting, with what clients make of it. */
const outcomes = [
  { status: 429, says: "wait", exitCode: 11, next: "mkt run atlas/sun", agent: /^Next: wait as long as the message/m },
  { status: 503, says: "wait", exitCode: 11, next: "mkt run atlas/sun", agent: /^Next: wait as long as the message/m },
  { status: 507, says: "wait", exitCode: 11, next: "mkt run atlas/sun", agent: /^Next: wait as long as the message/m },
  { status: 503, says: "nothing", exitCode: 11, next: "mkt api GET /health", agent: /does not say that waiting helps/ },
  {
    status: 503,
    says: "MISSING_SECRET",
    exitCode: 12,
    next: "mkt secrets set A",
    agent: /operator has stored the key/,
  },
  { status: 503, says: "MISSING_GRANT", exitCode: 12, next: "mkt catalog grant a", agent: /operator has granted it/ },
  { status: 503, says: "NOT_CONFIGURED", exitCode: 12, next: "mkt catalog list", agent: /a person has set it up/ },
  { status: 503, says: "NOT_CONNECTED", exitCode: 15, next: "mkt connect a", agent: /a person has logged in/ },
  { status: 503, says: "PROVIDER_NOT_LOADED", exitCode: 16, next: "mkt catalog list", agent: /has fixed its file/ },
  { status: 503, says: "STORAGE_FAILED", exitCode: 1, next: "mkt get-run 01RUN", agent: /looked at the disk/ },
  { status: 500, says: "nothing", exitCode: 1, next: "mkt api GET /health", agent: /do not repeat it/ },
  { status: 502, says: "nothing", exitCode: 1, next: "mkt api GET /health", agent: /did not answer/ },
  { status: 508, says: "nothing", exitCode: 1, next: "mkt api GET /health", agent: /leads back/ },
] as const;

const toldNext = (says: string, next: string) => (says === "wait" || says === "nothing" ? {} : { next });

function answerOf({ status, says, next }: (typeof outcomes)[number], seconds: string) {
  const isWait = says === "wait";
  return {
    status,
    ...(isWait && { headers: { "retry-after": seconds } }),
    body: {
      code: status,
      message: "Not now.",
      ...(!isWait && says !== "nothing" && { errorCode: says }),
      ...toldNext(says, next),
    },
  };
}

describe("what clients make of them", () => {
  let mcp: ConnectedMcp;
  let current: Parameters<typeof answerOf>[0] = outcomes[0];
  let service: Awaited<ReturnType<typeof startStandIn>>;

  beforeAll(async () => {
    service = await startStandIn({ "POST /v1/inspect": () => answerOf(current, "31") });
    mcp = await connectOverStdio({ env: service.env });
  });
  afterAll(async () => {
    await mcp[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  test.each(outcomes)("the exit code of $status ($says) is $exitCode, and the next step $next", async (outcome) => {
    await using refusing = await startStandIn({ "POST /v1/run": answerOf(outcome, "31") });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun", "--wait-seconds", "5", "--json"], refusing);

    expect(exitCode).toBe(outcome.exitCode);
    const { next, message } = JSON.parse(lastLine(stderr));
    expect(next.startsWith(outcome.next)).toBe(true);
    expect(/wait|try again/i.test(message)).toBe(outcome.says === "wait");
  });

  test.each(outcomes)("mkt run sends $status ($says) again only where it is told to", async (outcome) => {
    let asked = 0;
    await using refusing = await startStandIn({
      "POST /v1/run": () => (asked++ === 0 ? answerOf(outcome, "0.05") : { body: aRun() }),
    });

    await runMkt(["run", "atlas/sun", "--wait-seconds", "20"], refusing);

    expect(asked).toBe(outcome.says === "wait" && outcome.status !== 507 ? 2 : 1);
  });

  test.each(outcomes)("an agent is told of $status ($says) what to do", async (outcome) => {
    current = outcome;

    const { text, isError } = await call(mcp.client, "inspect", { provider: "atlas", endpoint: "/sun" });

    expect(isError).toBe(true);
    expect(text).toMatch(outcome.agent);
    expect(/Next: (wait|call again)/.test(text)).toBe(outcome.says === "wait");
  });

  test("llms.txt says when waiting helps, and each code of what a person has to do", () => {
    const text = toLlmsText(operations).replaceAll(/\s+/g, " ");

    expect(text).toContain("429, 503 and 507 with `Retry-After`: wait so many seconds, then send it again.");
    expect(text).toContain("Without it waiting does not help");
    for (const { says } of outcomes) {
      if (!["wait", "nothing", "STORAGE_FAILED"].includes(says)) expect(text).toContain(says);
    }
  });
});
