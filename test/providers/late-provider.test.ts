import { expect, test } from "vitest";
import { lateProvider } from "../../daemon/providers/late-provider.ts";
import type {
  MarketQuoter,
  Provider,
  ResourceKeeper,
  SecretVerifier,
  ToolLister,
} from "../../daemon/providers/protocol/provider.ts";

const ignored = {} as never;

/** What calls providers, which cannot be loaded the first `failures` times. */
function scarce(failures: number) {
  const made = { times: 0 };
  const answer = { kind: "answer" } as never;
  const provider = { start: async () => answer, close: async () => {} } as unknown as Provider &
    ResourceKeeper &
    ToolLister &
    MarketQuoter &
    SecretVerifier;
  const late = lateProvider(async () => {
    made.times += 1;
    if (made.times <= failures) throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    return provider;
  });
  return { late, made };
}

test("what could not be loaded is loaded with the next call, and once", async () => {
  const { late, made } = scarce(2);

  await expect(late.load()).rejects.toThrow("EMFILE");
  await expect(late.start(ignored, ignored)).rejects.toThrow("EMFILE");
  const answers = await Promise.all([late.start(ignored, ignored), late.start(ignored, ignored)]);

  expect(answers).toEqual([{ kind: "answer" }, { kind: "answer" }]);
  expect(made.times).toBe(3);
});

test("calls at the same time load once, and what is loaded before is not loaded again", async () => {
  const { late, made } = scarce(0);

  await Promise.all([late.load(), late.start(ignored, ignored), late.load()]);

  expect(made.times).toBe(1);
});

test("closing what could not be loaded is no failure", async () => {
  const { late } = scarce(9);
  await expect(late.load()).rejects.toThrow("EMFILE");

  await expect(late.close()).resolves.toBeUndefined();
});
