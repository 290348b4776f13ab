import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { microDollars } from "../../controls/control-market.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
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

/** Starts the daemon with atlas and a shop: `/good`, `/broken` (its server answers 500), `/slow` (it never answers), `/dear`. */
export async function openScene(): Promise<Scene> {
  const upstream = await startFakeProvider();
  upstream.on("GET /good", { json: { ok: true } });
  upstream.on("GET /broken", { status: 500, json: { error: "out of order" } });
  upstream.on("GET /slow", { hang: true });
  const home = mktHome();
  const emptyHome = mktHome();
  const daemon = await startTestDaemon({
    home,
    bundled: true,
    manifests: { shop: shopManifest(upstream) },
    environment: { MKT_STARTING_CREDIT: "1000" },
  });
  await daemon.request("POST", "/v1/controls/workspace/run-caps", { limitAmount: microDollars(5) });
  const makers = makersOf(daemon, home);
  return {
    daemon,
    home,
    emptyHome,
    wordsOf: async (line) => await Promise.all(line.split(" ").map((word) => fill(word, makers))),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
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
    endpoints: {
      "/good": { ...get("/good"), input: { queryParams: { properties: { count: { type: "integer" } } } } },
      "/broken": get("/broken"),
      "/slow": get("/slow"),
      "/dear": { ...get("/good"), price: { type: "PER_CALL", amount: 9 } },
    },
  };
}

type Makers = Readonly<Record<string, () => Promise<string> | string>>;

function makersOf({ request }: TestDaemon, home: MktHome): Makers {
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
  return {
    done: () => run("/good"),
    broken: () => run("/broken"),
    blocked: () => run("/dear"),
    budget: once(budget),
    newbudget: budget,
    cap: once(cap),
    newcap: cap,
    going: async () =>
      (await made("/v1/run", { provider: "atlas", endpoint: "/reports/time-zones", input: {} }, "runId")) as string,
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
