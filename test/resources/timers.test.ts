import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAtlas } from "../support/open-atlas.ts";
import { jsonLines, runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** The resource that comes with the program, tried as a person would: through the command line. */
let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
});

afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
});

const mkt = async (argv: readonly string[], { tty = false } = {}) =>
  await runMkt(argv, { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key }, tty });
const told = async (argv: readonly string[]) => JSON.parse((await mkt([...argv, "--json"])).stdout);

async function startTimer(name: string): Promise<{ resourceId: string; externalId: string }> {
  const run = await told(["run", "atlas/timers", `name=${name}`]);
  const { resourceId } = run.resources[0];
  return { resourceId, externalId: (await told(["resources", "get", resourceId])).externalId };
}

describe("a timer of atlas", () => {
  test("costs its first day with the run, and can be read by it", async () => {
    const run = await told(["run", "atlas/timers", "name=tea", "until=2099-01-01T00:00:00Z"]);
    const { resourceId } = run.resources[0];
    const resource = await told(["resources", "get", resourceId, "--live"]);
    const read = await told(["run", "atlas/timers/{id}", `id=${resource.externalId}`]);

    expect(run).toMatchObject({
      status: "COMPLETED",
      price: { type: "BY_PERIOD", amount: 0.001 },
      cost: { value: 0.001 },
      resources: [{ action: "PROVISIONED", resourceType: "machine", identifier: "tea" }],
    });
    expect(resource).toMatchObject({
      state: "ACTIVE",
      name: "tea",
      renewal: { price: { type: "BY_PERIOD", period: { unit: "DAY", count: 1 } } },
      live: [
        { kind: "timer", data: { name: "tea", elapsedSeconds: expect.any(Number), until: "2099-01-01T00:00:00.000Z" } },
      ],
    });
    expect(read).toMatchObject({ output: { name: "tea" }, cost: { value: 0.0001 } });
  });

  test("is stopped by a run, and cannot be read any more", async () => {
    const { resourceId, externalId } = await startTimer("short");

    const stopped = await told(["run", "atlas/timers/{id}/stop", `id=${externalId}`]);
    const again = await mkt(["run", "atlas/timers/{id}", `id=${externalId}`, "--json"]);

    expect(stopped).toMatchObject({ cost: { value: 0 }, resources: [{ action: "RELEASED", resourceId }] });
    expect(again.exitCode).toBe(8);
    expect((await told(["resources", "get", resourceId])).state).toBe("RELEASED");
  });

  test("goes on when atlas is started anew, because its id says all that it is", async () => {
    const first = await openAtlas();
    const { body } = await first.post("/timers", { name: "long" });
    await first.close();
    await using second = await openAtlas();

    const read = await second.get(`/timers/${body.id}`);
    await second.delete(`/timers/${body.id}`);

    expect(read.body).toMatchObject({ name: "long", startedAt: body.startedAt });
    expect((await second.get(`/timers/${body.id}`)).status).toBe(410);
    expect((await second.get("/timers/nonsense")).status).toBe(404);
  });
});

describe("mkt resources", () => {
  test("lists, shows what happened, and releases", async () => {
    const { resourceId } = await startTimer("listed");

    const listed = jsonLines((await mkt(["resources", "--provider", "atlas", "--state", "ACTIVE"])).stdout);
    const released = await told(["resources", "release", resourceId, "--yes"]);
    const events = jsonLines((await mkt(["resources", "events", resourceId])).stdout);

    expect(listed[0]).toMatchObject({ resourceId, resourceSlug: "timer" });
    expect(released).toMatchObject({ resourceId, state: "EXPIRING" });
    expect(events).toMatchObject([{ type: "PROVISIONED", amount: { value: 0.001 } }, { type: "RELEASE_REQUESTED" }]);
  });

  test("draws screens that end with what to do next", async () => {
    const { resourceId } = await startTimer("drawn");

    const list = await mkt(["resources"], { tty: true });
    const detail = await mkt(["resources", "get", resourceId, "--live"], { tty: true });
    const releasing = await mkt(["resources", "release", resourceId, "--yes"], { tty: true });
    const events = await mkt(["resources", "events", resourceId], { tty: true });

    expect(list.stdout).toContain(`Look at one: mkt resources get ${resourceId} --live`);
    expect(detail.stdout).toContain("$0.001/day");
    expect(detail.stdout).toContain("timer, now");
    expect(detail.stdout).toContain(`give it back: mkt resources release ${resourceId}`);
    expect(releasing.stdout).toContain("stays usable until");
    expect(events.stdout).toContain("RELEASE_REQUESTED");
  });

  test("says with a run how to give back what it made", async () => {
    const run = await mkt(["run", "atlas/timers", "name=hinted"], { tty: true });

    expect(run.stdout).toMatch(/give it back: mkt resources release 01\w+ # stops the daily rent/);
    expect(run.stdout).toMatch(/PROVISIONED hinted \(01\w+\)/);
  });

  test("is where a run looks that needs one which is not there", async () => {
    const { exitCode, stderr } = await mkt(["run", "atlas/timers/{id}", "id=none"]);

    expect(exitCode).toBe(8);
    expect(stderr).toContain('This workspace has no timer "none"');
    expect(stderr).toContain("next: mkt resources\n");
  });

  test.each([
    ["get", 8],
    ["events", 8],
    ["release", 8],
  ])("%s of an unknown one ends with not found and names the list", async (command, exitCode) => {
    const outcome = await mkt(["resources", command, "01JD0000000000000000000000", "--yes"]);

    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr).toContain("next: mkt resources");
  });
});
