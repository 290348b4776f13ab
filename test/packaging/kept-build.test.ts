import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isBuilt, noteBuild } from "../../bin/build/kept-build.mjs";
import { tempDir } from "../support/temp-dir.ts";

/** A checkout that was built just now. */
function builtCheckout() {
  const folder = tempDir();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true });
    writeFileSync(join(folder.path, file), text);
  };
  write("daemon/runs/run.ts", "run");
  write("shared/price.ts", "price");
  write("package-lock.json", "{}");
  write("dist/mkt.js", "built");
  write("dist/catalog/atlas.json", "{}");
  noteBuild(folder.path);
  return {
    path: folder.path,
    write,
    remove: (file: string) => rmSync(join(folder.path, file), { recursive: true }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

type Checkout = ReturnType<typeof builtCheckout>;

test("a build is kept as long as it is what the sources give", () => {
  using checkout = builtCheckout();

  expect(isBuilt(checkout.path)).toBe(true);
  expect(isBuilt(`${checkout.path}/`)).toBe(true);
});

test.each<[string, (checkout: Checkout) => void]>([
  ["a test changed", ({ write }) => write("test/runs/run.test.ts", "test")],
  ["a daemon kept its compiled code beside it", ({ write }) => write("dist/compiled/daemon.cjs-1.bin", "code")],
])("it is also kept when %s", (_what, change) => {
  using checkout = builtCheckout();

  change(checkout);

  expect(isBuilt(checkout.path)).toBe(true);
});

test.each<[string, (checkout: Checkout) => void]>([
  ["a source changed, with as many bytes", ({ write }) => write("shared/price.ts", "PRICE")],
  ["a source is new", ({ write }) => write("daemon/runs/new.ts", "")],
  ["a source is gone", ({ remove }) => remove("daemon/runs/run.ts")],
  [
    "a source has another name",
    ({ write, remove }) => {
      remove("shared/price.ts");
      write("shared/prize.ts", "price");
    },
  ],
  ["other packages are locked", ({ write }) => write("package-lock.json", '{"packages":{}}')],
  ["what was built changed", ({ write }) => write("dist/catalog/atlas.json", "[]")],
  ["a file of it is gone", ({ remove }) => remove("dist/mkt.js")],
  ["a file came to it", ({ write }) => write("dist/other.js", "")],
  ["the note is damaged", ({ write }) => write("dist/built-of.json", "{")],
  ["all of it is gone", ({ remove }) => remove("dist")],
])("it is made again when %s", (_what, change) => {
  using checkout = builtCheckout();

  change(checkout);

  expect(isBuilt(checkout.path)).toBe(false);
});
