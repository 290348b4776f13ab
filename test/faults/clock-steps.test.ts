import { pino } from "pino";
import { expect, test } from "vitest";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { startDaemon } from "../../daemon/daemon.ts";
import { readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { mktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { startCountedProvider } from "./counted-provider.ts";
import { effort } from "../support/effort.ts";
import { addUp, readJournal } from "./journal-lines.ts";
import { seededRandom } from "./simulated-disk.ts";
import { reportTrial } from "./trial.ts";

const STEPS = effort(30, 1_000);
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

test(
  `the clock may step by years to and fro, ${STEPS} steps: order, money and runs are as ever, also after a restart`,
  async (context) => {
    await using provider = await startCountedProvider();
    using home = mktHome();
    const random = seededRandom(1);
    let skewMs = 0;
    const config = parseDaemonConfig(
      {
        port: "0",
        registryPort: "0",
        bundledCatalog: false,
        trustedCatalog: [home.writeCatalog("trusted", provider.manifests)],
        allowPrivateHost: ["127.0.0.1"],
      },
      { environment: home.environment, bundledCatalogDir, version: "0.1.0" },
    );
    const start = async () => {
      const daemon = await startDaemon(config, {
        createLogger: () => pino({ level: "silent" }),
        onFatal: () => {},
        clock: { now: () => Date.now() + skewMs },
        validateResponses: true,
      });
      const key = (await readLocalDaemonFile(config.configDir, config.dataDir))?.key ?? "";
      return { daemon, ask: askWith(daemon.ready.url, key) };
    };
    const bought: string[] = [];

    const first = await start();
    for (let step = 0; step < STEPS; step += 1) {
      skewMs = Math.floor((random() - 0.5) * 2 * YEAR_MS);
      const { status, body } = await first.ask("POST", "/v1/run", { provider: "counted", endpoint: "/buy" });
      expect(status).toBe(200);
      bought.push(body.runId);
    }
    const before = await listAll(first.ask);
    await first.daemon.close();
    skewMs = -YEAR_MS;
    const again = await start();
    const after = await listAll(again.ask);
    const wallet = (await again.ask("GET", "/v1/wallet/balance")).body;
    await again.daemon.close();

    expect(before).toEqual(bought.toReversed());
    expect(after).toEqual(before);
    expect(addUp(readJournal(home.dataDir)).broken).toEqual([]);
    expect(wallet.held.value).toBe(0);
    expect(wallet.balance.value).toBeCloseTo(10 - bought.length * 0.01, 6);
    reportTrial(context, { what: "the clock steps by up to a year", tried: STEPS, lost: 0 });
  },
  60_000 + STEPS * 200,
);

async function listAll(ask: ReturnType<typeof askWith>): Promise<string[]> {
  const runIds: string[] = [];
  let cursor = "";
  do {
    const { body } = await ask(
      "GET",
      `/v1/runs?limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    runIds.push(...body.items.map(({ runId }: { runId: string }) => runId));
    cursor = body.cursor ?? "";
  } while (cursor !== "");
  return runIds;
}
