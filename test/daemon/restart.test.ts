import { describe, expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { freePort } from "../support/free-port.ts";
import { mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

function shop(baseUrl: string, idempotent: boolean): object {
  return {
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/buy": { request: { method: "POST", path: "/buy" }, idempotent, price: { type: "PER_CALL", amount: 0.01 } },
    },
  };
}

/** Asks again and again until somebody answers on the port. */
async function buyAsSoonAsOpen(port: number, key: string): Promise<number> {
  for (;;) {
    try {
      const body = { provider: "shop", endpoint: "/buy" };
      const answer = await request(`http://127.0.0.1:${port}/v1/run`, "POST", { key, body });
      return answer.status;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

describe("callers who are there before the daemon is", () => {
  test.each([false, true])("get their runs made once, idempotent: %s", async (idempotent) => {
    await using provider = await startFakeProvider();
    provider.on("POST /buy", { delayMs: 300, json: { bought: true } });
    using home = mktHome();
    const port = await freePort();
    const options = { home, manifests: { shop: shop(provider.url, idempotent) }, config: { port } };
    const first = await startTestDaemon(options);
    await first.daemon.close();

    const callers = Array.from({ length: 4 }, async () => await buyAsSoonAsOpen(port, first.key));
    await using second = await startTestDaemon(options);

    expect(await Promise.all(callers)).toEqual([200, 200, 200, 200]);
    expect(provider.count("POST /buy")).toBe(4);
    expect((await second.client.getWalletBalance({})).held.value).toBe(0);
  });
});
