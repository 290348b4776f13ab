import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replaceFile, replacePrivateFile } from "../../shared/replace-file.ts";
import { tempDir } from "../support/temp-dir.ts";

test("a file keeps its rights when its text is replaced, whatever new files get", async () => {
  using dir = tempDir();
  const file = join(dir.path, "shop.yaml");
  writeFileSync(file, "old\n");
  chmodSync(file, 0o664);

  await replaceFile(file, "new\n");

  expect(readFileSync(file, "utf8")).toBe("new\n");
  expect(statSync(file).mode & 0o777).toBe(0o664);
  expect(readdirSync(dir.path)).toEqual(["shop.yaml"]);
});

test("a private file is its owner's alone, whatever it was before", async () => {
  using dir = tempDir();
  const file = join(dir.path, "secrets.json");
  writeFileSync(file, "{}");
  chmodSync(file, 0o644);

  await replacePrivateFile(file, '{"a":1}');

  expect(readFileSync(file, "utf8")).toBe('{"a":1}');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
