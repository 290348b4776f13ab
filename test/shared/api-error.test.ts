import { describe, expect, test } from "vitest";
import { ErrorBody } from "../../shared/contract/common.ts";
import { ApiError, statusByErrorKind, type ErrorKind } from "../../shared/errors.ts";

describe("an error that a caller is told about", () => {
  test.each(Object.entries(statusByErrorKind) as [ErrorKind, number][])("%s is status %i", (kind, status) => {
    const error = new ApiError(kind, "what happened");

    expect(error.status).toBe(status);
    expect(ErrorBody.parse(error.toBody())).toMatchObject({ code: status, message: "what happened" });
  });

  test("402 has the wallet's machine code only where it was the wallet", () => {
    const overMaxCost = new ApiError("insufficientFunds", "This may cost $2, which is above its maxCost of $1.");
    const tooLittle = new ApiError("insufficientFunds", "The balance is $0.", {
      errorCode: "WALLET_INSUFFICIENT_FUNDS",
    });

    expect(overMaxCost.toBody()).toEqual({ code: 402, message: overMaxCost.message });
    expect(tooLittle.toBody()).toMatchObject({ code: 402, errorCode: "WALLET_INSUFFICIENT_FUNDS" });
  });

  test("further members never replace code and message", () => {
    const error = new ApiError("conflict", "in flight", { extra: { runId: "01J0", code: 1, message: "no" } });

    expect(error.toBody()).toEqual({ runId: "01J0", code: 409, message: "in flight" });
  });

  test("a wait is told in whole seconds", () => {
    const error = new ApiError("unavailable", "starting", { retryAfterSeconds: 1.2 });

    expect(error.headers).toEqual({ "retry-after": "2" });
  });

  test("the cause is kept for the log and not told", () => {
    const cause = new Error("secret");

    const error = new ApiError("internal", "Something went wrong", { cause });

    expect(error.cause).toBe(cause);
    expect(JSON.stringify(error.toBody())).not.toContain("secret");
  });
});
