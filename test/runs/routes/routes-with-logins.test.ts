import { expect, test } from "vitest";
import { microDollars } from "../../controls/control-market.ts";
import { OAuthServer } from "../../support/oauth-server.ts";
import { askWith, request } from "../../support/request.ts";
import { serveRoutes } from "./serve-route.ts";

test("a route with a login is passed over until an account is connected, and after a yes it uses the account that is connected then", async () => {
  await using server = await OAuthServer.start({ expiresIn: 3_600 });
  const file = server.manifest({}, { rateLimit: { requests: 1_000, perMs: 1, concurrency: 1 } });
  const toMe = { endpoint: "accounts/me", input: {}, output: { login: "$.login" } };
  await using served = await serveRoutes({
    names: ["now"],
    routes: { who: { members: [toMe, { endpoint: "first/now" }] } },
    manifests: { accounts: file },
    environment: { MKT_ALLOW_PRIVATE_HOSTS: server.host },
  });
  const { daemon } = served;
  const owner = daemon.request;
  const connect = async () => {
    const { address } = (await owner("POST", "/v1/connections", { provider: "accounts" })).body;
    await request(await server.login(address));
  };
  const unconnected = (await owner("POST", "/v1/run", { provider: "routes", endpoint: "/who", input: { q: "x" } }))
    .body;
  await connect();
  const { key } = (await owner("POST", "/v1/api-keys", { label: "program", role: "member" })).body;
  await owner("POST", "/v1/controls/approval-rules", { limitAmount: microDollars(0.001), keyLabel: "program" });
  const ask = async () =>
    (await askWith(daemon.url, key)("POST", "/v1/run", { provider: "routes", endpoint: "/who", input: { q: "x" } }))
      .body;
  const approved = async (runId: string) => {
    expect((await owner("POST", `/v1/approvals/${runId}/approve`)).status).toBe(200);
    return (await owner("GET", `/v1/runs/${runId}?wait=10`)).body;
  };

  const first = await approved((await ask()).runId);
  const second = await ask();
  await connect();
  const withNew = await approved(second.runId);

  expect(unconnected).toMatchObject({ status: "COMPLETED", provider: "first" });
  expect([first.output, withNew.output]).toEqual([{ login: 1 }, { login: 2 }]);
});
