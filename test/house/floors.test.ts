import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const script = fileURLToPath(new URL("../../bin/house/check-floors.mjs", import.meta.url));
const floors = { ".": [["shared"], ["daemon"]], daemon: [["ledger"], ["runs", "wallet"]] };
const soundHouse = {
  "shared/money.ts": "",
  "daemon/ledger/line.ts": 'import { money } from "../../shared/money.ts";',
  "daemon/runs/run.ts": 'import type { Line } from "../ledger/line.ts";',
  "daemon/wallet/wallet.ts": 'export * from "../ledger/line.ts";',
  "daemon/daemon.ts": 'import { run } from "./runs/run.ts";',
};

function check(root?: string) {
  const { status, stderr } = spawnSync(process.execPath, [script, ...(root === undefined ? [] : [root])], {
    encoding: "utf8",
  });
  return { status, problems: stderr.split("\n").filter((line) => line !== "") };
}

async function checkHouse(files: Readonly<Record<string, string>>, lists: object = floors) {
  using folder = await tempDir();
  for (const [path, text] of Object.entries({ ...files, "bin/house/floors.json": JSON.stringify(lists) })) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  return check(folder.path);
}

test("every import of this house goes down, and no folders are in a circle", () => {
  expect(check()).toEqual({ status: 0, problems: [] });
});

test("imports of lower floors are no problem", async () => {
  expect(await checkHouse(soundHouse)).toEqual({ status: 0, problems: [] });
});

test.each([
  [
    "goes up",
    { "daemon/ledger/line.ts": 'import { run } from "../runs/run.ts";' },
    "daemon/ledger/line.ts imports daemon/runs/run.ts: runs/ is on floor 2, above floor 1 of ledger/",
  ],
  [
    "goes up for a type alone",
    { "daemon/ledger/line.ts": 'import type {\n  Run,\n} from "../runs/run.ts";' },
    "daemon/ledger/line.ts imports daemon/runs/run.ts: runs/ is on floor 2, above floor 1 of ledger/",
  ],
  [
    "goes up when it is called",
    { "daemon/ledger/line.ts": 'const { run } = await import("../runs/run.ts");' },
    "daemon/ledger/line.ts imports daemon/runs/run.ts: runs/ is on floor 2, above floor 1 of ledger/",
  ],
  [
    "goes to a room of the same floor",
    { "daemon/wallet/wallet.ts": 'export { run } from "../runs/run.ts";' },
    "daemon/wallet/wallet.ts imports daemon/runs/run.ts: runs/ is on the same floor",
  ],
  [
    "goes to the front door",
    { "daemon/runs/run.ts": 'import { daemon } from "../daemon.ts";' },
    "daemon/runs/run.ts imports daemon/daemon.ts, which is above all rooms of daemon/",
  ],
  [
    "leaves its part of the house",
    { "shared/money.ts": 'import { line } from "../daemon/ledger/line.ts";' },
    "shared/money.ts imports daemon/ledger/line.ts: daemon/ is on floor 2, above floor 1 of shared/",
  ],
])("an import that %s is told", async (_, changed, problem) => {
  expect(await checkHouse({ ...soundHouse, ...changed })).toEqual({ status: 1, problems: [problem] });
});

test("a folder needs a floor, and a floor its folder", async () => {
  const lists = { ...floors, daemon: [["ledger"], ["runs", "keys"]] };

  expect(await checkHouse(soundHouse, lists)).toEqual({
    status: 1,
    problems: ["daemon/wallet/ has no floor in bin/house/floors.json", "daemon/keys/ of bin/house/floors.json is gone"],
  });
});

test("folders inside a feature may not know each other in a circle, not even through a third", async () => {
  const house = {
    ...soundHouse,
    "daemon/runs/gates/gate.ts": 'import { queue } from "../queue/queue.ts";',
    "daemon/runs/queue/queue.ts": 'import { run } from "../run.ts";',
    "daemon/runs/run.ts": 'import { gate } from "./gates/gate.ts";',
  };

  expect(await checkHouse(house)).toEqual({
    status: 1,
    problems: [
      "daemon/runs/: gates and queue know each other; daemon/runs/gates/gate.ts imports daemon/runs/queue/queue.ts",
      "daemon/runs/: queue and run.ts know each other; daemon/runs/queue/queue.ts imports daemon/runs/run.ts",
      "daemon/runs/: run.ts and gates know each other; daemon/runs/run.ts imports daemon/runs/gates/gate.ts",
    ],
  });
});
