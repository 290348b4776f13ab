import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import { catalogFolder, fixturesDir } from "../catalog/catalog-folder.ts";
import { runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

async function mkt(...argv: readonly string[]) {
  return await runMkt(["catalog", "export", ...argv], {
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: Date.now() }),
  });
}

describe("mkt catalog export", () => {
  test("prints the catalog as OpenAPI for the service that is named", async () => {
    const { exitCode, stdout } = await mkt("--provider", "skywatch", fixturesDir, "--server-url", "https://m.example/");

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      openapi: "3.1.0",
      servers: [{ url: "https://m.example" }],
      paths: { "/v1/run#skywatch_forecast_city": { post: { operationId: "skywatch_forecast_city" } } },
    });
  });

  test("writes the same file for the same catalog", async () => {
    using folder = tempDir();
    const [one, other] = [join(folder.path, "one.json"), join(folder.path, "other.json")];

    await mkt(fixturesDir, "--format", "mcp", "--out", one);
    const { stdout, stderr } = await mkt(fixturesDir, "--format", "mcp", "--out", other);

    expect(stdout).toBe("");
    expect(stderr).toContain(`Wrote ${other}`);
    expect(readFileSync(one, "utf8")).toBe(readFileSync(other, "utf8"));
    expect(JSON.parse(readFileSync(one, "utf8")).tools.length).toBeGreaterThan(4);
  });

  test("says that files with problems are left out", async () => {
    using folder = catalogFolder({ examples: true });
    folder.write("broken", { mkt: 1 });

    const { exitCode, stdout, stderr } = await mkt(folder.path, "--format", "mcp");

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).tools.length).toBeGreaterThan(4);
    expect(stderr).toContain("mkt catalog check");
  });

  test.each([
    ["a provider that is not there", [fixturesDir, "--provider", "skywach"], /did you mean "skywatch"/],
    ["an address that is none", [fixturesDir, "--server-url", "market"], /not the address of a service/],
    ["a format that is not known", [fixturesDir, "--format", "raml"], /openapi, mcp/],
    ["a folder that is not there", ["./nowhere"], /does not exist/],
    ["a file that cannot be written", [fixturesDir, "--out", "/nowhere/x.json"], /cannot be written/],
    ["a folder in the place of a file", [fixturesDir, "--out", fixturesDir], /cannot be written/],
  ])("says what is wrong with %s", async (_, argv, message) => {
    const { exitCode, stderr } = await mkt(...argv);

    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(message);
  });
});
