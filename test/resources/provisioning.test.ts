import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { request } from "../support/request.ts";
import { openPhoneMarket, type PhoneMarket, scriptPhones } from "./phone-market.ts";

let upstream: FakeProvider;
let market: PhoneMarket;

beforeAll(async () => {
  upstream = await startFakeProvider();
  market = await openPhoneMarket(upstream, { environment: { MKT_STARTING_CREDIT: "1000" } });
});

beforeEach(() => scriptPhones(upstream));

afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

describe("a run that makes a resource", () => {
  test("charges its call and the rent of the first period, and says what it made", async () => {
    const before = await market.balance();

    const { run, resourceId } = await market.buy();

    expect(run).toMatchObject({
      status: "COMPLETED",
      billing: {
        calculatedCost: { value: 2_050_000 },
        actualCost: { value: 2_050_000 },
        reportedCost: { value: 2_050_000 },
      },
      resources: [{ action: "PROVISIONED", resourceType: "phone_number", identifier: expect.stringMatching(/^\+351/) }],
    });
    expect(await market.balance()).toBeCloseTo(before - 2.05, 6);
    const read = await market.daemon.request("GET", `/v1/runs/${run.runId}`);
    expect(read.body.resources).toEqual(run.resources);
    expect(await market.resource(resourceId)).toMatchObject({
      provider: "phonedesk",
      providerName: "Phonedesk",
      resourceSlug: "phone-number",
      resourceType: "phone_number",
      externalId: expect.stringMatching(/^pn-/),
      identifier: run.resources[0].identifier,
      phoneNumber: run.resources[0].identifier,
      country: "PT",
      state: "ACTIVE",
      releasable: true,
      provisionedBy: expect.stringMatching(/^API_KEY#/),
      renewal: {
        price: { type: "BY_PERIOD", amount: { value: 2, currency: "USD" }, period: { unit: "MONTH", count: 1 } },
        renewLead: { unit: "DAY", count: 3 },
        cycle: 1,
      },
      externalResources: [{ kind: "phone-number", displayName: "Phone number" }],
    });
    expect(await market.events(resourceId)).toMatchObject([
      { type: "PROVISIONED", cycle: 1, amount: { value: 2, currency: "USD" } },
    ]);
  });

  test("is quoted and held with the rent", async () => {
    const asked = { provider: "phonedesk", endpoint: "/numbers/buy", input: { body: { country: "PT" } } };

    const quote = await market.daemon.request("POST", "/v1/quote", asked);
    const capped = await market.daemon.request("POST", "/v1/run", {
      ...asked,
      maxCost: { value: 2.04, currency: "USD" },
    });

    expect(quote.body).toMatchObject({ estimate: { value: 2.05 }, maximum: { value: 2.05 } });
    expect(capped.status).toBe(402);
  });

  test("hints at giving it back, and the CLI gets the id to do it", async () => {
    const { run, resourceId } = await market.buy();

    expect(run.hints).toEqual({ "give it back": `POST /v1/resources/${resourceId}/release` });
  });

  test("without a readable id has PROVISION_FAILED, no rent, and a note", async () => {
    upstream.on("POST /numbers", { status: 201, json: { number: "+351910000009" } });

    const run = await market.run("/numbers/buy", { country: "PT" });

    expect(run).toMatchObject({
      status: "COMPLETED",
      billing: { reportedCost: { value: 50_000 } },
      resources: [{ action: "PROVISION_FAILED", resourceType: "phone_number", identifier: "Phone number" }],
      notes: [expect.stringContaining("rent was not charged")],
    });
    expect(await market.resource(run.resources[0].resourceId)).toMatchObject({
      state: "PROVISION_FAILED",
      releasable: false,
    });
  });

  test("that the provider refuses makes nothing and costs nothing", async () => {
    upstream.on("POST /numbers", { status: 422, json: { error: { message: "no such country" } } });
    const before = await market.balance();

    const run = await market.run("/numbers/buy", { country: "XX" });

    expect(run).toMatchObject({
      status: "COMPLETED",
      billing: { calculatedCost: { value: 2_050_000 }, actualCost: { value: 0 }, reportedCost: { value: 0 } },
    });
    expect(run).not.toHaveProperty("resources");
    expect(await market.balance()).toBeCloseTo(before, 6);
  });

  test("that loses its answer says that the provider may have made something", async () => {
    upstream.on("POST /numbers", { reset: true });

    const run = await market.run("/numbers/buy", { country: "PT" });

    expect(run).toMatchObject({
      status: "FAILED",
      providerMayHaveCharged: true,
      billing: { reportedCost: { value: 0 } },
      notes: [expect.stringContaining("may have made a resource (Phone number)")],
    });
  });

  test("may make one that costs nothing while it stays, by a number for an id", async () => {
    const run = await market.run("/relics/make");

    const resource = await market.resource(run.resources[0].resourceId);
    expect(resource).toMatchObject({ externalId: "7", identifier: "7", resourceType: "machine", state: "ACTIVE" });
    expect(resource).not.toHaveProperty("renewal");
    expect(resource).not.toHaveProperty("externalResources");
  });

  test("says on inspect what it goes on costing", async () => {
    const { body } = await market.daemon.request("POST", "/v1/inspect", {
      provider: "phonedesk",
      endpoint: "/numbers/buy",
    });

    expect(body.notes.join()).toContain("costs $2 per month, paid ahead, until it is released");
  });
});

describe("a run that needs a resource", () => {
  const refused = async (endpoint: string, field: string, id: string) => {
    const { status, body } = await market.daemon.request("POST", "/v1/run", {
      provider: "phonedesk",
      endpoint,
      input: { body: { [field]: id } },
    });
    return { status, message: body.message as string };
  };

  test("goes through with one that the workspace has", async () => {
    const { externalId } = await market.buy();

    expect(await market.run("/messages/send", { from: externalId })).toMatchObject({ status: "COMPLETED" });
    expect(await market.run("/numbers/label", { number: externalId })).toMatchObject({ status: "COMPLETED" });
  });

  test.each([
    ["/messages/send", "from"],
    ["/numbers/label", "number"],
    ["/numbers/drop", "number"],
  ])("%s is 404 before any call for an unknown one", async (endpoint, field) => {
    const calls = upstream.calls.length;

    expect(await refused(endpoint, field, "pn-none")).toEqual({
      status: 404,
      message: 'This workspace has no phone-number "pn-none"; GET /v1/resources lists those it has',
    });
    expect(upstream.calls).toHaveLength(calls);
  });

  test("is 404 in the same words for one of another workspace, and for one of another kind", async () => {
    const { externalId } = await market.buy();
    const made = await market.daemon.request("POST", "/v1/admin/workspaces", { name: "Neighbour" });
    const key = await market.daemon.request("POST", `/v1/admin/workspaces/${made.body.workspaceId}/api-keys`, {
      label: "theirs",
    });
    const asked = (id: string) => ({
      provider: "phonedesk",
      endpoint: "/messages/send",
      input: { body: { from: id } },
    });

    const foreign = await request(`${market.daemon.url}/v1/run`, "POST", {
      key: key.body.key,
      body: asked(externalId),
    });
    const run = await market.run("/locks/make");
    const ofOtherKind = await refused(
      "/messages/send",
      "from",
      (await market.resource(run.resources[0].resourceId)).externalId,
    );

    expect(foreign.status).toBe(404);
    expect(foreign.body.message).toBe(
      `This workspace has no phone-number "${externalId}"; GET /v1/resources lists those it has`,
    );
    expect(ofOtherKind.status).toBe(404);
  });

  test("does not take the name of one for its id", async () => {
    const { run } = await market.buy();

    expect((await refused("/messages/send", "from", run.resources[0].identifier)).status).toBe(404);
  });

  test("ends the one that it releases, with the charge in one line", async () => {
    const { externalId, resourceId } = await market.buy();

    const run = await market.run("/numbers/drop", { number: externalId });

    expect(run.resources).toMatchObject([{ action: "RELEASED", resourceId }]);
    expect(await market.resource(resourceId)).toMatchObject({
      state: "RELEASED",
      releaseReasonCode: "RUN",
      releasable: false,
    });
    expect(upstream.count(`DELETE /numbers/${externalId}`)).toBe(0);
    expect((await refused("/messages/send", "from", externalId)).status).toBe(404);
  });

  test("leaves it as it is when the provider refuses", async () => {
    const { externalId, resourceId } = await market.buy();
    upstream.on("POST /drop", { status: 409, json: { message: "calls are under way" } });

    const run = await market.run("/numbers/drop", { number: externalId });

    expect(run.resources).toMatchObject([{ action: "RELEASE_FAILED", resourceId }]);
    expect(await market.resource(resourceId)).toMatchObject({ state: "ACTIVE" });
    expect((await market.events(resourceId)).at(-1)).toMatchObject({
      type: "RELEASE_FAILED",
      reason: expect.stringContaining("calls are under way"),
    });
  });
});

describe("reading resources", () => {
  test("lists them newest first, by pages and filters", async () => {
    const first = await market.buy();
    const second = await market.buy();
    const list = async (query: string) => (await market.daemon.request("GET", `/v1/resources?${query}`)).body;

    const page = await list("limit=1&state=ACTIVE&provider=phonedesk&resourceType=phone_number");
    const next = await list(`limit=1&state=ACTIVE&cursor=${page.cursor}`);

    expect(page.items.map((item: any) => item.resourceId)).toEqual([second.resourceId]);
    expect(next.items.map((item: any) => item.resourceId)).toEqual([first.resourceId]);
    expect((await list("provider=nobody")).items).toEqual([]);
    expect(await list(`parent=${first.resourceId}`)).toEqual({ items: [] });
    expect((await list("parent=01JD0000000000000000000000")).code).toBe(404);
    expect((await list("resourceType=machine")).code).toBe(400);
  });

  test("reads the live detail from the provider, sanitised, and stores nothing", async () => {
    const { resourceId, externalId } = await market.buy();
    const before = await market.resource(resourceId);

    const live = await market.daemon.request("GET", `/v1/resources/${resourceId}/external/phone-number`);

    expect(live.body).toEqual({
      kind: "phone-number",
      displayName: "Phone number",
      label: before.identifier,
      data: { e164: `+351 /numbers/${externalId}`, country: "PT" },
    });
    expect(await market.resource(resourceId)).toEqual(before);
  });

  test.each([
    ["does not answer", { reset: true } as const],
    ["fails", { status: 500, json: { message: "down" } }],
    ["knows it no longer", { status: 404 }],
  ])("is 502 while the provider %s", async (_title, answer) => {
    const { resourceId } = await market.buy();
    upstream.on("GET /numbers/*", answer);

    const live = await market.daemon.request("GET", `/v1/resources/${resourceId}/external/phone-number`);

    expect(live.status).toBe(502);
  });

  test("is 404 for a kind of detail that it does not have", async () => {
    const { resourceId } = await market.buy();

    expect((await market.daemon.request("GET", `/v1/resources/${resourceId}/external/messages`)).status).toBe(404);
  });

  test("pages events oldest first", async () => {
    const { resourceId } = await market.buy();
    await market.daemon.request("POST", `/v1/resources/${resourceId}/release`);
    const events = async (query: string) =>
      (await market.daemon.request("GET", `/v1/resources/${resourceId}/events?${query}`)).body;

    const page = await events("limit=1");
    const next = await events(`limit=1&cursor=${page.cursor}`);

    expect(page.items).toMatchObject([{ type: "PROVISIONED" }]);
    expect(next.items).toMatchObject([{ type: "RELEASE_REQUESTED" }]);
    expect(next).not.toHaveProperty("cursor");
  });
});
