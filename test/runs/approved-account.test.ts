import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../daemon/base/clock.ts";
import type { ApprovalDecision } from "../../daemon/ledger/records/approval-records.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { NoAnswerError, type Provider, type ProviderAnswer } from "../../daemon/providers/protocol/provider.ts";
import type { CredentialOf } from "../../daemon/reuse/plan-reuse.ts";
import { EarlierAnswers } from "../../daemon/reuse/earlier-answers.ts";
import { createRunDriver } from "../../daemon/runs/work/run-driver.ts";
import { createRunQueue } from "../../daemon/runs/queue/run-queue.ts";
import { makeRun } from "../support/make-run.ts";
import { entryOf } from "../support/provider-entry.ts";
import { takenLine } from "../support/taken-line.ts";

/** Runs that an earlier process left, at an endpoint with a login whose answers may be given again. */

const entry = entryOf(
  JSON.stringify({
    mkt: 1,
    provider: "accounts",
    http: {
      baseUrl: "https://accounts.example",
      auth: {
        type: "oauth2",
        flow: "authorizationCode",
        authorizationUrl: "https://accounts.example/authorize",
        tokenUrl: "https://accounts.example/token",
        clientId: "mkt",
      },
    },
    categories: ["developer/data"],
    price: { type: "PER_CALL", amount: 0.01 },
    endpoints: {
      "/me": { description: "Me.", request: { method: "GET", path: "/me" }, reuse: { maxAgeSeconds: 3_600 } },
    },
  }),
  "/me",
);
const answer: ProviderAnswer = {
  kind: "answer",
  httpStatus: 200,
  success: true,
  output: { name: "Ada" },
  body: { name: "Ada" },
  measured: {},
  notes: [],
  attempts: [],
};
const job = { kind: "job" as const, externalId: "j1", state: {}, pollAfterMs: 5, polls: 0, attempts: [] };
const earlier = makeRun({
  runId: "01JD0000000000000000000009",
  status: "COMPLETED",
  completedAt: new Date().toISOString(),
  output: { name: "Eve" },
  reuse: { key: "of before" },
});

function approvedRun(members: Partial<RunRecord>, decision: Partial<ApprovalDecision> = {}): RunRecord {
  const at = new Date().toISOString();
  const said: ApprovalDecision = { kind: "approved", at, accounts: { accounts: "first" }, ...decision };
  return makeRun({
    provider: "accounts",
    endpoint: "/me",
    mode: "async",
    createdAt: at,
    approval: {
      ruleId: "r",
      aboveMicroDollars: 0,
      estimateMicroDollars: 0,
      inputDigest: "d",
      expiresAt: at,
      decision: said,
    },
    ...members,
  } as Parameters<typeof makeRun>[0]);
}

/** What happens to the run where `connected` is the account of now. */
async function resumed(
  run: RunRecord,
  {
    connected = "first",
    credentialOf = async () => connected,
    ...script
  }: Partial<Provider> & { readonly connected?: string; readonly credentialOf?: CredentialOf },
) {
  const order: string[] = [];
  const logger = pino({ level: "silent" });
  const unexpected = () => Promise.reject(new Error("the test did not expect this call"));
  const driver = createRunDriver({
    store: {
      commit: async (made) => void takenLine(made),
      findResource: async () => undefined,
      findHolder: async () => undefined,
    },
    provider: {
      start: async (request, options) => {
        order.push(`start with ${request.account}`);
        return await (script.start ?? unexpected)(request, options);
      },
      poll: async (request, known, options) => {
        order.push(`poll with ${request.account}`);
        return await (script.poll ?? unexpected)(request, known, options);
      },
      stop: async (request, known, options) => {
        order.push(`stop with ${request.account}`);
        return await (script.stop ?? unexpected)(request, known, options);
      },
      close: async () => {},
    },
    clock: systemClock,
    logger,
    queue: createRunQueue(),
    accounts: { accountFor: () => connected },
    earlierAnswers: new EarlierAnswers({
      store: { findKeptRun: async () => earlier },
      clock: systemClock,
      logger,
      credentialOf: async (provider, workspaceId) => {
        order.push("key");
        return await credentialOf(provider, workspaceId);
      },
    }),
    confirmLease: async () => void order.push("lease"),
    onEnded: () => {},
  });
  const live = driver.resume(run, entry);
  await live.ended;
  return { run: live.current(), order };
}

