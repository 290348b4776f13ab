import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBinaryOutput, suggestedName } from "../../shared/binary-output.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { anyText } from "../support/any-text.ts";

let upstream: FakeProvider;
let daemon: TestDaemon;
let folder: ReturnType<typeof tempDir>;
beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /report", {
    bytes,
    headers: {
      "content-type": "application/pdf; x=y",
      "content-disposition": 'attachment; filename="../../etc/re port.pdf"',
    },
  });
  daemon = await startTestDaemon({
    manifests: {
      reports: {
        displayName: "Reports",
        http: { baseUrl: upstream.url, allowPrivateNetwork: true },
        endpoints: {
          "/report": {
            description: "A report.",
            request: { method: "GET", path: "/report" },
            price: { type: "PER_CALL", amount: 0.001 },
          },
        },
      },
    },
  });
  folder = tempDir();
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** Every byte, and no valid UTF-8. */
const bytes = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.from(Array.from({ length: 256 }, (_, index) => index))]);
const at = (name: string) => join(folder.path, name);
const mkt = async (words: readonly string[], tty = false) =>
  await runMkt(words, { env: { MKT_API_KEY: daemon.key, MKT_API_URL: daemon.url }, tty });

describe("an answer of bytes", () => {
  test("is an output with its type, its length, a harmless name and base64", async () => {
    const { body } = await daemon.request("POST", "/v1/run", { provider: "reports", endpoint: "/report" });

    expect(body.output).toEqual({
      contentType: "application/pdf",
      bytes: bytes.length,
      filename: "re port.pdf",
      base64: bytes.toString("base64"),
    });
  });

  test("is written by -o as it came, over what was there, and nowhere else", async () => {
    writeFileSync(at("report.pdf"), "an older and longer file ".repeat(100));

    const { exitCode, stdout, stderr } = await mkt(["run", "reports/report", "-o", at("report.pdf")]);

    expect(exitCode).toBe(0);
    expect(readFileSync(at("report.pdf")).equals(bytes)).toBe(true);
    expect(stdout).toBe("");
    expect(stderr).toContain(`Wrote ${bytes.length} bytes to ${at("report.pdf")}`);
  });

  test("is written later from the run, as often as wanted", async () => {
    const { body } = await daemon.request("POST", "/v1/run", { provider: "reports", endpoint: "/report" });

    await mkt(["get-run", body.runId, "-o", at("again.pdf")]);

    expect(readFileSync(at("again.pdf")).equals(bytes)).toBe(true);
  });

  test("never fills a terminal: it is told what came, and how to write it", async () => {
    const { stdout } = await mkt(["run", "reports/report"], true);
    const refused = await mkt(["run", "reports/report", "-o", "-"], true);

    expect(stdout).toContain(`application/pdf, ${bytes.length} bytes, re port.pdf`);
    expect(stdout).toContain("-o <file>");
    expect(stdout).not.toContain(bytes.toString("base64").slice(0, 40));
    expect(refused.exitCode).toBe(5);
    expect(refused.stderr).toContain("The data is bytes, which are not for a terminal");
  });

  test("that cannot be written is not lost: the run and the way to it are named", async () => {
    const { exitCode, stderr } = await mkt(["run", "reports/report", "-o", at("no-folder/report.pdf")]);

    expect(exitCode).toBe(5);
    expect(stderr).toContain("cannot be written");
  });
});

describe("the name that a provider suggests", () => {
  test.each([
    ['attachment; filename="report.pdf"', "report.pdf"],
    ["attachment; filename=report.pdf; size=3", "report.pdf"],
    ["attachment; filename*=UTF-8''%E2%82%AC%20rates.csv; filename=x.csv", "€ rates.csv"],
    ['attachment; filename="C:\\\\Windows\\\\system32\\\\evil.exe"', "evil.exe"],
    ['attachment; filename="/etc/passwd"', "passwd"],
    ['attachment; filename=".bashrc"', "bashrc"],
    ['attachment; filename=".."', undefined],
    ['attachment; filename="-rf"', "rf"],
    [`attachment; filename="${"x".repeat(9)}.${"b".repeat(119)}"`, "b".repeat(119)],
    ['attachment; filename="a\u202Efdp.exe"', "afdp.exe"],
    ["attachment; filename*=UTF-8''%ZZ", undefined],
    ["inline", undefined],
    [undefined, undefined],
  ])("%j is %j", (header, name) => {
    expect(suggestedName(header)).toBe(name);
  });

  test("is never a path, whatever the header says", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const name = suggestedName(`attachment; filename="${text}"`);
        expect(name ?? "x").not.toMatch(/[/\\\0\r\n]|^[.-]|^$/);
      }),
    );
  });
});

test("bytes are read from an output as they were, and from nothing else", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (data) => {
      const base64 = Buffer.from(data).toString("base64");
      const read = readBinaryOutput({ contentType: "a/b", bytes: data.length, base64 });
      expect(Buffer.from(read?.base64 ?? "", "base64").equals(data)).toBe(true);
    }),
  );
  expect(readBinaryOutput({ contentType: "a/b", base64: "YQ==" })).toMatchObject({ bytes: 1 });
  expect(readBinaryOutput({ contentType: "a/b", base64: "YQ=" })).toBeUndefined();
  expect(readBinaryOutput({ contentType: "a/b", bytes: 2, base64: "YQ==" })).toBeUndefined();
  expect(readBinaryOutput({ contentType: "a/b", base64: "YQ==", more: 1 })).toBeUndefined();
});
