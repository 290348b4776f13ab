import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../shared/contract/index.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { type Answer, request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

const every: Operation[] = Object.values(operations);
const changes = every.filter(({ method }) => method !== "GET");
const withKey = every.filter(({ auth }) => auth !== "none");

let daemon: TestDaemon;
let hurried: TestDaemon;
let document: { paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>> };

beforeAll(async () => {
  daemon = await startTestDaemon({ environment: { MKT_MAX_BODY_BYTES: "1024" } });
  hurried = await startTestDaemon({ environment: { MKT_RATE_LIMIT: "1" } });
  document = (await request(`${daemon.url}/openapi.json`)).body;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await hurried[Symbol.asyncDispose]();
});

/** A path that the operation serves, of things that are not there. */
function pathOf({ path }: Operation): string {
  return path.replace("{provider}/endpoints/{endpoint}", "nobody/endpoints/none").replaceAll(/\{\w+\}/g, "unknown");
}

const portOf = (url: string) => Number(new URL(url).port);
const keyLine = (key: string) => `Authorization: Bearer ${key}`;

/** Raw, so that no client mends it; without a body. */
async function ask(at: TestDaemon, operation: Operation, ...lines: string[]): Promise<Answer> {
  const host = `Host: ${new URL(at.url).host}`;
  const head = [`${operation.method} ${pathOf(operation)} HTTP/1.1`, host, "Connection: close", ...lines];
  return await rawRequest(portOf(at.url), rawHead(...head));
}

function expectDeclared(operation: Operation, answer: Answer, status: number): void {
  const declared = document.paths[operation.path]?.[operation.method.toLowerCase()]?.responses ?? {};
  expect({ id: operation.operationId, status: answer.status }).toEqual({ id: operation.operationId, status });
  expect(answer.body).toMatchObject({ code: status, message: expect.any(String) });
  expect(Object.keys(declared), `${operation.operationId} declares ${status}`).toContain(String(status));
}

describe("what the server says of any request is declared of every operation", () => {
  test("400 for two lengths", async () => {
    for (const operation of every) {
      expectDeclared(operation, await ask(daemon, operation, "Content-Length: 1", "Content-Length: 2"), 400);
    }
  });

  test("403 for a page of another site", async () => {
    for (const operation of every) {
      expectDeclared(operation, await ask(daemon, operation, keyLine(daemon.key), "Origin: https://evil.example"), 403);
    }
  });

  test("415 for a compressed body", async () => {
    for (const operation of every) {
      const lines = [keyLine(daemon.key), "Content-Encoding: gzip", "Content-Length: 0"];
      expectDeclared(operation, await ask(daemon, operation, ...lines), 415);
    }
  });

  test("431 for a head of 20 KB", async () => {
    for (const operation of every) {
      expectDeclared(operation, await ask(daemon, operation, `X-Large: ${"x".repeat(20_000)}`), 431);
    }
  });

  test("413 for a large body, of whatever may have one", async () => {
    for (const operation of changes) {
      const lines = [keyLine(daemon.key), "Content-Type: application/json", "Content-Length: 2000"];
      expectDeclared(operation, await ask(daemon, operation, ...lines), 413);
    }
  });

  test("401, or 404 of an operator's route, without a key", async () => {
    for (const operation of withKey) {
      expectDeclared(operation, await ask(daemon, operation), operation.auth === "operator" ? 404 : 401);
    }
  });

  test("429 for a key that asks too often", async () => {
    await request(`${hurried.url}/v1/auth/whoami`, "GET", { key: hurried.key });
    for (const operation of withKey) {
      expectDeclared(operation, await ask(hurried, operation, keyLine(hurried.key)), 429);
    }
  });
});
