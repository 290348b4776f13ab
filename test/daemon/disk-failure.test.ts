import { expect, it } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { untilCalled, weatherManifest } from "../support/weather-manifest.ts";

const HANG_MS = 120_000;

/** `ulimit -f` counts blocks of 512 bytes: no file may grow above 16 kB, which is how a disk fails here. */
const SMALL_FILES = "ulimit -f 32";

it(
  "a disk that takes no more: what was acknowledged stays, callers read 503, and the daemon ends with 74",
  async () => {
    await using daemon = await spawnDaemon({ shellLine: SMALL_FILES });
    const create = async (label: string) => await daemon.request("POST", "/v1/api-keys", { label });

    const answers: Awaited<ReturnType<typeof create>>[] = [];
    for (let round = 0; answers.every(({ status }) => status === 201) && round < 100; round += 1) {
      const labels = [0, 1, 2, 3].map((n) => `key-${round}-${n}`);
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
    const { body } = await next.request("GET", "/v1/api-keys?limit=1000");
    const labels = new Set(body.items.map(({ label }: { label: string }) => label));
    const acknowledged = answers.filter(({ status }) => status === 201).map((answer) => answer.body.label);
    expect(acknowledged.filter((label: string) => !labels.has(label))).toEqual([]);
  },
  HANG_MS,
);

it(
  "a disk that takes no more: a caller whose provider is still at work reads 503 too, with the run to look at",
  async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /plain", { delayMs: 20_000, json: {} });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await spawnDaemon({ shellLine: SMALL_FILES, manifests });
    const inFlight = daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/plain" });
    await untilCalled(provider, "GET /plain");

    for (let n = 0; n < 100; n += 1) {
      const { status } = await daemon.request("POST", "/v1/api-keys", { label: `key-${n}` });
      if (status !== 201) break;
    }
    const { status, body } = await inFlight;

    expect(status).toBe(503);
    expect(body).toMatchObject({ code: 503, runId: expect.any(String) });
    expect((await daemon.exited).code).toBe(74);
  },
  HANG_MS,
);
