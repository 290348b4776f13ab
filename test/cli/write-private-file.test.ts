import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writePrivateFile } from "../../cli/output/write-private-file.ts";
import { runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startStandIn } from "./stand-in-service.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

const created = {
  label: "ci",
  key: "mkt_live_secret",
  keyPrefix: "mkt_live_s",
  createdBy: "USER#1",
  createdAt: "2026-01-01T00:00:00.000Z",
  owner: "u1",
  scopes: ["*"],
  status: "ACTIVE",
  origin: "API",
};

describe("a file for a secret", () => {
  test("is its owner's alone, also in the place of one that all could read", async () => {
    using folder = tempDir();
    const path = join(folder.path, "key.json");
    writeFileSync(path, "old");
    chmodSync(path, 0o644);

    await writePrivateFile(path, "secret");

    expect(readFileSync(path, "utf8")).toBe("secret");
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(["key.json"]);
  });

  test("is not written through a link", async () => {
    using folder = tempDir();
    const target = join(folder.path, "shared");
    const link = join(folder.path, "key.json");
    writeFileSync(target, "old");
    symlinkSync(target, link);

    await expect(writePrivateFile(link, "secret")).rejects.toThrow("name the file itself");

    expect(readFileSync(target, "utf8")).toBe("old");
  });

  test("may be a pipe, which stays one", async () => {
    using folder = tempDir();
    const path = join(folder.path, "pipe");
    execFileSync("mkfifo", [path]);

    const [read] = await Promise.all([readFile(path, "utf8"), writePrivateFile(path, "secret")]);

    expect(read).toBe("secret");
    expect(statSync(path).isFIFO()).toBe(true);
  });
});

test("mkt keys create --output writes the key so that its owner alone can read it", async () => {
  using folder = tempDir();
  await using service = await startStandIn({ "POST /v1/api-keys": { status: 201, body: created } });
  const path = join(folder.path, "key.json");
  writeFileSync(path, "old");
  chmodSync(path, 0o644);

  const { exitCode } = await runMkt(["keys", "create", "--label", "ci", "--output", path], { env: service.env });

  expect(exitCode).toBe(0);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ key: "mkt_live_secret" });
  expect(modeOf(path)).toBe(0o600);
});
