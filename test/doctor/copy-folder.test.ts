import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyFolder } from "../../daemon/doctor/copy-folder.ts";
import { tempDir } from "../support/temp-dir.ts";

test.each(["copy", "..copy", "../data", "log/copy"])("a copy of a folder is not made in it: %s", async (place) => {
  using folder = tempDir();
  const data = join(folder.path, "data");
  mkdirSync(join(data, "log"), { recursive: true });

  const copying = copyFolder(data, join(data, place));

  await expect(copying).rejects.toMatchObject({ name: "CopyRefused", message: expect.stringContaining("lies in") });
  expect(readdirSync(data)).toEqual(["log"]);
});

test("beside it there is room for a copy, whatever its name", async () => {
  using folder = tempDir();
  const data = join(folder.path, "data");
  mkdirSync(data);
  writeFileSync(join(data, "FORMAT"), "1");

  await copyFolder(data, join(folder.path, "..copy"));

  expect(readFileSync(join(folder.path, "..copy", "FORMAT"), "utf8")).toBe("1");
});
