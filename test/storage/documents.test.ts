import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openDocument } from "../../daemon/storage/documents/documents.ts";
import { nodeFiles } from "../../daemon/storage/files.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { tempDir } from "../support/temp-dir.ts";

const Settings = z.object({ floor: z.number(), names: z.array(z.string()) });
const DEFAULTS = { floor: 0.5, names: [] };

function newPath(): string {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  return join(folder.path, "settings.json");
}

test("without a file the defaults hold, and nothing is written until something changes", async () => {
  const path = newPath();

  const document = await openDocument(path, Settings, DEFAULTS);

  expect(document.data).toEqual(DEFAULTS);
  expect(await readdir(join(path, ".."))).toEqual([]);
});

test("an update is there after a restart, indented for people, for the owner alone", async () => {
  const path = newPath();
  const document = await openDocument(path, Settings, DEFAULTS);

  await document.update((draft) => {
    draft.floor = 0.7;
  });
  const again = await openDocument(path, Settings, DEFAULTS);

  expect(document.data.floor).toBe(0.7);
  expect(again.data).toEqual({ floor: 0.7, names: [] });
  expect(await readFile(path, "utf8")).toBe('{\n  "floor": 0.7,\n  "names": []\n}\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(DEFAULTS.floor).toBe(0.5);
});

test("updates at once follow one another; none is lost, none leaves a file behind", async () => {
  const path = newPath();
  const document = await openDocument(path, Settings, DEFAULTS);
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);

  await Promise.all(names.map((name) => document.update((draft) => void draft.names.push(name))));

  expect(document.data.names).toEqual(names);
  expect((await readdir(join(path, ".."))).sort()).toEqual(["settings.json", "settings.json.bak"]);
  expect(JSON.parse(await readFile(`${path}.bak`, "utf8")).names).toEqual(names.slice(0, -1));
});

test("an edit made by hand meanwhile is kept", async () => {
  const path = newPath();
  const document = await openDocument(path, Settings, DEFAULTS);
  await document.update((draft) => void draft.names.push("first"));
  await writeFile(path, JSON.stringify({ floor: 0.9, names: ["by hand"] }));

  await document.update((draft) => void draft.names.push("second"));

  expect(document.data).toEqual({ floor: 0.9, names: ["by hand", "second"] });
});

test.each([
  ["not JSON", "{", "it is not JSON"],
  ["empty", "", "it is not JSON"],
  ["of another shape", '{"floor":"high","names":[]}', "floor: "],
  ["too large", JSON.stringify({ floor: 1, names: ["x".repeat(5_000_000)] }), "5000000"],
])("a file that is %s is passed over for the version before it, and that is said", async (_what, text, why) => {
  const path = newPath();
  const document = await openDocument(path, Settings, DEFAULTS);
  await document.update((draft) => void (draft.floor = 0.1));
  await document.update((draft) => void (draft.floor = 0.2));
  await writeFile(path, text);
  const warnings: string[] = [];

  const again = await openDocument(path, Settings, DEFAULTS, { onWarning: (message) => warnings.push(message) });

  expect(again.data.floor).toBe(0.1);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(path);
  expect(warnings[0]).toContain(why);
});

test("a bad file is kept as .bad when it is written anew", async () => {
  const path = newPath();
  const document = await openDocument(path, Settings, DEFAULTS);
  await document.update((draft) => void (draft.floor = 0.1));
  await document.update((draft) => void (draft.floor = 0.2));
  await writeFile(path, "half an ed");

  await document.update((draft) => void draft.names.push("new"));

  expect(await readFile(`${path}.bad`, "utf8")).toBe("half an ed");
  expect(document.data).toEqual({ floor: 0.1, names: ["new"] });
});

test("a bad file with no version before it is refused, with what to do", async () => {
  const path = newPath();
  await writeFile(path, "{");

  const opening = openDocument(path, Settings, DEFAULTS);

  await expect(opening).rejects.toMatchObject({
    name: "DocumentInvalid",
    path,
    message: expect.stringContaining("Correct it, or remove it"),
  });
  expect(await readFile(path, "utf8")).toBe("{");
});

test("an update that does not fit changes nothing, on the disk or in memory", async () => {
  const path = newPath();
  const document = await openDocument(path, Settings, DEFAULTS);
  await document.update((draft) => void (draft.floor = 0.1));

  const updates = await Promise.allSettled([
    document.update((draft) => void (draft.floor = "high" as never)),
    document.update((draft) => void draft.names.push("x".repeat(5_000_001))),
    document.update(() => {
      throw new Error("changed my mind");
    }),
  ]);

  expect(updates.map((update) => update.status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(document.data).toEqual({ floor: 0.1, names: [] });
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ floor: 0.1, names: [] });
});

test("a write that the disk refuses is told to its caller, and the next one goes through", async () => {
  const path = newPath();
  const faulty = faultyFiles(nodeFiles(), 0, "full");
  const document = await openDocument(path, Settings, DEFAULTS, { files: faulty.files });
  faulty.hitNext("write");

  const refused = document.update((draft) => void (draft.floor = 0.1));
  const accepted = document.update((draft) => void (draft.floor = 0.2));

  await expect(refused).rejects.toMatchObject({ code: "ENOSPC" });
  await accepted;
  expect(document.data.floor).toBe(0.2);
  expect(await readdir(join(path, ".."))).toEqual(["settings.json"]);
});

test("what an update that was killed left behind is cleared away", async () => {
  const path = newPath();
  await writeFile(`${path}.new-1234`, "{");

  await openDocument(path, Settings, DEFAULTS);

  expect(await readdir(join(path, ".."))).toEqual([]);
});
