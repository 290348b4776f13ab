import { expect, it } from "vitest";
import { spawnDaemon } from "../support/spawn-mkt.ts";

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
      answers.push(...(await Promise.all([0, 1, 2, 3].map(async (n) => await create(`key-${round}-${n}`)))));
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
