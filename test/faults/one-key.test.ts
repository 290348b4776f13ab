import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { startTestDaemon } from "../support/start-daemon.ts";
import { startCountedProvider } from "./counted-provider.ts";
import { effort } from "../support/effort.ts";
import { reportTrial } from "./trial.ts";

const PARALLEL = 50;
const ROUNDS = effort(5, 200);

test(
  `${PARALLEL} requests at once with one idempotency key make one call to the provider, ${ROUNDS} rounds`,
  async (context) => {
    await using provider = await startCountedProvider();
    await using daemon = await startTestDaemon({ manifests: provider.manifests });
    const wrong: unknown[] = [];

    for (let round = 0; round < ROUNDS; round += 1) {
      const headers = { "idempotency-key": randomUUID() };
      const body = { provider: "counted", endpoint: round % 2 === 0 ? "/buy" : "/work" };
      const before = provider.startedRuns().length;
      const answers = await Promise.all(
        Array.from({ length: PARALLEL }, () => daemon.request("POST", "/v1/run", body, headers)),
      );
      const after = await daemon.request("POST", "/v1/run", body, headers);
      const told = new Set([...answers, after].filter(({ status }) => status < 300).map((answer) => answer.body.runId));
      const statuses = new Set(answers.map(({ status }) => status));
      const calls = provider.startedRuns().length - before;
      statuses.delete(409);
      if (calls !== 1 || told.size !== 1 || statuses.size !== 1) wrong.push({ round, calls, told, statuses });
    }

    expect(wrong).toEqual([]);
    reportTrial(context, {
      what: `${PARALLEL} requests with one idempotency key, rounds`,
      tried: ROUNDS,
      lost: 0,
      note: "one call to the provider in each",
    });
  },
  30_000 + ROUNDS * 2_000,
);
