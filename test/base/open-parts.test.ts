import { expect, test } from "vitest";
import { OpenParts } from "../../daemon/base/open-parts.ts";

function partThatTells(closed: string[], name: string): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => void closed.push(name) };
}

test("closes the last first, all of them though one fails, and tells the first failure", async () => {
  const closed: string[] = [];
  const opened = new OpenParts();
  opened.use(partThatTells(closed, "store"));
  opened.defer(async () => {
    throw new Error("the disk would not close");
  });
  opened.defer(async () => {
    throw new Error("the servers would not close");
  });
  opened.use(partThatTells(closed, "file"));

  await expect(opened[Symbol.asyncDispose]()).rejects.toThrow("the servers would not close");

  expect(closed).toEqual(["file", "store"]);
});

test("closes each part once, however often it is asked, and with its block", async () => {
  const closed: string[] = [];
  {
    await using opened = new OpenParts();
    opened.use(partThatTells(closed, "store"));
    await opened[Symbol.asyncDispose]();
    expect(closed).toEqual(["store"]);
  }

  expect(closed).toEqual(["store"]);
});

test("closes also what is opened while the others are closed, and after that at once", async () => {
  const closed: string[] = [];
  const opened = new OpenParts();
  opened.use(partThatTells(closed, "store"));
  opened.defer(async () => {
    closed.push("server");
    opened.use(partThatTells(closed, "opened for the last request"));
  });

  await opened[Symbol.asyncDispose]();
  opened.use(partThatTells(closed, "opened when all was over"));
  opened.defer(() => Promise.reject(new Error("the late one would not close")));

  expect(closed).toEqual(["server", "opened for the last request", "store", "opened when all was over"]);
});

test("is closed once by two who close it at the same time, in the order of the parts", async () => {
  const closed: string[] = [];
  const opened = new OpenParts();
  for (const name of ["store", "catalog", "server"]) {
    opened.defer(async () => {
      await Promise.resolve();
      closed.push(name);
    });
  }

  await Promise.all([opened[Symbol.asyncDispose](), opened[Symbol.asyncDispose]()]);

  expect(closed).toEqual(["server", "catalog", "store"]);
});
