import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { operations } from "../../shared/contract/index.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { roleScopes } from "../../shared/contract/role-scopes.ts";
import { grants } from "../../shared/contract/scope-grants.ts";
import { examplePath, exampleRequest } from "../spec/example-request.ts";
import { type Answer, askWith, request } from "../support/request.ts";
import type { Market } from "../spec/market.ts";
import { all, askFor, entryOf, type Naming, namings, nobodys, ownFor } from "./isolation/ask-for.ts";
import { entries, missingIn, type Thing } from "./isolation/entries.ts";
import { openMarkedMarket, openMember, openTenant, type Tenant } from "./isolation/tenants.ts";
import { tried } from "./tried.ts";

/**
 * Nobody learns that another's things are there, by any route. Generated from the list of operations, so that a route
 * that is added is in it. docs/security.md, T19; docs/contract.md, "Isolation".
 */

/** Far more than a round of all operations takes. */
const HANG_MS = 180_000;

let market: Market;
let ann: Tenant;
let bob: Tenant;
beforeAll(async () => {
  market = await openMarkedMarket();
  ann = await openTenant(market.daemon, "amaryllis");
  bob = await openTenant(market.daemon, "bougainvillea");
});
afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

const asked = all.filter(({ auth }) => auth === "user" || auth === "workspace");
const open = all.filter(({ auth }) => auth === "none");
const titled = (list: readonly Naming[]) => list.map((naming) => [naming.title, naming] as const);

describe("the table of what every operation takes", () => {
  test("has all operations, and all that they take", () => {
    expect(missingIn(all, entries)).toEqual([]);
  });

  test("tells what to write for a route that it does not have", () => {
    const route = (operationId: string, query?: z.ZodObject) =>
      ({ ...operations.listScopes, operationId, ...(query !== undefined && { query }) }) as Operation;

    expect(missingIn([route("listNotes")], {})).toEqual([
      "listNotes has no entry in test/security/isolation/entries.ts: write what of a workspace it takes, {} if nothing",
    ]);
    expect(missingIn([route("listNotes", z.object({ noteId: z.string() }))], { listNotes: {} })).toEqual([
      expect.stringMatching(/^listNotes takes query\.noteId: say in its entry .* what thing of a workspace that names/),
    ]);
    expect(missingIn([route("listNotes")], { listNotes: "operator" })).toHaveLength(1);
    expect(missingIn([route("listNotes")], { listNotes: { "query.gone": "run" } })).toHaveLength(1);
  });
});

const byName = namings.filter((naming): naming is NamingOfThing => naming.thing !== "cursor");

describe("what belongs to another workspace", () => {
  let ivy: Tenant;
  let jay: Tenant;
  beforeAll(async () => {
    ivy = await openTenant(market.daemon, "honeysuckle");
    jay = await openTenant(market.daemon, "jasmine");
  });

  test.each(titled(byName))("%s answers as for what does not exist", async (_title, naming) => {
    await expectUnknown(naming as NamingOfThing, { owner: ann, other: bob });
  });

  test(
    "is in no answer to anybody else, whatever they ask, whichever workspace they name",
    { timeout: HANG_MS },
    async (context) => {
      const hers = await marksIn([ivy, jay], await askEverything(ivy));

      const answers = [
        ...(await askEverything(jay)),
        ...(await askEverything(jay, { "x-workspace-id": ivy.workspaceId })),
      ];

      expect(hers.size).toBeGreaterThan(20);
      for (const { title, answer } of answers) expect([title, ...found(hers, answer)]).toEqual([title]);
      tried(context, byName.length + answers.length, "requests for another workspace's things, or for everything");
    },
  );

  test("is not in what everybody may read, on either port, with any key", { timeout: HANG_MS }, async (context) => {
    const hers = await marksIn([ivy, jay], await askEverything(ivy));
    const { url, registryUrl } = market.daemon;

    for (const operation of open) {
      const ports = [url, ...(operation.path.startsWith("/public/") ? [registryUrl] : [])];
      const path = examplePath(operation);
      const ask = async (base: string, key?: string) =>
        await request(`${base}${path}`, operation.method, { ...exampleRequest(operation), key });
      for (const base of ports) {
        const answers = await Promise.all([ask(base), ask(base, ann.key), ask(base, bob.key)]);
        for (const answer of answers) expect([path, ...found(hers, answer)]).toEqual([path]);
        // How long it has been up is another at each time.
        const texts = answers.map(({ text }) => text.replace(/"uptimeMs":[\d.]+/, ""));
        expect(new Set(texts).size, path).toBe(1);
      }
    }
    tried(context, open.length * 6, "requests for what everybody may read");
  });

  test("is not behind the port of the registry either, even for its owner", async (context) => {
    const { registryUrl } = market.daemon;
    const others = all.filter(({ path }) => !path.startsWith("/public/v1/"));

    for (const operation of others) {
      const path = examplePath(operation);
      const answer = await request(`${registryUrl}${path}`, operation.method, {
        ...exampleRequest(operation),
        key: ann.key,
      });
      expect([operation.operationId, answer.status]).toEqual([operation.operationId, 404]);
    }
    tried(context, others.length, "requests at the registry's port");
  });

  test.each(
    asked
      .filter(({ idempotent }) => idempotent === true)
      .map((operation) => [operation.operationId, operation] as const),
  )("%s with an Idempotency-Key of another's makes a thing of one's own", async (_title, operation) => {
    const headers = { "idempotency-key": `the-same-of-${operation.operationId}` };
    const hers = await askFor(operation, ann, { headers });
    const idOf = ({ body }: Answer) =>
      body.runId ??
      body.budgetControlId ??
      body.runCapControlId ??
      body.ruleId ??
      body.scheduleId ??
      body.webhookId ??
      body.key;

    const his = await askFor(operation, bob, { headers });
    const again = await askFor(operation, ann, { headers, body: exampleRequest(operation).body as object });

    expect([200, 201]).toContain(hers.status);
    expect(his.status).toBe(hers.status);
    expect(idOf(his)).toEqual(expect.any(String));
    expect(idOf(his)).not.toBe(idOf(hers));
    expect(his.body.retryOf).toBeUndefined();
    // Her own key is taken: what differs is another request, what does not is answered again.
    expect(again.status === 422 || idOf(again) === idOf(hers) || operation.operationId === "createApiKey").toBe(true);
  });
});