const refusesAccount = async (): Promise<never> => {
  throw new NoAnswerError("another account", { source: "provider", maybeExecuted: false, attempts: [] });
};

describe("an approved run that is taken up after a restart", () => {
  const waiting = { status: "READY", reuse: { key: "of then", maxAgeSeconds: 60 } } as const;

  test("is not answered from an earlier run once another account is connected", async () => {
    const { run, order } = await resumed(approvedRun(waiting), { connected: "second", start: refusesAccount });

    expect(run).toMatchObject({ status: "FAILED", billing: { reported: 0 } });
    expect(run).not.toHaveProperty("answeredFrom");
    expect(order.at(-1)).toBe("start with first");
  });

  test("is answered from an earlier run while its account is connected", async () => {
    const { run } = await resumed(approvedRun(waiting), {});

    expect(run).toMatchObject({ status: "COMPLETED", output: { name: "Eve" }, answeredFrom: { runId: earlier.runId } });
  });

  test("asks about its job, and stops it, with its account", async () => {
    const polled = await resumed(approvedRun({ job }), { connected: "second", poll: async () => answer });
    const stopped = await resumed(approvedRun({ job, status: "STOPPING" }), {
      connected: "second",
      stop: async () => ({ outcome: "stopped", attempts: [] }),
    });

    expect(polled.order).toContain("poll with first");
    expect(stopped.order).toEqual(["stop with first"]);
  });

  test("may have been charged for a job that its provider cannot be asked about", async () => {
    const { run } = await resumed(approvedRun({ job }), { connected: "second", poll: refusesAccount });

    expect(run).toMatchObject({ status: "FAILED", billing: { reported: 0 }, providerMayHaveCharged: true });
  });

  test("calls nobody where no account was connected when it was approved", async () => {
    const { run, order } = await resumed(approvedRun({ status: "READY" }, { accounts: {} }), {
      start: async () => answer,
    });

    expect(run).toMatchObject({ status: "FAILED", error: { message: /no account was connected at accounts/ } });
    expect(run).not.toHaveProperty("providerMayHaveCharged");
    expect(order).not.toContain("start with first");
  });

  test("uses the account of now where its version recorded none", async () => {
    const { accounts: _none, ...decision } = approvedRun({}).approval?.decision ?? { kind: "approved", at: "" };
    const run = approvedRun({ status: "READY" });
    const before = { ...run, ...(run.approval && { approval: { ...run.approval, decision } }) };

    const { order } = await resumed(before, { start: async () => answer });

    expect(order).toContain("start with undefined");
  });
});

describe("a run whose answer may be given again", () => {
  const waiting = { status: "READY", reuse: { key: "of then" } } as const;

  test("learns its key before its lease is confirmed, and is then called at once", async () => {
    const { order } = await resumed(approvedRun(waiting), { start: async () => answer });

    expect(order.slice(order.lastIndexOf("lease") - 1, -1)).toEqual(["key", "lease", "start with first"]);
  });

  test("keeps an answer that was paid for, when it cannot be told with what it was called", async () => {
    let isAway = false;
    const { run } = await resumed(approvedRun(waiting), {
      credentialOf: async () => {
        if (isAway) throw new Error("the connection cannot be read");
        return "first";
      },
      start: async () => {
        isAway = true;
        return answer;
      },
    });

    expect(run).toMatchObject({ status: "COMPLETED", output: { name: "Ada" }, billing: { reported: 10_000 } });
    expect(run).not.toHaveProperty("reuse");
  });

  test("is called, and may not have been charged before, when its key cannot be learnt", async () => {
    const { run } = await resumed(approvedRun(waiting), {
      credentialOf: async () => await Promise.reject(new Error("no print key")),
      start: async () => answer,
    });

    expect(run).toMatchObject({ status: "COMPLETED", output: { name: "Ada" } });
    expect(run).not.toHaveProperty("providerMayHaveCharged");
  });
});
