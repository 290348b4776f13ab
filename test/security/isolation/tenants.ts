import { roleScopes } from "../../../shared/contract/role-scopes.ts";
import { grants } from "../../../shared/contract/scope-grants.ts";
import { type FakeProvider } from "../../support/fake-provider.ts";
import { type Ask, askWith } from "../../support/request.ts";
import type { TestDaemon } from "../../support/start-daemon.ts";
import { phonedesk } from "../../resources/phone-market.ts";
import { type Market, openMarket } from "../../spec/market.ts";
import type { Thing } from "./entries.ts";

/** Somebody with a key and things of its own, each of which carries its mark. */
export interface Tenant {
  /** A word that is in every name that it gives, and in what its provider answers. */
  readonly mark: string;
  readonly workspaceId: string;
  readonly key: string;
  readonly ask: Ask;
  /** Makes one more of a thing and gives the id or the name by which requests ask for it. */
  readonly make: (thing: Exclude<Thing, "cursor">) => Promise<string>;
  /** One of a thing, made when it is first asked for. */
  readonly have: (thing: Exclude<Thing, "cursor">) => Promise<string>;
  /** Whether its role lets it have this scope. */
  readonly may: (scope: string | undefined) => boolean;
}

/** A market whose provider of phones marks what it makes with the country that it was asked for. */
export async function openMarkedMarket(): Promise<Market> {
  const rent = { type: "BY_PERIOD", amount: 0.01, period: { unit: "MONTH", count: 1 } };
  const market = await openMarket((baseUrl) => ({ phonedesk: phonedesk(baseUrl, { rent }) }));
  scriptMarkedAnswers(market.upstream);
  return market;
}

function scriptMarkedAnswers(upstream: FakeProvider): void {
  upstream.on("GET /now", ({ query }) => ({ json: { city: query.get("city") } }));
  upstream.on("GET /plain", { json: { ok: true } });
  upstream.on("POST /reports", { status: 202, json: { id: "job" } });
  upstream.on("GET /reports/*", { json: { status: "working" } });
  upstream.on("DELETE /reports/*", { status: 204 });
  upstream.on("POST /numbers", ({ json }) => {
    const id = `${json.country}-number-${upstream.calls.length}`;
    return { status: 201, json: { id, number: `+351 ${id}`, country: json.country } };
  });
  upstream.on("GET /numbers/*", ({ path }) => ({ json: { number: path, country: "PT" } }));
  upstream.on("DELETE /numbers/*", { status: 204 });
  for (const path of ["messages", "labels", "drop"]) upstream.on(`POST /${path}`, { json: { ok: true } });
}

/** A workspace of its own: its name, its user, its key and the reason of its credit carry the mark. */
export async function openTenant({ request, url }: TestDaemon, mark: string): Promise<Tenant> {
  const { workspaceId } = (await request("POST", "/v1/admin/workspaces", { name: `Works of ${mark}`, slug: mark }))
    .body;
  const path = `/v1/admin/workspaces/${workspaceId}`;
  await request("POST", "/v1/admin/users", { username: `${mark}-user`, workspaceId });
  const amount = { value: 100, currency: "USD" };
  await request("POST", `${path}/credits`, { amount, reason: `${mark} pays` });
  const { key } = (await request("POST", `${path}/api-keys`, { label: `${mark}-owner` })).body;
  return tenantWith({ url, key, mark, workspaceId, may: () => true });
}

/** A member of a tenant's workspace, with a mark and a key of its own. */
export async function openMember({ url }: TestDaemon, { ask, workspaceId }: Tenant, mark: string): Promise<Tenant> {
  const { key } = (await ask("POST", "/v1/api-keys", { label: `${mark}-member`, role: "member" })).body;
  const may = (scope: string | undefined) => scope === undefined || grants(roleScopes.member, scope);
  return tenantWith({ url, key, mark, workspaceId, may });
}

let made = 0;

function tenantWith({ url, ...tenant }: Omit<Tenant, "ask" | "make" | "have"> & { readonly url: string }): Tenant {
  const { mark, key } = tenant;
  const ask = askWith(url, key);
  const post = async (path: string, body: object, headers?: Record<string, string>, as: Ask = ask) => {
    const answer = await as("POST", path, body, headers);
    if (answer.status >= 300) throw new Error(`${path} made nothing: ${answer.text}`);
    return answer.body;
  };
  const run = async (members: object = {}, as?: Ask) => {
    const body = { provider: "nimbus", endpoint: "/now", input: { city: mark }, tags: { [mark]: mark }, ...members };
    return (await post("/v1/run", body, { "idempotency-key": newName() }, as)).runId as string;
  };
  const buy = async () => {
    const input = { country: mark };
    const bought = await post("/v1/run", { provider: "phonedesk", endpoint: "/numbers/buy", input });
    return bought.resources[0].resourceId as string;
  };
  const newName = () => `${mark}-${made++}`;
  const limitAmount = { value: 500, unit: "DOLLAR", currency: "USD" };
  const webhook = async () =>
    (await post("/v1/webhooks", { url: "https://hooks.invalid/x", events: ["schedule.paused"] })).webhookId;
  const mint = async () => {
    const label = newName();
    const { key: minted } = await post("/v1/api-keys", { label });
    await run({}, askWith(url, minted));
    return label;
  };
  const tag = async () => {
    const name = newName();
    await run({ tags: { [name]: name } });
    return name;
  };
  /** Of a key of its own, as a rule for all would have every run wait. */
  const waiting = async () => {
    if (!tenant.may("controls:create")) return await run();
    const keyLabel = newName();
    const { key: asking } = await post("/v1/api-keys", { label: keyLabel, role: "member" });
    await post("/v1/controls/approval-rules", { limitAmount: { ...limitAmount, value: 0 }, keyLabel });
    return await run({}, askWith(url, asking));
  };
  const number = async () => (await ask("GET", `/v1/resources/${await buy()}`)).body.externalId as string;
  const makeSchedule = async (what: object) =>
    (await post("/v1/schedules", { name: newName(), cron: "0 7 1 1 *", ...what })).scheduleId as string;
  const makers: Readonly<Record<Exclude<Thing, "cursor">, () => Promise<string>>> = {
    run: () => run({ endpoint: "/report", input: { topic: mark } }),
    endedRun: () => run(),
    resource: buy,
    number,
    budget: async () =>
      (await post("/v1/controls/workspace/budgets", { period: "MONTH", limitAmount })).budgetControlId,
    approvalRule: async () => (await post("/v1/controls/approval-rules", { limitAmount })).ruleId,
    waiting,
    runCap: async () => (await post("/v1/controls/workspace/run-caps", { limitAmount })).runCapControlId,
    webhook,
    schedule: () => makeSchedule({ provider: "nimbus", endpoint: "/now", input: { city: mark } }),
    sender: async () =>
      makeSchedule({ provider: "phonedesk", endpoint: "/messages/send", input: { from: await number() } }),
    label: mint,
    newLabel: mint,
    tag,
    tagName: tag,
  };
  const had = new Map<Thing, Promise<string>>();
  return {
    ...tenant,
    ask,
    make: async (thing) => await makers[thing](),
    have: async (thing) => {
      const one = had.get(thing) ?? makers[thing]();
      had.set(thing, one);
      return await one;
    },
  };
}
