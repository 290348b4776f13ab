import { operations } from "../../../shared/contract/index.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import type { Answer } from "../../support/request.ts";
import { examplePath, exampleRequest } from "../../spec/example-request.ts";
import { entries, type Entry, type Place, type Thing } from "./entries.ts";
import type { Tenant } from "./tenants.ts";

export const all: readonly Operation[] = Object.values(operations);

/** What nobody has, in the form of what somebody has; another one each time where asking makes something of it. */
export function nobodys(thing: Thing): string {
  if (
    [
      "run",
      "endedRun",
      "resource",
      "budget",
      "runCap",
      "approvalRule",
      "waiting",
      "webhook",
      "schedule",
      "sender",
    ].includes(thing)
  )
    return "01JD0000000000000000000000";
  return thing === "newLabel" ? `nobodys-${asked++}` : "nobodys";
}
let asked = 0;

/** One way to name a thing of a workspace. */
export interface Naming {
  readonly operation: Operation;
  readonly place: Place;
  readonly thing: Thing;
  readonly title: string;
  /** Asks with a thing's id or name in the place, and things of the asker's own in all others. */
  readonly ask: (asker: Tenant, name: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
}

/** Of all operations, each place that takes something of a workspace. */
export const namings: readonly Naming[] = all.flatMap((operation) => {
  const entry = entryOf(operation);
  return (Object.entries(entry) as [Place, Thing][]).flatMap(([place, thing]) => {
    const things: Thing[] = thing === "run" ? ["run", "endedRun"] : [thing];
    return requestsFor(operation, place).flatMap(({ more, of }) =>
      things.map((one) => ({
        operation,
        place,
        thing: one,
        title: `${operation.operationId} ${place}${more} (${one})`,
        ask: async (asker: Tenant, name: string, headers = {}) =>
          await askFor(operation, asker, { ...of(name), headers }),
      })),
    );
  });
});

export function entryOf({ operationId }: Operation): Exclude<Entry, "operator"> {
  const entry: Entry | undefined = (entries as Record<string, Entry>)[operationId];
  return entry === undefined || entry === "operator" ? {} : entry;
}

/** What stands in a request; what is not said is made by the asker or an example. */
export interface Said {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How an id or name is written at a place; three ways where a run's input uses, changes or ends what it names. */
function requestsFor(operation: Operation, place: Place): { more: string; of: (name: string) => Said }[] {
  const [part = "", name = ""] = place.split(/\.(.*)/s);
  if (operation.operationId === "updateSchedule" && place === "body.input") {
    // Its endpoint stays what it was.
    return [{ more: "", of: (id) => ({ body: { input: { from: id } } }) }];
  }
  if (place === "body.input") {
    const endpoints = { "/messages/send": "from", "/numbers/label": "number", "/numbers/drop": "number" };
    const times = operation.operationId === "createSchedule" && { cron: "0 7 1 1 *" };
    return Object.entries(endpoints).map(([endpoint, member]) => ({
      more: ` of ${endpoint}`,
      of: (id) => ({ body: { ...times, provider: "phonedesk", endpoint, input: { [member]: id } } }),
    }));
  }
  const written: Readonly<Record<string, (id: string) => string>> = {
    "query.tag": (id) => `${id}:${id}`,
    "query.groupBy": (id) => `tag:${id}`,
  };
  const example = exampleRequest(operation).body as object | undefined;
  const of = (id: string): Said => {
    const value = written[place]?.(id) ?? id;
    return part === "body" ? { body: { ...example, [name]: value } } : { [part]: { [name]: value } };
  };
  return [{ more: "", of }];
}

/** Asks an operation as somebody, with the asker's own things in the places of its path that are not given. */
export async function askFor(operation: Operation, asker: Tenant, said: Said = {}): Promise<Answer> {
  const { operationId, method, query } = operation;
  let { path } = operation;
  for (const [place, thing] of Object.entries(entryOf(operation)) as [Place, Thing][]) {
    const [part, name = ""] = place.split(".");
    if (part !== "params") continue;
    const value = said.params?.[name] ?? (await ownOrNobodys(operation, asker, thing));
    path = path.replace(`{${name}}`, encodeURIComponent(value));
  }
  const needed: Readonly<Record<string, string>> = { format: "ndjson", q: "weather" };
  const required = Object.entries(needed).filter(([name]) => isRequired(query, name));
  const search = new URLSearchParams({ ...Object.fromEntries(required), ...said.query }).toString();
  // The example fills in what the catalog has, and a query of its own that is not wanted here.
  const [filled = ""] = examplePath({ ...operation, path }).split("?");
  const target = `${filled}${search && `?${search}`}`;
  const body = said.body ?? exampleBody(operationId, asker) ?? exampleRequest(operation).body;
  return await asker.ask(method, target, body, said.headers);
}

function exampleBody(operationId: string, { mark }: Tenant): object | undefined {
  if (operationId === "createApiKey" || operationId === "updateApiKey") return { label: `${mark}-label-${labels++}` };
  return undefined;
}
let labels = 0;

function isRequired(query: Operation["query"], name: string): boolean {
  return query !== undefined && name in query.shape && !query.safeParse({}).success;
}

/** A member makes no budgets: what its role does not let it ask for is nobody's. */
async function ownOrNobodys(operation: Operation, asker: Tenant, thing: Thing): Promise<string> {
  return thing !== "cursor" && asker.may(operation.scope) ? await ownFor(operation, asker, thing) : nobodys(thing);
}

/** A thing of one's own: for what only reads the same each time, for what may use it up another one. */
export async function ownFor({ method }: Operation, asker: Tenant, thing: Exclude<Thing, "cursor">): Promise<string> {
  return method === "GET" ? await asker.have(thing) : await asker.make(thing);
}
