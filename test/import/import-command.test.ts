import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { documentFolder, openApi, operation } from "./descriptions.ts";

test("mkt catalog import writes into the catalog of the configuration, and drift, edits and diff follow", async () => {
  using home = mktHome();
  using folder = documentFolder();
  const file = folder.write("openapi.json", openApi());
  const manifest = join(home.configDir, "catalog", "pets.yaml");

  const imported = await spawnMkt(["catalog", "import", file, "--price", "0.01"], { home });
  const before = join(home.path, "pets.before.yaml");
  writeFileSync(before, readFileSync(manifest));
  const same = await spawnMkt(["catalog", "drift"], { home });
  const { get } = (openApi()["paths"] as Record<string, { get: object }>)["/pets"] ?? {};
  folder.write("openapi.json", openApi({ paths: { "/pets": { get }, "/toys": { get: operation("Toys") } } }));
  const drift = await spawnMkt(["catalog", "drift", "pets", "--json"], { home });
  const again = await spawnMkt(["catalog", "import", file, "--json"], { home });
  const diff = await spawnMkt(["catalog", "diff", before, manifest], { home });

  expect([imported.code, same.code, drift.code, again.code, diff.code]).toEqual([0, 0, 1, 0, 1]);
  expect(imported.stdout).toContain(`Pets: 2 endpoints, written to ${manifest}`);
  expect(imported.stderr).toBe("");
  expect(same.stdout).toBe("pets: as it was imported.\n");
  expect(JSON.parse(drift.stdout).providers).toMatchObject([
    { provider: "pets", state: "changed", added: ["GET /toys"], removed: ["POST /pets", "GET /pets/{id}"] },
  ]);
  expect(JSON.parse(again.stdout).documents).toMatchObject([{ file, provider: "pets", endpoints: 2, skipped: [] }]);
  expect(diff.stdout).toContain("- pets/pets/{id}  ! no longer there\n");
  expect(diff.stdout).toContain("+ pets/toys\n    costs $0.01 a call\n");
});

test("mkt catalog import tells what is wrong with a document, harmless on a screen, and ends with 5", async () => {
  using home = mktHome();
  using folder = documentFolder();
  const file = folder.write("openapi.yaml", "openapi: 3.0.0\ninfo: {\u001b[2J\n\ttitle: x\n");

  const { code, stdout } = await spawnMkt(["catalog", "import", file], { home });

  expect(code).toBe(5);
  expect(stdout).toContain(`${file} was not imported.`);
  expect(stdout).not.toContain("\u001b");
});

test.each([
  ["a link that leads nowhere", "dangling"],
  ["a link to itself", "loop"],
  ["a file", "file"],
])("mkt catalog import --out with %s says so and leaves it as it was", async (_, name) => {
  using home = mktHome();
  using folder = documentFolder();
  const file = folder.write("openapi.json", openApi());
  symlinkSync("nowhere/at/all", join(home.path, "dangling"));
  symlinkSync("loop", join(home.path, "loop"));
  writeFileSync(join(home.path, "file"), "mine");
  const out = join(home.path, name);

  const { code, stdout } = await spawnMkt(["catalog", "import", file, "--out", out], { home });

  expect(code).toBe(5);
  expect(stdout).toContain(`Nothing can be written to ${out}`);
  expect(readFileSync(join(home.path, "file"), "utf8")).toBe("mine");
});

test.each([
  [["--slug", "No Slug"], "--slug takes", 5],
  [["--base-url", "ftp://x"], "--base-url takes", 5],
  [["--price", "much"], "amount in dollars", 2],
])("mkt catalog import %j is refused", async (flags, words, code) => {
  using home = mktHome();

  const outcome = await spawnMkt(["catalog", "import", "x.json", ...flags], { home });

  expect(outcome.stderr).toContain(words);
  expect(outcome.code).toBe(code);
});

test("mkt catalog drift of a folder that is not there is told", async () => {
  using home = mktHome();

  const { code, stderr } = await spawnMkt(["catalog", "drift", "--dir", join(home.path, "absent")], { home });

  expect(code).toBe(5);
  expect(stderr).toContain("There is no folder");
});

test.each(["check", "test"])("mkt catalog %s of a path that is not there ends with 8, not found", async (command) => {
  using home = mktHome();

  const { code, stderr } = await spawnMkt(["catalog", command, "absent.yaml"], { home });

  expect(code).toBe(8);
  expect(stderr).toContain("absent.yaml does not exist");
});

test("mkt catalog drift of a provider that was not imported is told", async () => {
  using home = mktHome();

  const { code, stderr } = await spawnMkt(["catalog", "drift", "pets"], { home });

  expect(code).toBe(5);
  expect(stderr).toContain("There is no pets");
});
