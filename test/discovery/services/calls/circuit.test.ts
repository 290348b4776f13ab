import { describe, expect, test } from "vitest";
import { createCircuit } from "../../../../daemon/discovery/services/calls/circuit.ts";
import { type FailureKind, ServiceFailed } from "../../../../daemon/discovery/services/calls/service-failed.ts";

function openCircuit() {
  const time = { nowMs: 0 };
  const told: (string | undefined)[] = [];
  const circuit = createCircuit({
    clock: { now: () => time.nowMs },
    onChange: (failure) => told.push(failure?.message),
  });
  let asked = 0;
  const ask = async (outcome?: FailureKind, retryAfterMs?: number): Promise<string> => {
    const work = async () => {
      asked += 1;
      if (outcome !== undefined) throw new ServiceFailed(outcome, `it is ${outcome}`, retryAfterMs);
      return "answer";
    };
    return await circuit.run(work).catch((error: ServiceFailed) => error.kind);
  };
  return { circuit, time, told, ask, asked: () => asked };
}

describe("a service that failed", () => {
  test("is left alone after three failures one after the other, for longer each time", async () => {
    const { circuit, time, ask, asked } = openCircuit();

    const first = [await ask("away"), await ask("slow"), await ask("nonsense"), await ask()];
    const firstRestMs = circuit.restMs();
    time.nowMs += firstRestMs;
    const probe = await ask("away");

    expect(first).toEqual(["away", "slow", "nonsense", "resting"]);
    expect([probe, circuit.restMs()]).toEqual(["away", firstRestMs * 2]);
    expect(asked()).toBe(4);
  });

  test("is never left alone for more than a minute", async () => {
    const { circuit, time, ask } = openCircuit();

    for (let times = 0; times < 20; times += 1) {
      await ask("away");
      time.nowMs += circuit.restMs();
    }
    await ask("away");

    expect(circuit.restMs()).toBe(60_000);
  });

  test("is asked by one question alone when its rest is over; the others do not wait for that", async () => {
    const { circuit, time, ask, asked } = openCircuit();
    for (let times = 0; times < 3; times += 1) await ask("away");
    time.nowMs += circuit.restMs();

    const answers = await Promise.all([ask(), ask(), ask()]);

    expect(answers).toEqual(["answer", "resting", "resting"]);
    expect(asked()).toBe(4);
  });

  test("is asked by everyone again once it answered", async () => {
    const { circuit, time, ask, told } = openCircuit();
    for (let times = 0; times < 3; times += 1) await ask("away");
    time.nowMs += circuit.restMs();
    await ask();

    expect(await Promise.all([ask(), ask()])).toEqual(["answer", "answer"]);
    expect(told).toEqual(["it is away", undefined]);
  });

  test("is not left alone for failures with answers between them, nor for what it rejects", async () => {
    const { circuit, ask } = openCircuit();

    for (const outcome of ["away", "away", undefined, "away", "away"] as const) await ask(outcome);
    for (let times = 0; times < 9; times += 1) await ask("rejected");

    expect(circuit.restMs()).toBe(0);
  });

  test("is left alone at once when it asks for that, as long as it asks for, or when it refuses the key", async () => {
    const [busy, refused] = [openCircuit(), openCircuit()];

    await busy.ask("busy", 9_000);
    await refused.ask("refused");

    expect([busy.circuit.restMs(), refused.circuit.restMs()]).toEqual([9_000, 60_000]);
  });
});
