import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { microDollars } from "../../controls/control-market.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { OAuthServer } from "../../support/oauth-server.ts";
import { askWith, request as requestPage } from "../../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../../support/start-daemon.ts";

/** A daemon in whose world every situation of the table can be met. */
export interface Scene extends AsyncDisposable {
  readonly daemon: TestDaemon;
  /** Where the daemon lives. */
  readonly home: MktHome;
  /** A home in which no daemon runs. */
  readonly emptyHome: MktHome;
  /** The words of a command line, each `{name}` in them made real: things that a command uses up are made anew. */
  readonly wordsOf: (line: string) => Promise<string[]>;
}

/**
 * Starts the daemon with atlas and a shop: `/good`, `/broken` (its server answers 500), `/slow` (it never answers),
 * `/dear`, `/endless` (a job that is never done; it costs the machine nothing while it goes on). `acme` needs a login.
 */
export async function openScene(): Promise<Scene> {
  const upstream = await startFakeProvider();
  upstream.on("GET /good", { json: { ok: true } });
  upstream.on("GET /broken", { status: 500, json: { error: "out of order" } });
  upstream.on("POST /hook", { status: 204 });
  upstream.on("GET /slow", { hang: true });
  upstream.on("POST /jobs", { status: 202, json: { id: "job" } });
  upstream.on("GET /jobs/*", { json: { status: "working" } });
  const logins = await OAuthServer.start();
  const home = mktHome();
  const emptyHome = mktHome();
  const daemon = await startTestDaemon({
    home,
    bundled: true,
    manifests: { shop: shopManifest(upstream), keyed: keyedManifest(upstream), acme: logins.manifest() },
    environment: { MKT_STARTING_CREDIT: "1000", KEYED_API_KEY: "key-of-the-scene" },
  });
  await daemon.request("POST", "/v1/controls/workspace/run-caps", { limitAmount: microDollars(5) });
  const makers = { ...makersOf(daemon, home, upstream.url), ...loginMakers(daemon, logins) };
  return {
    daemon,
    home,
    emptyHome,
    wordsOf: async (line) => await Promise.all(line.split(" ").map((word) => fill(word, makers))),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
      await logins[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      emptyHome[Symbol.dispose]();
    },
  };
}

function shopManifest({ url }: FakeProvider): object {
  const price = { type: "PER_CALL", amount: 0.01 };
  const get = (path: string) => ({ request: { method: "GET", path }, price });
  return {
    displayName: "Shop",
    http: { baseUrl: url, allowPrivateNetwork: true, retry: { attempts: 1 } },
    async: {
      start: { id: "$.id" },
      poll: {
        method: "GET",
        path: "/jobs/${run.externalId}",
        everyMs: 1_000,
        status: "$.status",
        states: { running: ["working"], done: ["done"] },
      },
      runMs: 3_600_000,
    },
    endpoints: {
      "/good": { ...get("/good"), input: { queryParams: { properties: { count: { type: "integer" } } } } },
      "/broken": get("/broken"),
      "/slow": get("/slow"),
      "/dear": { ...get("/good"), price: { type: "PER_CALL", amount: 9 } },
      "/endless": { request: { method: "POST", path: "/jobs" }, price, async: {} },
    },
  };
}

/** A provider whose secret is set, and proved by `/good`. */
function keyedManifest({ url }: FakeProvider): object {
  return {
    secrets: { key: { env: "KEYED_API_KEY" } },
    verify: { method: "GET", path: "/good" },
    http: { baseUrl: url, allowPrivateNetwork: true, auth: { type: "bearer", token: "${secret.key}" } },
    endpoints: { "/broken": { request: { method: "GET", path: "/broken" }, price: { type: "FREE" } } },
  };
}

type Makers = Readonly<Record<string, () => Promise<string> | string>>;

