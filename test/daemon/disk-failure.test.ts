import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { untilCalled, weatherManifest } from "../support/weather-manifest.ts";

const HANG_MS = 120_000;

/** `ulimit -f` counts blocks of 512 bytes: no file may grow above 320 kB, which is how a disk fails here. */
const SMALL_FILES = "ulimit -f 640";
/** So many keys fill a file of that size several times. */
const MANY_KEYS = Array.from({ length: 2_000 }, (_, n) => `key-${n}`);
const AT_ONCE = 50;
/** So few that a daemon on a busy machine does not refuse any of them. */
const READ_AT_ONCE = 4;

test(
  "a disk that takes no more: what was acknowledged stays, callers read 503, and the daemon ends with 74",
  async () => {
    await using daemon = await spawnDaemon({ shellLine: SMALL_FILES });
    const create = async (label: string) => await daemon.request("POST", "/v1/api-keys", { label });

    // Not until the first 503: a daemon with too much to do answers that too, and goes on.
    let hasEnded = false;
    const goesOn = () => !hasEnded;
    void daemon.exited.then(() => (hasEnded = true));
    const answers: Awaited<ReturnType<typeof create>>[] = [];
    for (let from = 0; goesOn() && from < MANY_KEYS.length; from += AT_ONCE) {
      const labels = MANY_KEYS.slice(from, from + AT_ONCE);
      // A connection may be closed under a request that had not begun to be read: its key was not acknowledged.
      for (const asked of await Promise.allSettled(labels.map(create))) {
        if (asked.status === "fulfilled") answers.push(asked.value);
      }
    }

    expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(answers.some(({ status }) => status === 503)).toBe(true);
    const { code, stderr } = await daemon.exited;
    expect(code, stderr).toBe(74);
    await using next = await spawnDaemon({ home: daemon.home });
    const acknowledged = answers.filter(({ status }) => status === 201).map((answer) => answer.body.label);
    for (let from = 0; from < acknowledged.length; from += READ_AT_ONCE) {
      const labels = acknowledged.slice(from, from + READ_AT_ONCE);
      const found = await Promise.all(labels.map((label) => next.request("GET", `/v1/api-keys/${label}`)));
      expect(found.filter(({ status }) => status !== 200)).toEqual([]);
    }
  },
  HANG_MS,
);

test(
  "a disk that takes no more: a caller whose provider is still at work reads 503 too, with the run to look at",
  async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /plain", { delayMs: 20_000, json: {} });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await spawnDaemon({ shellLine: SMALL_FILES, manifests });
    const inFlight = daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/plain" });
    await untilCalled(provider, "GET /plain");

    const large = { provider: "weather", endpoint: "/report", input: { body: { topic: "x".repeat(100_000) } } };
    for (let n = 0; n < 10; n += 1) {
      // A connection may be closed under a request that had not begun to be read.
      const answer = await daemon.request("POST", "/v1/run", large).catch(() => undefined);
      if (answer === undefined || answer.status === 503) break;
    }
    const { status, body } = await inFlight;

    expect(status).toBe(503);
    expect(body).toMatchObject({ code: 503, runId: expect.any(String) });
    expect((await daemon.exited).code).toBe(74);
  },
  HANG_MS,
);
