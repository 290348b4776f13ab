import { appendFileSync } from "node:fs";
import { test } from "vitest";
import { conform } from "./conform.ts";
const files = (process.env["B6_FILES"] ?? "").split(",");
test("explore", { timeout: 600_000 }, async () => {
  for (const f of files) {
    const t = Date.now();
    try {
      const r = await conform(`../shared/openapi-samples/${f}`, { allOperations: process.env["B6_ALL"] === "1" });
      appendFileSync(
        "/tmp/b6/out.txt",
        `=== ${f} endpoints ${r.endpoints} called ${r.called} runs ${r.runs} complaints ${r.complaints.length} notCalled ${r.notCalled.length} ${Date.now() - t} ms\n${r.complaints.map((c) => `  C ${c.slice(0, 3000)}\n`).join("")}${r.notCalled.map((c) => `  N ${c.slice(0, 300)}\n`).join("")}`,
      );
    } catch (e) {
      appendFileSync("/tmp/b6/out.txt", `=== ${f} FAILED ${(e as Error).stack?.slice(0, 700)}\n`);
    }
  }
});
