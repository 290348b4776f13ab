import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Operation } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/index.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

let daemon: TestDaemon;
let text: string;

beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
  const answer = await fetch(`${daemon.url}/llms.txt`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  text = await answer.text();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

describe("GET /llms.txt, without a key", () => {
  test("begins with the name and a summary, and links to the contract, also behind a path of a proxy", async () => {
    const [title, , summary] = text.split("\n");
    const [, link = ""] = /\]\(([^)]+)\)/.exec(text) ?? [];
    const contract = await fetch(new URL(link, `${daemon.url}/llms.txt`));

    expect(title).toMatch(/^# /);
    expect(summary).toMatch(/^> /);
    expect(link).toBe("openapi.json");
    expect(await contract.json()).toMatchObject({ openapi: "3.1.0" });
  });

  test("names every route that is not an operator's, and none of those", () => {
    const all: readonly Operation[] = Object.values(operations);
    const told = all.filter(({ auth, deprecated }) => auth !== "operator" && deprecated !== true);

    expect(told.length).toBeGreaterThan(40);
    for (const { method, path } of told) expect(text).toContain(`\`${method} ${path}\``);
    expect(text).not.toContain("/v1/admin");
  });

  test("the first calls work as they are written, one after the other", async () => {
    const [, section = ""] = text.split("## First calls\n");
    const calls = [...section.split("\n## ")[0]!.matchAll(/^- `(GET|POST) (\S+)(?: (\{.*\}))?`/gm)];
    let runId = "";

    expect(calls.length).toBeGreaterThan(4);
    for (const [line, method = "", path = "", body] of calls) {
      const answer = await fetch(`${daemon.url}${path.replace("{runId}", runId)}`, {
        method,
        headers: { authorization: `Bearer ${daemon.key}`, "content-type": "application/json" },
        ...(body !== undefined && { body }),
      });
      const json = (await answer.json()) as { runId?: string };
      expect(answer.status, `${line}: ${JSON.stringify(json)}`).toBe(200);
      runId = json.runId ?? runId;
    }
  });

  test("is not on the registry's own port", async () => {
    expect((await fetch(`${daemon.registryUrl}/llms.txt`)).status).toBe(404);
  });
});
