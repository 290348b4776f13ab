import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { expect, test } from "vitest";
import type { ReuseStore } from "../../daemon/ledger/stores/reuse-store.ts";
import { answerToGive, EarlierAnswers, type WantedAnswer } from "../../daemon/reuse/earlier-answers.ts";
import { makeRun } from "../support/make-run.ts";

const NOW = Date.parse("2026-11-21T10:00:00.000Z");
const answer = makeRun({
  status: "COMPLETED",
  completedAt: "2026-11-21T09:59:30.000Z",
  output: 1,
  reuse: { key: "k" },
});
const wanted: WantedAnswer = { workspaceId: answer.workspaceId, reuse: { key: "k", maxAgeSeconds: 60 } };
const patience = { patienceMs: 60_000 };

function answersOf(findKeptRun: ReuseStore["findKeptRun"] = async () => undefined): EarlierAnswers {
  return new EarlierAnswers({ store: { findKeptRun }, clock: { now: () => NOW }, logger: pino({ level: "silent" }) });
}

async function leadOf(answers: EarlierAnswers, of = wanted) {
  const found = await answers.find(of, patience);
  if (!("lead" in found) || found.lead === undefined) throw new Error("it does not lead");
  return found.lead;
}

test("the first one leads, and whoever comes meanwhile gets its answer without another look", async () => {
  let looks = 0;
  const answers = answersOf(async () => void (looks += 1) as undefined);
  const lead = await leadOf(answers);

  const others = Array.from({ length: 50 }, async () => await answers.find(wanted, patience));
  lead.end(answer);

  expect(await Promise.all(others)).toEqual(Array.from({ length: 50 }, () => ({ answer })));
  expect(looks).toBe(1);
});

test("a kept answer is looked for once by fifty at once", async () => {
  let looks = 0;
  const answers = answersOf(async () => {
    looks += 1;
    return answer;
  });

  const found = await Promise.all(Array.from({ length: 50 }, async () => await answers.find(wanted, patience)));

  expect(found.every((one) => "answer" in one)).toBe(true);
  expect(looks).toBe(1);
});

test("whoever wants a younger answer than the one that was found looks further", async () => {
  const answers = answersOf(async ({ from }) => (from <= (answer.completedAt ?? "") ? answer : undefined));

  const [first, second] = await Promise.all([
    answers.find(wanted, patience),
    answers.find({ ...wanted, reuse: { key: "k", maxAgeSeconds: 10 } }, patience),
  ]);

  expect(first).toEqual({ answer });
  expect(second).toMatchObject({ lead: expect.anything() });
});

test("whoever waited takes no answer from the future, as after the clock was set back", async () => {
  const answers = answersOf();
  const lead = await leadOf(answers);
  const waiting = answers.find(wanted, patience);

  lead.end({ ...answer, completedAt: new Date(NOW + 1).toISOString() });

  expect(await waiting).toEqual({ lead: expect.anything() });
});

test("one that waited for three runs in vain makes its own call, and leads nobody", async () => {
  const answers = answersOf();
  let lead = await leadOf(answers);
  const last = answers.find(wanted, patience);
  for (let failed = 0; failed < 3; failed += 1) {
    lead.end();
    const next = answers.lead(wanted);
    if (next === undefined) throw new Error("somebody leads already");
    lead = next;
    await setImmediate();
  }

  expect(await last).toEqual({ lead: undefined });
});

test("one that runs out of patience, or whose caller has gone, waits no longer", async () => {
  const answers = answersOf();
  await leadOf(answers);
  const gone = new AbortController();

  const impatient = answers.find(wanted, { patienceMs: 1 });
  const left = answers.find(wanted, { ...patience, signal: gone.signal });
  gone.abort();

  expect(await impatient).toEqual({ lead: undefined });
  expect(await left).toEqual({ lead: undefined });
});

test("a key that gets only answers of its own waits only for its own runs", async () => {
  const answers = answersOf();
  await leadOf(answers, { ...wanted, keyId: "k1" });
  const own = (keyId: string): WantedAnswer => ({ ...wanted, keyId, reuse: { ...wanted.reuse, ownKeyOnly: true } });

  expect(answers.isLed(own("k1"))).toBe(true);
  expect(answers.isLed(own("k2"))).toBe(false);
  expect(await answers.find(own("k2"), patience)).toEqual({ lead: undefined });
});

test("a store that cannot be read makes a call, not an error", async () => {
  const answers = answersOf(async () => {
    throw new Error("the disk is damaged");
  });

  expect(await answers.find(wanted, patience)).toMatchObject({ lead: expect.anything() });
});

test.each([
  ["a run that completed", {}, true],
  ["one that failed", { status: "FAILED" as const }, false],
  ["one whose answer is not worth keeping", { reuse: undefined }, false],
  [
    "one that has the answer of an earlier one",
    { answeredFrom: { runId: "r", completedAt: answer.completedAt ?? "", savedMicroDollars: 1 } },
    false,
  ],
])("%s gives others its answer: %#", (_title, change, gives) => {
  const run = makeRun({ ...answer, ...change } as never);

  expect(answerToGive(run) !== undefined).toBe(gives);
});
