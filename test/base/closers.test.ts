import { expect, test } from "vitest";
import { Closers } from "../../daemon/base/closers.ts";

test("closes the last first, all of them though one fails, and tells the first failure", async () => {
  const closed: string[] = [];
  const closers = new Closers();
  closers.add(async () => void closed.push("store"));
  closers.add(async () => {
    throw new Error("the servers would not close");
  });
  closers.add(async () => void closed.push("file"));

  await expect(closers.close()).rejects.toThrow("the servers would not close");

  expect(closed).toEqual(["file", "store"]);
});
