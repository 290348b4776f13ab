import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FakeAnswer } from "../../support/fake-provider.ts";
import { freePort } from "../../support/free-port.ts";
import { memberEndpoints, runRoute, type ServedRoutes, serveRoutes } from "./serve-route.ts";

/** What the first member does with its call. */
interface Fault {
  readonly what: string;
  readonly answer: FakeAnswer | "gone";
  /** Whether nothing can have been executed; `answer`: it is no fault at all. */
  readonly is: "certain" | "uncertain" | "answer";
  /** What the run costs when it ends at the first member. */
  readonly cost?: number;
  /** How often the first member is called, where that is not once. */
  readonly calls?: number;
}

const readableNever: FakeAnswer = { headers: { "content-type": "application/json" }, text: "{{" };
const faults: readonly Fault[] = [
  { what: "no connection", answer: "gone", is: "certain" },
  { what: "429 before work", answer: { status: 429, json: { error: "slow down" } }, is: "certain" },
  {
    what: "503 that says when, as proxies do",
    answer: { status: 503, headers: { "retry-after": "0" }, json: {} },
    is: "uncertain",
    // At the same member it may be repeated.
    calls: 3,
  },
  { what: "503 that says nothing", answer: { status: 503, json: {} }, is: "uncertain" },
  { what: "500", answer: { status: 500, json: {} }, is: "uncertain" },
  { what: "502", answer: { status: 502, json: {} }, is: "uncertain" },
  { what: "504", answer: { status: 504, json: {} }, is: "uncertain" },
  { what: "401", answer: { status: 401, json: {} }, is: "uncertain" },
  { what: "402", answer: { status: 402, json: {} }, is: "uncertain" },
  { what: "403", answer: { status: 403, json: {} }, is: "uncertain" },
  { what: "408", answer: { status: 408, json: {} }, is: "uncertain" },
  { what: "a dropped connection", answer: { reset: true }, is: "uncertain" },
  { what: "half an answer", answer: { json: { rows: [1, 2, 3] }, truncated: true }, is: "uncertain" },
  { what: "an answer that cannot be read", answer: readableNever, is: "uncertain" },
  { what: "no answer in time", answer: { hang: true }, is: "uncertain" },
  { what: "404", answer: { status: 404, json: {} }, is: "answer" },
  { what: "400", answer: { status: 400, json: {} }, is: "answer" },
  { what: "409", answer: { status: 409, json: {} }, is: "answer" },
  { what: "422", answer: { status: 422, json: {} }, is: "answer" },
  {
    what: "404 that its file reads as no rows",
    answer: { status: 404, json: { error: "none found" } },
    is: "answer",
    cost: 0.01,
  },
];

const cases = ["now", "job"].flatMap((mode) =>
  [false, true].flatMap((allowed) =>
    faults
      // A job cannot be accepted with no rows.
      .filter(({ cost }) => mode === "now" || cost === undefined)
      .map((fault, index) => ({ ...fault, mode, allowed, name: `${mode}-${index}${allowed ? "-allowed" : ""}` })),
  ),
);

describe("what the first member does decides whether the second one is called", () => {
  let served: ServedRoutes;
  beforeAll(async () => {
    const names = cases.map(({ name }) => name);
    const gone = cases.filter(({ answer }) => answer === "gone").map(({ name }) => name);
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const http = { baseUrl: nobody, allowPrivateNetwork: true, retry: { backoffMs: 1 } };
    served = await serveRoutes({
      names,
      // The time of one exchange of a job's start; of the others, of the whole call.
      http: { timeoutMs: 2_500 },
      manifests: { gone: { http, endpoints: memberEndpoints(gone, 0.01) } },
      routes: Object.fromEntries(
        gone.map((name) => [name, { members: [{ endpoint: `gone/${name}` }, { endpoint: `second/${name}` }] }]),
      ),
    });
    for (const { name, answer } of cases) if (answer !== "gone") served.first.on(`POST /${name}`, answer);
  });
  afterAll(async () => await served[Symbol.asyncDispose]());

  test.each(cases)(
    "$mode, $what, uncertain repeats allowed: $allowed",
    async ({ name, answer, is, cost = 0, calls: ofFirst = 1, allowed }) => {
      const goesOn = is === "certain" || (is === "uncertain" && allowed);
      const own = answer === "gone" ? "gone" : "first";
      const before = await balance();

      const run = await runRoute(served.daemon, name, allowed ? { allowUncertainRepeats: true } : {});

      const calls = [served.first.count(`POST /${name}`), served.second.count(`POST /${name}`)];
      expect(calls, "calls that each upstream saw").toEqual([answer === "gone" ? 0 : ofFirst, goesOn ? 1 : 0]);
      expect(run).toMatchObject({
        provider: goesOn ? "second" : own,
        route: { provider: "routes", endpoint: `/${name}` },
      });
      expect(run.cost?.value).toBe(goesOn ? 0.02 : cost);
      expect(Math.round((before - (await balance())) * 1e6), "taken from the wallet").toBe(
        goesOn ? 20_000 : cost * 1e6,
      );
      expect(run.route?.attempts?.map(({ provider, outcome }) => `${provider} ${outcome}`)).toEqual(
        goesOn ? [`${own} left`, "second tried"] : [`${own} tried`],
      );
      expect(run.providerMayHaveCharged ?? false, "a doubt is told").toBe(
        is === "uncertain" && (goesOn || run.status === "FAILED"),
      );
    },
  );

  async function balance(): Promise<number> {
    return (await served.daemon.client.getWalletBalance()).balance.value;
  }
});
