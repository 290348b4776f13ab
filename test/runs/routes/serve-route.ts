import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../../support/start-daemon.ts";

export const QUERY = { queryParams: { type: "object", properties: { q: { type: "string" } }, required: ["q"] } };

/** A real daemon that serves routes over the endpoints of two real upstreams. */
export interface ServedRoutes extends AsyncDisposable {
  readonly home: MktHome;
  readonly first: FakeProvider;
  readonly second: FakeProvider;
  readonly daemon: TestDaemon;
  /** Starts the daemon again on the same folders. */
  restart(): Promise<TestDaemon>;
}

/** The name of a case becomes the path of its endpoints: `/now-x` answers at once, `/job-x` by a job. */
export function memberEndpoints(names: readonly string[], amount: number): object {
  const price = { type: "PER_CALL", amount };
  const entries = names.map((name) => {
    const request = { method: "POST", encoding: "none" };
    const errors = [{ when: { status: [404], match: { "$.error": "none found" } }, as: { empty: true } }];
    const endpoint = { request, input: QUERY, price, errors, usage: { count: "$.total" } };
    if (name.startsWith("now")) return [`/${name}`, endpoint];
    const { usage: _usage, ...withoutUsage } = endpoint;
    const poll = {
      method: "GET",
      path: "/jobs/${run.externalId}",
      everyMs: 10,
      status: "$.state",
      states: { done: ["done"], failed: ["failed"] },
    };
    return [`/${name}`, { ...withoutUsage, async: { start: { id: "$.id" }, poll } }];
  });
  return Object.fromEntries(entries);
}

/** Writes a route file into the trusted folder of a home. */
export function writeRoute(home: MktHome, name: string, members: object): string {
  const dir = join(home.path, "trusted", "routes");
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${name}.json`);
  writeFileSync(file, JSON.stringify({ mkt: 1, route: name, input: QUERY, ...members }, undefined, 2));
  return file;
}

export interface ServeRoutesOptions extends Pick<TestDaemonOptions, "environment" | "clock" | "config"> {
  /** Endpoints of `first` and `second`, and routes of the same names over both; as `memberEndpoints` takes them. */
  readonly names?: readonly string[];
  /** Route files by name, over those. */
  readonly routes?: Readonly<Record<string, object>>;
  /** Members over the `http` of both providers. */
  readonly http?: object;
  /** Members over the file of one provider, by its slug. */
  readonly files?: Readonly<Record<string, object>>;
  /** Further providers. */
  readonly manifests?: Readonly<Record<string, object>>;
}

/** `first` takes a cent for a call, `second` two. */
export async function serveRoutes(options: ServeRoutesOptions = {}): Promise<ServedRoutes> {
  const { names = ["now"], routes = {}, http = {}, files = {}, manifests: more = {}, ...rest } = options;
  const home = mktHome();
  const [first, second] = [await startFakeProvider(), await startFakeProvider()];
  for (const vendor of [first, second]) {
    vendor.on("POST /now*", { json: { rows: [vendor === first ? "first" : "second"], total: 1 } });
    vendor.on("POST /job*", { json: { id: "j1" } });
    vendor.on("GET /jobs/*", { json: { state: "done" } });
  }
  for (const name of names)
    writeRoute(home, name, { members: [{ endpoint: `first/${name}` }, { endpoint: `second/${name}` }] });
  for (const [name, members] of Object.entries(routes)) writeRoute(home, name, members);
  const manifestOf = (slug: string, url: string, amount: number) => ({
    http: { baseUrl: url, allowPrivateNetwork: true, retry: { backoffMs: 1 }, timeoutMs: 5_000, ...http },
    endpoints: memberEndpoints(names, amount),
    ...files[slug],
  });
  const manifests = {
    first: manifestOf("first", first.url, 0.01),
    second: manifestOf("second", second.url, 0.02),
    ...more,
  };
  let daemon = await startTestDaemon({ ...rest, home, manifests });
  return {
    home,
    first,
    second,
    get daemon() {
      return daemon;
    },
    async restart() {
      await daemon[Symbol.asyncDispose]();
      daemon = await startTestDaemon({ ...rest, home, manifests });
      return daemon;
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await first.close();
      await second.close();
      home[Symbol.dispose]();
    },
  };
}

/** Runs a route to its end. */
export async function runRoute(
  { client }: Pick<TestDaemon, "client">,
  name: string,
  body: { readonly allowUncertainRepeats?: boolean; readonly deadlineMs?: number } = {},
) {
  const asked = { provider: "routes", endpoint: `/${name}`, input: { q: "x" }, wait: 10, ...body };
  const { runId } = await client.startRun({ body: asked });
  return await client.getRun({ params: { runId }, query: { wait: 10 } });
}
