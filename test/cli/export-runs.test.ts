import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startStandIn, type StandInRoutes } from "./stand-in-service.ts";

const file = "runId,status\r\n01RUN,COMPLETED\r\n01RÜN,FAILED\r\n";
const routes: StandInRoutes = { "GET /v1/runs/export": { headers: { "content-type": "text/csv" }, text: file } };
/** Sends a beginning, and then cuts the connection. */
const cutShort: StandInRoutes = {
  "GET /v1/runs/export": (_request, response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write("runId,status\r\n", () => setTimeout(() => response.destroy(), 20));
    return Promise.resolve(undefined);
  },
};

describe("mkt runs export", () => {
  test("writes the file to standard output, byte for byte", async () => {
    await using service = await startStandIn(routes);

    const { exitCode, stdout } = await runMkt(["runs", "export"], service);

    expect(exitCode).toBe(0);
    expect(stdout).toBe(file);
  });

  test("makes it harmless for a terminal", async () => {
    await using service = await startStandIn({ "GET /v1/runs/export": { text: "runId\r\n\u001b]0;owned\u0007x\r\n" } });

    const { stdout } = await runMkt(["runs", "export"], { ...service, tty: true });

    expect(stdout).toBe("runId\nx\n");
  });

  test("writes it to the file of -o, in place of what stood there, and says so", async () => {
    await using service = await startStandIn(routes);
    using folder = tempDir();
    const path = join(folder.path, "runs.csv");
    writeFileSync(path, "old");

    const { exitCode, stdout, stderr } = await runMkt(["runs", "export", "-o", path], service);

    expect(exitCode).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toBe(`Wrote ${Buffer.byteLength(file)} bytes to ${path}\n`);
    expect(readFileSync(path, "utf8")).toBe(file);
    expect(readdirSync(folder.path)).toEqual(["runs.csv"]);
  });

  test("leaves the old file as it was when the connection is cut, and says so", async () => {
    await using service = await startStandIn(cutShort);
    using folder = tempDir();
    const path = join(folder.path, "runs.csv");
    writeFileSync(path, "old");

    const { exitCode, stderr } = await runMkt(["runs", "export", "-o", path], service);

    expect(exitCode).toBe(9);
    expect(stderr).toContain("the connection was closed before the answer was complete");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder.path)).toEqual(["runs.csv"]);
  });

  test("never ends well with less than the whole on standard output", async () => {
    await using service = await startStandIn(cutShort);

    const { exitCode, stdout } = await runMkt(["runs", "export"], service);

    expect(exitCode).toBe(9);
    expect(stdout).toBe("runId,status\r\n");
  });

  test("tells what the service refuses", async () => {
    await using service = await startStandIn({
      "GET /v1/runs/export": { status: 400, body: { code: 400, message: "tag must be name:value" } },
    });

    const { exitCode, stderr } = await runMkt(["runs", "export", "--tag", "odd"], service);

    expect(exitCode).toBe(5);
    expect(stderr).toBe("error: tag must be name:value\n  next: mkt runs export --help\n");
  });

  test("with --json is one value, as of every command: the runs of all pages", async () => {
    await using service = await startStandIn({
      "GET /v1/runs": ({ query }) => ({
        body: query["cursor"] ? { items: [{ runId: "R2" }], cursor: null } : { items: [{ runId: "R1" }], cursor: "1" },
      }),
    });

    const { exitCode, stdout } = await runMkt(["runs", "export", "--json"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ items: [{ runId: "R1" }, { runId: "R2" }], cursor: null });
  });

  test("refuses a file that cannot be written, and a format that there is not", async () => {
    await using service = await startStandIn(routes);
    using folder = tempDir();
    const path = join(folder.path, "none", "runs.csv");

    const refused = await runMkt(["runs", "export", "-o", path], service);
    const unknown = await runMkt(["runs", "export", "--format", "xlsx"], service);

    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(`${path} cannot be written`) });
    expect(existsSync(path)).toBe(false);
    expect(unknown.exitCode).toBe(2);
  });
});
