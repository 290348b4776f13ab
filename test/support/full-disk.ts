import { type Ask, type Answer } from "./request.ts";

interface Asked {
  readonly request: Ask;
}

/**
 * Makes API keys on a full disk until the daemon refuses one: the room that the journal has reserved is used up first. Returns
 * the refusal. 503 is the answer of a busy machine, not of the disk: the next round asks again.
 */
export async function askForKeysUntilRefused({ request }: Asked): Promise<Answer> {
  for (let round = 0; round < 40; round += 1) {
    const labels = Array.from({ length: 50 }, (_, n) => `filler-${round}-${n}`);
    const answers = await Promise.all(labels.map((label) => request("POST", "/v1/api-keys", { label })));
    const refused = answers.find(({ status }) => status !== 201 && status !== 503);
    if (refused !== undefined) return refused;
  }
  throw new Error("the disk never became full");
}

/** Resolves when `/health` says so; rejects after 20 seconds. */
export async function untilStorageIs(expected: string, { request }: Asked): Promise<void> {
  const deadline = Date.now() + 20_000;
  while ((await request("GET", "/health")).body.storage !== expected) {
    if (Date.now() > deadline) throw new Error(`storage never was ${expected}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
