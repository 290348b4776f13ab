import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createClient } from "../../shared/client/client.ts";
import { requestUrl } from "../../shared/client/request-url.ts";
import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import { operations } from "../../shared/contract/index.ts";
import { gate } from "../support/gate.ts";

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function serve(answer: (response: ServerResponse) => void): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    answer(response);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

function json(status: number, body: unknown) {
  return (response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json", "x-request-id": "req-1" });
    response.end(JSON.stringify(body));
  };
}

describe("a call", () => {
  test("sends method, path, query and who is calling", async () => {
    const { url, seen } = await serve(json(200, { runId: "01J0" }));
    const client = createClient({
      baseUrl: url,
      key: "mkt_test_abc",
      workspaceId: "org_1",
      clientKind: "cli",
      userAgent: "mkt/0.1.0",
    });

    const run = await client.getRun({ params: { runId: "01J0/é" }, query: { wait: 30 } });

    expect(run.runId).toBe("01J0");
    expect(seen[0]).toMatchObject({ method: "GET", url: "/v1/runs/01J0%2F%C3%A9?wait=30", body: "" });
    expect(seen[0]?.headers).toMatchObject({
      authorization: "Bearer mkt_test_abc",
      "x-workspace-id": "org_1",
      "x-mkt-client": "cli",
      "user-agent": "mkt/0.1.0",
      connection: "close",
    });
  });

  test("sends a body as JSON, and headers of the call's own", async () => {
    const { url, seen } = await serve(json(202, { runId: "01J0", status: "RUNNING" }));
    const client = createClient({ baseUrl: url });

    await client.startRun(
      { body: { provider: "atlas", endpoint: "/sun", input: { place: "Évora" } } },
      { headers: { "idempotency-key": "k1" } },
    );

    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      provider: "atlas",
      endpoint: "/sun",
      input: { place: "Évora" },
    });
    expect(seen[0]?.headers).toMatchObject({ "content-type": "application/json", "idempotency-key": "k1" });
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  test("joins lists in the query with commas and leaves out what is undefined", async () => {
    const { url, seen } = await serve(json(200, { items: [] }));

    await createClient({ baseUrl: url }).listRuns({ query: { status: ["FAILED", "TIMED_OUT"], limit: undefined } });

    expect(seen[0]?.url).toBe("/v1/runs?status=FAILED%2CTIMED_OUT");
  });

  test("needs no input where an operation has none", async () => {
    const { url, seen } = await serve(json(200, { user: { userId: "u" } }));

    await createClient({ baseUrl: `${url}/market///` }).whoami();

    expect(seen[0]?.url).toBe("/market/v1/auth/whoami");
  });

  test("gives status and headers too, when asked by its operation", async () => {
    const { url } = await serve(json(202, { runId: "01J0", status: "RUNNING" }));

    const answer = await createClient({ baseUrl: url }).call(operations.startRun, {
      body: { provider: "atlas", endpoint: "/report" },
    });

    expect(answer.status).toBe(202);
    expect(answer.headers["x-request-id"]).toBe("req-1");
  });

  test("an answer without a body is undefined", async () => {
    const { url } = await serve((response) => response.writeHead(204).end());

    const answer = await createClient({ baseUrl: url }).deleteApiKey({ params: { label: "old" } });

    expect(answer).toBeUndefined();
  });
});

describe("when it goes wrong", () => {
  test("an error has the service's message, status, body and request id", async () => {
    const { url } = await serve(json(404, { code: 404, message: "Run 01J0 was not found" }));

    const failure = createClient({ baseUrl: url }).getRun({ params: { runId: "01J0" } });

    await expect(failure).rejects.toBeInstanceOf(ServiceError);
    await expect(failure).rejects.toMatchObject({
      message: "Run 01J0 was not found",
      status: 404,
      body: { code: 404 },
      requestId: "req-1",
    });
  });

  test("a run that timed out is an error that carries the run", async () => {
    const run = { runId: "01J0", status: "TIMED_OUT", code: 408, message: "Run 01J0 used up its time" };
    const { url } = await serve(json(408, run));

    const failure = createClient({ baseUrl: url }).startRun({ body: { provider: "atlas", endpoint: "/slow" } });

    await expect(failure).rejects.toMatchObject({ status: 408, body: run });
  });

  test.each([200, 502])("an answer %i that is not JSON says that it may not be an mkt service", async (status) => {
    const { url } = await serve((response) => response.writeHead(status).end("<html>hello</html>"));

    const failure = createClient({ baseUrl: url }).whoami();

    await expect(failure).rejects.toBeInstanceOf(ServiceError);
    await expect(failure).rejects.toMatchObject({ status, message: expect.stringContaining("not JSON") });
  });

  test("a redirect is not followed", async () => {
    const { url, seen } = await serve((response) => response.writeHead(302, { location: "/elsewhere" }).end("{}"));

    await expect(createClient({ baseUrl: url }).whoami()).rejects.toMatchObject({ status: 302 });

    expect(seen).toHaveLength(1);
  });

  test("no answer names the address that was tried", async () => {
    const { url } = await serve(json(200, {}));
    await new Promise((resolve) => server?.close(resolve));

    const failure = createClient({ baseUrl: url }).whoami();

    await expect(failure).rejects.toBeInstanceOf(UnreachableError);
    await expect(failure).rejects.toMatchObject({
      url: `${url}/v1/auth/whoami`,
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  test("an answer that is cut short is no answer", async () => {
    const { url } = await serve((response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"user":', () => response.destroy());
    });

    await expect(createClient({ baseUrl: url }).whoami()).rejects.toBeInstanceOf(UnreachableError);
  });

  test("text that is no JSON comes as it is sent, and what it is cut off from is an error", async () => {
    const received = gate();
    const { url, seen } = await serve((response) => {
      response.writeHead(200, { "content-type": "text/csv" });
      response.write("a,b\r\n");
      void received.opened.then(() => response.destroy());
    });
    const texts: string[] = [];

    const read = async () => {
      const pieces = await createClient({ baseUrl: url }).stream("exportRuns", { query: { format: "csv" } });
      for await (const piece of pieces) {
        texts.push(Buffer.from(piece).toString());
        received.open();
      }
    };

    await expect(read()).rejects.toBeInstanceOf(UnreachableError);
    expect(texts).toEqual(["a,b\r\n"]);
    expect(seen[0]?.url).toBe("/v1/runs/export?format=csv");
  });

  test("a stream that is refused rejects as any other call", async () => {
    const { url } = await serve(json(403, { code: 403, message: "no" }));

    const failure = createClient({ baseUrl: url }).stream("exportRuns", { query: { format: "csv" } });

    await expect(failure).rejects.toMatchObject({ status: 403, message: "no" });
  });

  test("an aborted call rejects with the reason it was given", async () => {
    const { url } = await serve(() => {});
    const stop = new AbortController();

    const failure = createClient({ baseUrl: url }).whoami({}, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 50);

    await expect(failure).rejects.toThrow("enough");
  });

  test.each(["", ".", ".."])("a path parameter %j is refused before anything is sent", (runId) => {
    expect(() => requestUrl("http://h", "/v1/runs/{runId}", { runId })).toThrow("cannot be the runId");
  });
});
