import { expect, test } from "vitest";
import { runMkt } from "../support/run-cli.ts";
import { startStandIn } from "../cli/stand-in-service.ts";

async function serviceOf(version: string) {
  return await startStandIn({
    "GET /v1/auth/whoami": { headers: { "x-mkt-version": version }, body: { user: { userId: "u1", username: "ada" } } },
    "GET /v1/auth/workspaces": { headers: { "x-mkt-version": version }, body: { workspaces: [] } },
  });
}

test("a service of another version is told at a terminal, once, with the command that makes them one", async () => {
  await using service = await serviceOf("0.3.0");

  const { stderr } = await runMkt(["whoami"], { env: service.env, tty: true });

  const notes = stderr.split("\n").filter((line) => line.includes("The service is mkt 0.3.0, and this is mkt 0.1.0"));
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain("npm install --global mkt@0.3.0");
});

test.each([
  ["in a pipe", ["whoami"], false, "0.3.0"],
  ["with --json", ["whoami", "--json"], true, "0.3.0"],
  ["with --quiet", ["whoami", "--quiet"], true, "0.3.0"],
  ["where only the last number differs", ["whoami"], true, "0.1.9"],
  ["where the version is no version", ["whoami"], true, "0.3.0; rm -rf /"],
])("nothing is said %s", async (_what, words, tty, version) => {
  await using service = await serviceOf(version);

  const { exitCode, stderr } = await runMkt(words, { env: service.env, tty });

  expect(exitCode).toBe(0);
  expect(stderr).not.toContain("The service is mkt");
});