function makersOf({ request, url }: TestDaemon, home: MktHome, upstreamUrl: string): Makers {
  const made = async (path: string, body: object, idName: string) => {
    const { body: answer } = await request("POST", path, body);
    if (typeof answer?.[idName] !== "string") throw new Error(`nothing made at ${path}: ${JSON.stringify(answer)}`);
    return answer[idName];
  };
  const run = (endpoint: string) => made("/v1/run", { provider: "shop", endpoint, input: {} }, "runId");
  const control = (kind: string, body: object, idName: string) =>
    made(`/v1/controls/workspace/${kind}`, { limitAmount: microDollars(400), ...body }, idName);
  const budget = () => control("budgets", { period: "MONTH" }, "budgetControlId");
  const cap = () => control("run-caps", {}, "runCapControlId");
  const approvalRule = (body: object = {}) =>
    made("/v1/controls/approval-rules", { limitAmount: microDollars(400), ...body }, "ruleId");
  const waitingAgent = once(async () => {
    const keyLabel = newName();
    const key = await made("/v1/api-keys", { label: keyLabel, role: "member" }, "key");
    await approvalRule({ keyLabel, limitAmount: microDollars(0) });
    return key;
  });
  const webhook = () => made("/v1/webhooks", { url: `${upstreamUrl}/hook` }, "webhookId");
  const schedule = () =>
    made("/v1/schedules", { cron: "0 7 * * *", provider: "atlas", endpoint: "/time/now", input: {} }, "scheduleId");
  const newName = () => `new-${randomUUID().slice(0, 8)}`;
  const folder = () => {
    const path = join(home.path, `folder-${randomUUID()}`);
    mkdirSync(path);
    return path;
  };
  const file = (name: string, text: string) => {
    const path = join(folder(), name);
    writeFileSync(path, text);
    return path;
  };
  let rowFiles = 0;
  return {
    done: () => run("/good"),
    broken: () => run("/broken"),
    blocked: () => run("/dear"),
    // One row without input; of another length each time, so that each is a batch of its own.
    rows: () => Promise.resolve(file("rows.jsonl", `{}${"\n".repeat((rowFiles += 1))}`)),
    budget: once(budget),
    newbudget: budget,
    cap: once(cap),
    newcap: cap,
    rule: once(() => approvalRule()),
    newrule: () => approvalRule(),
    waiting: async () => {
      const agent = await waitingAgent();
      const body = { provider: "shop", endpoint: "/good", input: {} };
      return (await askWith(url, agent)("POST", "/v1/run", body)).body.runId;
    },
    webhook: once(webhook),
    newwebhook: webhook,
    schedule,
    cron: () => "0 7 * * *",
    going: () => run("/endless"),
    SECRET: () => `SECRET_${randomUUID().slice(0, 8).toUpperCase()}`,
    key: () => made("/v1/api-keys", { label: newName() }, "label"),
    resource: async () => {
      await request("POST", "/v1/run", { provider: "atlas", endpoint: "/timers", input: {} });
      const { body } = await request("GET", "/v1/resources");
      return body.items[0].resourceId;
    },
    secret: async () => {
      const name = `SECRET_${randomUUID().slice(0, 8).toUpperCase()}`;
      await request("PUT", `/v1/admin/secrets/${name}`, { value: "s3cret" });
      return name;
    },
    new: newName,
    folder,
    mine: () => file("mine.yaml", mine),
    openapi: () => file("petshop.json", JSON.stringify(petshop)),
    keyFile: () => file("key", "mkt_live_nobody"),
  };
}

/** `account`: acme, connected; `attempt` and `landed`: a login that waits, and where its browser ended. */
function loginMakers({ request }: TestDaemon, logins: OAuthServer): Makers {
  const begin = async () => {
    const { body } = await request("POST", "/v1/connections", { provider: "acme" });
    return { attemptId: String(body.attemptId), landed: await logins.login(body.address) };
  };
  let login: ReturnType<typeof begin> | undefined;
  return {
    account: async () => {
      await requestPage((await begin()).landed);
      return "acme";
    },
    attempt: async () => (await (login = begin())).attemptId,
    landed: async () => (await (login ?? begin())).landed,
  };
}

/** A workspace has room for a hundred controls. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

const mine = `mkt: 1
provider: mine
displayName: Mine
http: { baseUrl: "https://mine.example" }
endpoints:
  /now: { description: "What is there now.", request: { method: GET, path: /now }, price: { type: FREE } }
`;

const petshop = {
  openapi: "3.1.0",
  info: { title: "Petshop", version: "1" },
  servers: [{ url: "https://petshop.example" }],
  paths: {
    "/pets": { get: { operationId: "listPets", summary: "All pets", responses: { 200: { description: "ok" } } } },
  },
};

/** The word with each `{name}` made real; a name that nothing makes is an error of the table. */
async function fill(word: string, makers: Makers): Promise<string> {
  const name = /\{(\w+)\}/.exec(word)?.[1];
  if (name === undefined) return word;
  const make = makers[name];
  if (make === undefined) throw new Error(`the table asks for {${name}}, which nothing makes`);
  return word.replace(`{${name}}`, await make());
}
