import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** One of the ten screens that people meet most. */
export interface MainScreen {
  readonly name: string;
  readonly words: readonly string[];
  /** What is on it when it is complete, where it stays until a key is pressed. */
  readonly until?: string;
}

const sun = { latitude: 38.7, longitude: -9.1, date: "2026-06-21" };
// Of rules that will not change: tables of languages and currencies do, with the version of Node.
const thirtyChanges = { zone: "Europe/Lisbon", fromYear: 2005, toYear: 2019 };
const sunWords = Object.entries(sun).map(([name, value]) => `${name}=${value}`);

export type Stage = TestDaemon & { readonly screens: readonly MainScreen[] };

/**
 * A daemon with atlas whose clock stands, so that every run takes no time, and an account to look at. It stands half an hour
 * ago, so that how long ago something was has two digits all the while, but on the same day.
 */
export async function startStage(): Promise<Stage> {
  const now = Math.max(Date.now() - 1_800_000, new Date().setUTCHours(0, 0, 0, 0));
  const daemon = await startTestDaemon({ bundled: true, clock: { now: () => now } });
  return { ...daemon, screens: await prepareScreens(daemon) };
}

/** A budget, a run that ended well and one that the provider refused. Screens that run something come in their order. */
async function prepareScreens({ client }: TestDaemon): Promise<readonly MainScreen[]> {
  const limitAmount = { value: 50, unit: "CENT", currency: "USD" } as const;
  await client.createBudget({ body: { period: "DAY", limitAmount } });
  const { runId } = await client.startRun({
    body: { provider: "atlas", endpoint: "/time/transitions", input: thirtyChanges },
  });
  await client.startRun({ body: { provider: "atlas", endpoint: "/status/{code}", input: { code: 503 } } });
  return [
    { name: "home", words: [] },
    { name: "discover", words: ["discover", "sunrise", "and", "sunset", "--limit", "2"] },
    { name: "inspect", words: ["inspect", "atlas/sun"] },
    {
      name: "run-table",
      words: ["run", "atlas/time/transitions", "zone=Europe/Lisbon", "fromYear=2018", "toYear=2019"],
    },
    { name: "run-json", words: ["run", "atlas/sun", ...sunWords] },
    { name: "get-run", words: ["get-run", runId] },
    { name: "runs", words: ["runs"] },
    { name: "usage", words: ["usage"] },
    { name: "wallet", words: ["wallet"] },
    { name: "top", words: ["top"], until: "q: leave" },
  ];
}
