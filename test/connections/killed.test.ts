import { expect, test } from "vitest";
import { OAuthServer } from "../support/oauth-server.ts";
import { request } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { mktHome } from "../support/mkt-home.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";

const run = { provider: "accounts", endpoint: "/me", input: {} };

test("a daemon killed between the grant of a token and its keeping says to connect again, and spends nothing twice", async () => {
  await using server = await OAuthServer.start({ rotates: true, expiresIn: 0 });
  using home = mktHome();
  const options = {
    home,
    manifests: { accounts: server.manifest() },
    environment: { MKT_STARTING_CREDIT: "unlimited" },
  };
  let attempt: { readonly address: string };
  {
    await using daemon = await spawnDaemon(options);
    attempt = (await daemon.request("POST", "/v1/connections", { provider: "accounts" })).body;
    await request(await server.login(attempt.address));
    server.faults.push({ hangAfterGrant: true });
    const running = daemon.request("POST", "/v1/run", run).catch(() => undefined);
    await expect.poll(() => server.count("refresh_token")).toBe(1);
    await daemon.kill("SIGKILL");
    await running;
  }

  await using daemon = await spawnDaemon(options);
  const env = { ...home.environment, MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
  const refused = await daemon.request("POST", "/v1/run", run);
  const listed = await runMkt(["connections", "--json"], { env });
  const doctor = await runMkt(["doctor"], { env });

  expect(refused).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED", next: "mkt connect accounts" } });
  expect(refused.body.message).toContain("connect again: mkt connect accounts");
  expect(JSON.parse(listed.stdout).items).toMatchObject([{ state: "interrupted", next: "mkt connect accounts" }]);
  expect(doctor.stdout).toContain("mkt connect accounts");
  expect([server.count("refresh_token"), server.reuses]).toEqual([1, 0]);

  attempt = (await daemon.request("POST", "/v1/connections", { provider: "accounts" })).body;
  await request(await server.login(attempt.address));
  expect((await daemon.request("POST", "/v1/run", run)).body.status).toBe("COMPLETED");
}, 120_000);
