import { describe, expect, test } from "vitest";
import { createRedactor } from "../../daemon/redaction/redact.ts";
import { Connections } from "../../daemon/providers/sending/connections.ts";
import { findLogin } from "../../daemon/manifest/login-auth.ts";
import type { Login } from "../../daemon/connections/login.ts";
import { OAuthClient } from "../../daemon/connections/oauth-client.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { entryOf } from "../support/provider-entry.ts";

const SPELLINGS = [
  "127.0.0.1",
  "127.1",
  "0x7f.1",
  "0x7f000001",
  "0177.0.0.1",
  "2130706433",
  "127.0.0.1.",
  "①②⑦.0.0.1",
  "0",
  "0.0.0.0",
  "127.255.255.254",
  "[::1]",
  "[::]",
  "[::ffff:7f00:1]",
  "[::ffff:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[::127.0.0.1]",
  "localhost",
  "localhost.",
  "app.localhost",
  "10.0.0.1",
  "192.168.0.1",
  "169.254.169.254",
  "[fd00::1]",
];

const tokenUrl = "https://login.example/token";

function loginAt(auth: Readonly<Record<string, string>>, allowPrivateNetwork: boolean): Login {
  const members = { authorizationUrl: "https://login.example/authorize", tokenUrl, revocationUrl: tokenUrl, ...auth };
  const entry = entryOf(`
mkt: 1
provider: stranger
http:
  baseUrl: https://api.example
  allowPrivateNetwork: true
  auth: {type: oauth2, flow: authorizationCode, clientId: me, ${Object.entries(members)
    .map(([name, url]) => `${name}: "${url}"`)
    .join(", ")}}
endpoints:
  /x:
    request: {method: GET, path: /x}
    price: {type: FREE}
`);
  const login = findLogin(entry.http.auth);
  if (login === undefined) throw new Error("the file has no login");
  const { provider } = entry;
  return { provider, auth: login, clientId: "me", allowPrivateNetwork, baseUrl: "https://api.example" };
}

function openClient() {
  const connections = new Connections({ allowPrivateHosts: new Set(), privateHostsGranted: () => [] });
  const client = new OAuthClient({ connections, redactor: createRedactor(() => []) });
  return { client, [Symbol.asyncDispose]: async () => await connections.close() };
}

describe("a stranger's file cannot have a login call ourselves", () => {
  test.each(SPELLINGS)("as %s, whatever the scheme and the member", async (host) => {
    await using canary = await startFakeProvider();
    await using opened = openClient();
    const { client } = opened;
    const redirectUri = "http://127.0.0.1:1/oauth/callback/stranger";

    for (const scheme of ["https", "http"]) {
      const url = `${scheme}://${host}:${canary.port}/token`;
      for (const mayAsk of [false, true]) {
        for (const auth of [{ authorizationUrl: url }, { tokenUrl: url }]) {
          await expect(client.begin(loginAt(auth, mayAsk), { state: "s", redirectUri })).rejects.toThrow(
            /private|without TLS/,
          );
        }
        const parameters = new URLSearchParams({ code: "c", state: "s" });
        const answer = { parameters, state: "s", verifier: "v".repeat(43), redirectUri };
        expect(await client.exchange(loginAt({ tokenUrl: url }, mayAsk), answer)).toMatchObject({
          kind: "failed",
          maybeDone: false,
        });
        expect(await client.renew(loginAt({ refreshUrl: url }, mayAsk), "refresh")).toMatchObject({
          kind: "failed",
          maybeDone: false,
        });
        expect(await client.revoke(loginAt({ revocationUrl: url }, mayAsk), "refresh")).toEqual(expect.any(String));
      }
    }

    expect(canary.accepted()).toBe(0);
  });
});