describe("a key that was revoked", () => {
  test("is told of its own things what an unknown key is told, everywhere", { timeout: HANG_MS }, async (context) => {
    const { key, label } = (await ann.ask("POST", "/v1/api-keys", { label: "gone" })).body;
    await ann.ask("POST", `/v1/api-keys/${label}/revoke`);
    const gone = { ...ann, ask: askWith(market.daemon.url, key) };
    const unknown = { ...ann, ask: askWith(market.daemon.url, `${key.slice(0, -1)}_`) };

    for (const operation of asked) {
      const params = await paramsOf(operation, ann);
      const answers = [await askFor(operation, gone, { params }), await askFor(operation, unknown, { params })];
      expect(answers.map(({ status }) => status)).toEqual([401, 401]);
      expect(answers[0]?.text).toBe(answers[1]?.text);
      expect(headersOf(answers[0] as Answer)).toEqual(headersOf(answers[1] as Answer));
    }
    tried(context, asked.length, "requests with a revoked key");
  });
});

describe("what another key of the workspace made", () => {
  const keyMade = byName.filter(
    ({ operation, thing }) =>
      ["run", "endedRun", "resource", "number", "tag", "tagName"].includes(thing) && memberMay(operation),
  );
  let ada: Tenant;
  let ben: Tenant;
  beforeAll(async () => {
    const shared = await openTenant(market.daemon, "edelweiss");
    ada = await openMember(market.daemon, shared, "forsythia");
    ben = await openMember(market.daemon, shared, "gardenia");
  });

  test.each(titled(keyMade))("%s answers a member as for what does not exist", async (_title, naming) => {
    await expectUnknown(naming as NamingOfThing, { owner: ada, other: ben });
  });

  test("is in no answer to a member, whatever it asks", { timeout: HANG_MS }, async (context) => {
    const hers = await marksIn([ada, ben], await askEverything(ada));

    const answers = await askEverything(ben);

    expect(hers.size).toBeGreaterThan(10);
    for (const { title, answer } of answers) expect([title, ...found(hers, answer)]).toEqual([title]);
    tried(context, keyMade.length + answers.length, "requests of a member for another key's things, or for everything");
  });
});

function memberMay({ scope }: Operation): boolean {
  return scope === undefined || grants(roleScopes.member, scope);
}

/** Every operation of keys that the asker's role allows, with things of the asker's own, and with each filter that it takes. */
async function askEverything(
  asker: Tenant,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly title: string; readonly answer: Answer }[]> {
  const answers = [];
  for (const operation of asked.filter(({ scope }) => asker.may(scope))) {
    answers.push({ title: operation.operationId, answer: await askFor(operation, asker, { headers }) });
  }
  for (const { title, operation, place, thing, ask } of byName as NamingOfThing[]) {
    if (place.startsWith("params.") || !asker.may(operation.scope) || !canMake(asker, thing)) continue;
    answers.push({ title, answer: await ask(asker, await ownFor(operation, asker, thing), headers) });
  }
  return answers;
}

/** A member makes no keys. */
function canMake(asker: Tenant, thing: NamingOfThing["thing"]): boolean {
  return asker.may("api_keys:create") || !["label", "newLabel"].includes(thing);
}

async function paramsOf(operation: Operation, owner: Tenant): Promise<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const [place, thing] of Object.entries(entryOf(operation)) as [string, Thing][]) {
    if (!place.startsWith("params.") || thing === "cursor") continue;
    params[place.slice("params.".length)] = await ownFor(operation, owner, thing);
  }
  return params;
}

