import { describe, expect, test } from "vitest";
import {
  daemonExitCodeMeanings,
  exitCodeMeanings,
  exitCodeOfRun,
  exitCodeOfStatus,
  exitCodes,
} from "../../cli/core/exit-codes.ts";
import { runMkt } from "../support/run-cli.ts";

describe("exit codes", () => {
  test.each([
    ["refused input", 400, 5],
    ["a wrong key", 401, 4],
    ["too little in the wallet", 402, 7],
    ["a missing grant", 403, 4],
    ["something unknown", 404, 8],
    ["a wrong method", 405, 1],
    ["a run that timed out", 408, 10],
    ["a conflict", 409, 5],
    ["a body too large", 413, 5],
    ["a body of the wrong type", 415, 5],
    ["a reused idempotency key", 422, 5],
    ["a rate limit", 429, 11],
    ["a failure of the service", 500, 1],
    ["an overloaded service", 503, 11],
    ["a full disk", 507, 11],
  ])("%s (%i) ends with %i", (_what, status, code) => {
    expect(exitCodeOfStatus(status)).toBe(code);
  });

  test.each([
    ["a used-up limit of the key", 403, "KEY_LIMIT", 7],
    ["a secret that is missing", 503, "MISSING_SECRET", 12],
    ["a grant that is missing", 503, "MISSING_GRANT", 12],
    ["a secret or a grant, as services up to 0.1.0 said it", 503, "NOT_CONFIGURED", 12],
    ["an account that is missing", 503, "NOT_CONNECTED", 15],
    ["a provider file with mistakes", 503, "PROVIDER_NOT_LOADED", 16],
    ["a disk that failed", 503, "STORAGE_FAILED", 1],
    ["a code of a later service", 503, "SOMETHING_NEW", 11],
  ])("%s (%i, %s) ends with %i", (_what, status, errorCode, code) => {
    expect(exitCodeOfStatus(status, errorCode)).toBe(code);
  });

  test.each([
    ["delivered data", { status: "COMPLETED", providerResponse: { httpStatus: 200 } }, 0],
    ["was answered with no content", { status: "COMPLETED", providerResponse: { httpStatus: 204 } }, 0],
    ["was answered with not found", { status: "COMPLETED", providerResponse: { httpStatus: 404 } }, 3],
    ["was answered with a redirect", { status: "COMPLETED", providerResponse: { httpStatus: 302 } }, 3],
    ["failed", { status: "FAILED" }, 1],
    ["was blocked", { status: "BLOCKED" }, 7],
    ["was stopped", { status: "STOPPED" }, 10],
    ["timed out", { status: "TIMED_OUT" }, 10],
    ["goes on", { status: "RUNNING" }, 0],
  ])("a run that %s", (_what, run, code) => {
    expect(exitCodeOfRun(run)).toBe(code);
  });

  test("each code has one meaning", () => {
    const codes = exitCodeMeanings.map(({ code }) => code);

    expect(codes).toEqual(Object.values(exitCodes));
  });

  test("the help lists every code", async () => {
    const { stdout } = await runMkt(["help", "exit-codes"]);

    for (const { code, meaning } of exitCodeMeanings) expect(stdout).toContain(`${code}  ${meaning}`);
  });

  test("the help of the daemon lists the daemon's own", async () => {
    const { stdout } = await runMkt(["help", "exit-codes"]);

    for (const { code, meaning } of daemonExitCodeMeanings) expect(stdout).toContain(`${code}  ${meaning}`);
  });
});
