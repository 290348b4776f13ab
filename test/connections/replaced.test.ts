import { pino } from "pino";
import { expect, test } from "vitest";
import type { WorkspaceId } from "../../daemon/base/ids.ts";
import { ConnectedAccounts } from "../../daemon/connections/connected-accounts.ts";
import type { ConnectionRecord } from "../../daemon/connections/connection-record.ts";
import { bindingOf } from "../../daemon/connections/connection-standing.ts";
import { loginOf } from "../../daemon/connections/login.ts";
import { OAuthClient } from "../../daemon/connections/oauth-client.ts";
import { findLogin } from "../../daemon/manifest/login-auth.ts";
import { Connections } from "../../daemon/providers/sending/connections.ts";
import { createRedactor } from "../../daemon/redaction/redact.ts";
import { openConnectionFiles } from "../../daemon/storage/documents/connection-files.ts";
import { OAuthServer } from "../support/oauth-server.ts";
import { entryOf } from "../support/provider-entry.ts";
import { tempDir } from "../support/temp-dir.ts";

function openClient(allowedHost: string) {
  const connections = new Connections({ allowPrivateHosts: new Set([allowedHost]), privateHostsGranted: () => [] });
  const client = new OAuthClient({ connections, redactor: createRedactor(() => []) });
  return { client, [Symbol.asyncDispose]: async () => await connections.close() };
}

test("a login that is finished while the end of the one before is told stays, with its tokens", async () => {
  await using server = await OAuthServer.start({ rotates: true });
  using folder = tempDir();
  const logger = pino({ level: "silent" });
  const store = await openConnectionFiles(folder.path, { logger, learn: () => {} });
  const redactor = createRedactor(() => []);
  await using opened = openClient(server.host);
  const entry = entryOf(JSON.stringify({ mkt: 1, provider: "accounts", ...server.manifest() }), "/me");
  const auth = findLogin(entry.http.auth);
  if (auth === undefined) throw new Error("the file has no login");
  const { baseUrl, allowPrivateNetwork } = entry.http;
  const call = { provider: entry.provider, auth, baseUrl, allowPrivateNetwork, secrets: {} };
  const before: ConnectionRecord = {
    format: 1,
    connectionId: "first",
    workspaceId: "w1",
    provider: "accounts",
    connectedAt: "2026-11-23T08:00:00.000Z",
    connectedBy: "u1",
    binding: bindingOf(loginOf(call), [entry]),
    obtainedAt: "2026-11-23T08:00:00.000Z",
    expiresAt: "2026-11-23T09:00:00.000Z",
    accessToken: "spent",
    refreshToken: "taken-back-at-the-provider",
  };
  const { expiresAt: _never, ...after } = { ...before, connectionId: "second", accessToken: "new" };
  await store.put(before);
  const accounts = new ConnectedAccounts({
    store,
    client: async () => opened.client,
    clock: { now: () => Date.parse("2026-11-23T10:00:00.000Z") },
    redactor,
    logger,
    alerts: { failing: async () => await store.put(after), over: async () => {} },
  });
  const asked = { ...call, workspaceId: "w1" as WorkspaceId, signal: new AbortController().signal };

  await expect(accounts.get(asked)).rejects.toThrow("was replaced");

  expect(server.count("refresh_token")).toBe(1);
  expect(await accounts.get(asked)).toBe("new");
  const kept = await openConnectionFiles(folder.path, { logger, learn: () => {} });
  expect(kept.find("w1", "accounts")).toEqual(after);
});
