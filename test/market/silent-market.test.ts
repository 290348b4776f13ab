import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { writeRoute } from "../runs/routes/serve-route.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { marketManifest } from "./two-daemons.ts";

test("a run does not wait for the price of a market behind its own endpoint", async () => {
  const [asked, givenUp] = [gate(), gate<"given up">()];
  const silent = createServer((_request, response) => {
    asked.open();
    response.on("close", () => givenUp.open("given up"));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  await using own = await startFakeProvider();
  using home = mktHome();
  own.on("POST /do", { json: { did: true } });
  const ownFile = {
    http: { baseUrl: own.url, allowPrivateNetwork: true },
    endpoints: { "/do": { request: { method: "POST" }, price: { type: "PER_CALL", amount: 0.02 } } },
  };
  writeRoute(home, "own-first", { input: {}, members: [{ endpoint: "own/do" }, { endpoint: "team-acme/gone" }] });
  try {
    await using laptop = await startTestDaemon({
      home,
      environment: { TEAM_KEY: "mkt_silent" },
      manifests: {
        own: ownFile,
        "team-acme": marketManifest(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`),
      },
    });
    const running = laptop.request("POST", "/v1/run", { provider: "routes", endpoint: "/own-first", input: {} });
    await asked.opened;

    // The question itself goes on, as only its end tells whether the market is away.
    const first = await Promise.race([running, givenUp.opened]);

    expect(first).toMatchObject({ body: { provider: "own", status: "COMPLETED", output: { did: true } } });
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});
