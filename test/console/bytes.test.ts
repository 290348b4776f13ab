import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { consoleDir } from "./console-dir.ts";

/* What a browser loads of the built console. docs/console.md, "What is served" */

test("the first paint needs 60 kB at most, and the whole console 120", () => {
  const page = readFileSync(join(consoleDir, "index.html"), "utf8");
  const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  const packed = (path: string) => gzipSync(readFileSync(join(consoleDir, path)), { level: 9 }).length;
  const all = readdirSync(join(consoleDir, "assets")).filter((name) => /\.(?:js|css)$/.test(name));
  const sum = (sizes: readonly number[]) => sizes.reduce((a, b) => a + b, 0);

  expect(first.length).toBeGreaterThanOrEqual(2);
  expect(gzipSync(page).length + sum(first.map(packed))).toBeLessThan(60_000);
  expect(sum(all.map((name) => packed(`assets/${name}`)))).toBeLessThan(120_000);
  expect(page).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/i);
});