/** By what somebody's things can be told: their ids, keys, actors, and the marks of those who made them. */
const marks = /\b(?:[0-9A-HJKMNP-TV-Z]{26}|mkt_live_[0-9A-Za-z]+|(?:API_KEY|USER)#\w+)\b/g;

/** The marks in what somebody was answered, but for those of whom both have to do with: their operator, a common workspace. */
async function marksIn(
  [owner, other]: readonly [Tenant, Tenant],
  answers: readonly { readonly answer: Answer }[],
): Promise<Set<string>> {
  const others = await Promise.all(
    ["/v1/auth/whoami", `/v1/api-keys/${other.mark}-owner`].map((path) => other.ask("GET", path)),
  );
  const common = new Set(others.flatMap(({ text }) => text.match(marks) ?? []));
  const hers = answers.flatMap(({ answer }) => textOf(answer).match(marks) ?? []);
  return new Set([owner.mark, ...hers.filter((mark) => !common.has(mark))]);
}

function found(sought: ReadonlySet<string>, answer: Answer): string[] {
  const text = textOf(answer);
  return [...sought].filter((mark) => text.includes(mark));
}

/** Body and headers. The id of a request is another for each, and nobody's thing. */
function textOf({ text, headers }: Answer): string {
  const lines = [...headers].filter(([name]) => name !== "x-request-id").map(([name, value]) => `${name}: ${value}`);
  return `${lines.join("\n")}\n\n${text}`;
}

type NamingOfThing = Naming & { readonly thing: Exclude<Naming["thing"], "cursor"> };

/** The other's answer is that for something that nobody has; and the owner's is not, or the test would show nothing. */
async function expectUnknown(
  { operation, thing, place, ask }: NamingOfThing,
  { owner, other }: { owner: Tenant; other: Tenant },
): Promise<void> {
  const name = await owner.make(thing);
  const nobody = nobodys(thing);

  const foreign = await ask(other, name);
  const unknown = await ask(other, nobody);
  const own = await ask(owner, name);

  if (place.startsWith("params.")) expect(foreign.status).toBe(404);
  if (thing === "newLabel") {
    expect([foreign.status, Object.keys(foreign.body)]).toEqual([unknown.status, Object.keys(unknown.body)]);
    expect(own.status).toBe(409);
    return;
  }
  expect([foreign.status, foreign.text.replaceAll(name, nobody)]).toEqual([unknown.status, unknown.text]);
  expect(headersOf(foreign)).toEqual(headersOf(unknown));
  expect([own.status, own.text.replaceAll(name, nobody)], operation.operationId).not.toEqual([
    unknown.status,
    unknown.text,
  ]);
  if (place.startsWith("params.")) expect(own.status).not.toBe(404);
}

/** Without what differs for every answer. */
function headersOf({ headers }: Answer): [string, string][] {
  const own = ["x-request-id", "date", "content-length"];
  return [...headers].filter(([name]) => !own.includes(name)).sort(([one], [other]) => (one < other ? -1 : 1));
}

describe("the place in another's list", () => {
  let hers: Filled;
  let his: Filled;
  beforeAll(async () => {
    hers = await fill(await openTenant(market.daemon, "chrysanthemum"));
    his = await fill(await openTenant(market.daemon, "delphinium"));
  });

  test.each(titled(namings.filter(({ thing }) => thing === "cursor")))(
    "%s shows nothing of it",
    async (_title, { operation }) => {
      const list = async ({ tenant, params }: Filled, query: Record<string, string>) =>
        await askFor(operation, tenant, { params, query });
      const { cursor } = (await list(hers, { limit: "1" })).body;
      const own = (await list(his, { limit: "100" })).body.items as object[];

      const answer = await list(his, { limit: "100", cursor });

      expect(cursor).toEqual(expect.any(String));
      expect([200, 400]).toContain(answer.status);
      expect(answer.text).not.toContain(hers.tenant.mark);
      for (const item of answer.body.items ?? []) expect(own).toContainEqual(item);
    },
  );
});

/** A tenant with at least two of whatever there are lists of, and the things that have lists of their own. */
interface Filled {
  readonly tenant: Tenant;
  readonly params: Readonly<Record<string, string>>;
}

async function fill(tenant: Tenant): Promise<Filled> {
  const { make } = tenant;
  const [budgetControlId, runCapControlId] = [await make("budget"), await make("runCap")];
  for (const thing of [
    "budget",
    "runCap",
    "schedule",
    "schedule",
    "waiting",
    "waiting",
    "label",
    "label",
    "resource",
  ] as const)
    await make(thing);
  const [resourceId, runId] = [await make("resource"), await make("run")];
  await tenant.ask("POST", `/v1/resources/${resourceId}/release`);
  const webhookId = await make("webhook");
  await tenant.ask("POST", `/v1/webhooks/${webhookId}/test`);
  await tenant.ask("POST", `/v1/webhooks/${webhookId}/test`);
  return { tenant, params: { budgetControlId, runCapControlId, resourceId, runId, webhookId } };
}
