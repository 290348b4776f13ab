import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/* Who is in a workspace, and who may know. docs/contract.md, "Workspaces" */

let daemon: TestDaemon;
let there: string;
beforeAll(async () => {
  daemon = await startTestDaemon();
  there = (await daemon.request("POST", "/v1/admin/workspaces", { name: "There" })).body.workspaceId;
  const { workspace } = (await daemon.request("GET", "/v1/auth/whoami")).body;
  await daemon.request("POST", "/v1/admin/users", { username: "ada", workspaceId: workspace.workspaceId });
  await daemon.request("POST", "/v1/admin/users", { username: "bob", email: "b@example.com", workspaceId: there });
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

async function keyOf(members: object, at = "/v1/api-keys"): Promise<Ask> {
  const { status, body } = await daemon.request("POST", at, { label: JSON.stringify(members), ...members });
  expect(status, JSON.stringify(body)).toBe(201);
  return askWith(daemon.url, body.key);
}

const namesOf = async (ask: Ask) =>
  (await ask("GET", "/v1/people")).body.items.map(({ username }: { username: string }) => username);

test("the people of a workspace are listed for its owners and managers, first come first", async () => {
  const manager = await keyOf({ role: "manager" });

  expect(await namesOf(daemon.request)).toEqual([expect.any(String), "ada"]);
  expect(await namesOf(manager)).toEqual(await namesOf(daemon.request));
});

test("a member is not told who else is there", async () => {
  const member = await keyOf({ role: "member" });

  expect((await member("GET", "/v1/people")).status).toBe(403);
});

test("another workspace sees its own people alone, without their addresses", async () => {
  const other = await keyOf({ scopes: ["*"] }, `/v1/admin/workspaces/${there}/api-keys`);
  const { body } = await other("GET", "/v1/people");

  expect(body.items.map(({ username }: { username: string }) => username)).toContain("bob");
  expect(JSON.stringify(body)).not.toContain("ada");
  expect(JSON.stringify(body)).not.toContain("example.com");
});
