import { expect, test } from "vitest";
import { Connections } from "../../daemon/providers/sending/connections.ts";
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
