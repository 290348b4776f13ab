import { request as requestBy } from "undici";
import { describe, expect, test } from "vitest";
import { Connections } from "../../daemon/providers/sending/connections.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { entryOf } from "../support/provider-entry.ts";

const { provider: version } = entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "https://vendor.internal", allowPrivateNetwork: true}
endpoints:
  /item:
    request: {method: GET, path: /item}
    price: {type: FREE}
`);

test("connections that were made under a grant of a private host are not used once it is taken back", async () => {
  let granted: readonly string[] = ["vendor.internal"];
  const connections = new Connections({ allowPrivateHosts: new Set(), privateHostsGranted: () => granted });
  const target = { provider: "vendor", version, allowPrivateNetwork: true };
  const underGrant = connections.to(target);
  expect(connections.to(target)).toBe(underGrant);

  granted = [];

  const { kept, unrepeated } = connections.to(target);
  expect(kept).not.toBe(underGrant.kept);
  expect(unrepeated).not.toBe(underGrant.unrepeated);
  await connections.close();
});

describe("the connections of a provider", () => {
  const minuteMs = 60_000;
  const open = (allowPrivateHosts: readonly string[] = []) => {
    const clock = { nowMs: 0 };
    const options = { allowPrivateHosts: new Set(allowPrivateHosts), privateHostsGranted: () => [] };
    const connections = new Connections({ ...options, nowMs: () => clock.nowMs });
    const to = (provider: string) => connections.to({ provider, allowPrivateNetwork: true });
    return { clock, to, size: () => connections.size, [Symbol.asyncDispose]: async () => await connections.close() };
  };

  test("are dropped when nobody called it for ten minutes, and made anew", async () => {
    await using opened = open();
    const before = opened.to("rare");
    opened.clock.nowMs += 9 * minuteMs;
    opened.to("other");
    expect(opened.to("rare")).toBe(before);
    opened.clock.nowMs += 10 * minuteMs;
    opened.to("other");

    expect(opened.size()).toBe(1);
    expect(opened.to("rare")).not.toBe(before);
  });

  test("of more than a thousand are dropped after a minute", async () => {
    await using opened = open();
    for (let number = 0; number < 3_000; number += 1) {
      opened.clock.nowMs += 100;
      opened.to(`provider-${number}`);
    }

    expect(opened.size()).toBe(1_000);
  });

  test.each(["kept", "unrepeated"] as const)("stay while a call is under way on them (%s)", async (which) => {
    await using upstream = await startFakeProvider();
    const held = gate();
    upstream.on("GET /slow", { after: held.opened, text: "at last" });
    await using opened = open([upstream.host]);
    const before = opened.to("slow");
    const calling = requestBy(`${upstream.url}/slow`, { dispatcher: before[which] });
    await expect.poll(() => upstream.count("GET /slow")).toBe(1);
    opened.clock.nowMs += 60 * minuteMs;
    opened.to("other");
    held.open();

    expect(await (await calling).body.text()).toBe("at last");
    expect(opened.to("slow")).toBe(before);
  });
});
