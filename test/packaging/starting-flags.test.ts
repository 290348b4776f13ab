import { afterEach, expect, test, vi } from "vitest";
import { runningWith } from "../../bin/compiled/running-with.ts";
import { useStartingFlags } from "../../bin/compiled/starting-flags.ts";
import type { DaemonConfig } from "../../daemon/config/daemon-config.ts";
import type { DaemonSurroundings } from "../../daemon/run-daemon.ts";

const starting = ["--semi-space-growth-factor=1", "--no-opt"];
const usual = ["--semi-space-growth-factor=2", "--opt"];
const config = {} as DaemonConfig;
const surroundings = {} as DaemonSurroundings;

afterEach(() => void vi.useRealTimers());

/** The flags of a start on Node 24, and all that V8 was told so far. */
function startWith(given = "", nodeVersion = "24.0.0") {
  const told: string[] = [];
  const flags = useStartingFlags({ given, nodeVersion, setFlags: (flag) => void told.push(flag) });
  return { told, flags };
}

type RunDaemon = (config: DaemonConfig, surroundings: DaemonSurroundings) => Promise<number>;

/** The daemon is this function; `keep` tells V8's flags as they stand then. */
async function run(runDaemon: RunDaemon) {
  const { told, flags } = startWith();
  const kept: string[][] = [];
  const keep = async () => void kept.push(told.slice(-2));
  const exited = runningWith(flags, { exports: { runDaemon }, keep })(config, surroundings);
  return { told, kept, exited };
}

test("a start has its flags until it is ready, and keeps its compiled code under them", async () => {
  vi.useFakeTimers();
  const { told, kept } = await run((_, { onReady }) => {
    onReady?.();
    return new Promise(() => {});
  });

  expect(told.slice(0, 2)).toEqual(starting);
  expect(kept).toEqual([starting]);
  expect(told.slice(-2)).toEqual(usual);
  expect(vi.getTimerCount()).toBe(0);
});

test("a start that is not ready after two seconds goes on with V8's own flags, and keeps its code under those of a start", async () => {
  vi.useFakeTimers();
  let becomeReady = () => {};
  const { told, kept } = await run((_, { onReady = () => {} }) => {
    becomeReady = onReady;
    return new Promise(() => {});
  });

  vi.advanceTimersByTime(1_999);
  expect(told).toEqual(starting);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([...starting, ...usual]);

  becomeReady();
  expect(kept).toEqual([starting]);
  expect(told.slice(-2)).toEqual(usual);
});

test.each([
  ["ends with a code", () => Promise.resolve(78), 78],
  ["throws", () => Promise.reject(new Error("no port")), "no port"],
])("a start that %s leaves V8's own flags, and no code", async (_, runDaemon, outcome) => {
  vi.useFakeTimers();
  const { told, kept, exited } = await run(runDaemon);

  expect(await exited.catch(({ message }: Error) => message)).toBe(outcome);
  expect(told).toEqual([...starting, ...usual]);
  expect(kept).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("flags are V8's own again after work that fails", () => {
  vi.useFakeTimers();
  const { told, flags } = startWith();

  expect(() =>
    flags.during(() => {
      throw new Error("no room");
    }),
  ).toThrow("no room");
  expect(told.slice(-2)).toEqual(usual);
  flags.end();
});

test.each([
  "--no-opt",
  "--noopt",
  "--no_opt --enable-source-maps",
  "--opt",
  "--jitless",
  "--no-turbofan",
  "--max-semi-space-size=16",
  "--semi_space_growth_factor=4",
])("a start leaves V8 alone where Node was given %s", (given) => {
  const { told, flags } = startWith(given);
  flags.during(() => {});
  flags.end();

  expect(told).toEqual([]);
});

test.each(["", "--require /opt/agent.js", "--require=/srv/opt", "--optimize-for-size", "--max-old-space-size=512"])(
  "a start has its flags where Node was given '%s'",
  (given) => {
    vi.useFakeTimers();
    const { told, flags } = startWith(given);

    expect(told).toEqual(starting);
    flags.end();
  },
);

test("a start leaves V8 alone on a Node that is newer than those known to have the flags", () => {
  expect(startWith("", "25.0.0").told).toEqual([]);
});
