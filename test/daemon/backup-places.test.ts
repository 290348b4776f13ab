import { chmod, chown, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

async function withDaemon(
  work: (
    path: string,
    backUp: (directory: string) => Promise<{ status: number; body: { message?: string } }>,
  ) => Promise<void>,
): Promise<void> {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });
  await work(home.path, async (directory) => await daemon.request("POST", "/v1/admin/backup", { directory }));
}

test.each([
  ["a link that leads nowhere", "dangling"],
  ["a folder below a link that leads nowhere", "dangling/copy"],
  ["a link to itself", "loop"],
  ["a folder below a link to itself", "loop/copy"],
  ["a link into the data folder where nothing is yet", "inward"],
  ["a file", "file"],
])("a backup into %s is a 400 that names it", async (_, name) => {
  await withDaemon(async (path, backUp) => {
    await symlink(join(path, "nowhere"), join(path, "dangling"));
    await symlink(join(path, "loop"), join(path, "loop"));
    await symlink(join(path, "data", "new"), join(path, "inward"));
    await writeFile(join(path, "file"), "mine");

    const { status, body } = await backUp(join(path, name));

    expect(status, body.message).toBe(400);
    expect(body.message).toContain(join(path, name));
    expect(await readdir(path)).not.toContain("nowhere");
  });
});

test.runIf(isRoot)("a backup into a folder that belongs to somebody else is a 400", async () => {
  await withDaemon(async (path, backUp) => {
    const directory = join(path, "theirs");
    await mkdir(directory, { mode: 0o700 });
    await chown(directory, NOBODY, NOBODY);

    const { status, body } = await backUp(directory);

    expect(status, body.message).toBe(400);
    expect(body.message).toContain("belongs to another user");
    expect(await readdir(directory)).toEqual([]);
  });
});

test.runIf(isRoot)(
  "a backup onto a disk that cannot be written is a 400, into a new folder and into one that is there",
  async (context) => {
    using disk = mountSmallDisk(4);
    if (disk === undefined) return context.skip("nothing can be mounted here");
    await mkdir(join(disk.path, "there"), { mode: 0o700 });
    disk.makeReadOnly();

    await withDaemon(async (_, backUp) => {
      const answers = [await backUp(join(disk.path, "new")), await backUp(join(disk.path, "there"))];

      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect(answers.map(({ body }) => body.message)).toEqual([
        expect.stringContaining("read-only"),
        expect.stringContaining("read-only"),
      ]);
    });
    expect(await readdir(disk.path)).toEqual(["there"]);
  },
);

test("a backup that finds too little room leaves the folder that was there, and nothing in it", async (context) => {
  using disk = mountSmallDisk(1);
  if (disk === undefined) return context.skip("nothing can be mounted here");
  const directory = join(disk.path, "there");
  await mkdir(directory, { mode: 0o700 });
  disk.fill();

  await withDaemon(async (_, backUp) => {
    const { status, body } = await backUp(directory);

    expect(status, body.message).toBe(400);
    expect(body.message).toContain("too little room");
    expect((await stat(directory)).isDirectory()).toBe(true);
    expect(await readdir(directory)).toEqual([]);
  });
});

test("of two backups into one folder at once, one is whole and the other is refused", async () => {
  await withDaemon(async (path, backUp) => {
    const directory = join(path, "copy");
    await mkdir(directory, { mode: 0o700 });

    const answers = await Promise.all([backUp(directory), backUp(directory), backUp(directory)]);

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
    expect((await readdir(directory)).toSorted()).toEqual(["FORMAT", "blobs", "docs", "log", "state"]);
  });
});

test.skipIf(isRoot)("a backup into a folder that may not be written is a 400", async () => {
  await withDaemon(async (path, backUp) => {
    const directory = join(path, "closed");
    await mkdir(directory, { mode: 0o700 });
    await chmod(directory, 0o500);

    const { status, body } = await backUp(directory);

    expect(status, body.message).toBe(400);
    expect(body.message).toContain("cannot be written");
  });
});
