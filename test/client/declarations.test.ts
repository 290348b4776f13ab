import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientDeclarations } from "../../bin/build/client-declarations.ts";
import { operations } from "../../shared/contract/index.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = new URL("../..", import.meta.url).pathname;
const typesOfClient = new URL("client-types.ts", import.meta.url).pathname;
const HANG_MS = 120_000;

/** What the published types say of every method is what the contract's own schemas say of it, read both ways. */
const comparison = `
import type { Client as Published } from "./client.d.ts";
import type { Client as Inferred } from "${root}shared/client/client.ts";
type Told<Method> = Method extends (...words: infer Words) => Promise<infer Answer> ? { words: Words; answer: Answer } : never;
type Methods = Exclude<keyof Inferred, "call" | "open" | "stream">;
type Missing = Exclude<Methods, keyof Published> | Exclude<keyof Published, Methods | "stream">;
export const nothingIsMissing: [Missing] extends [never] ? true : Missing = true;
type Both = { [Name in Methods & keyof Published]: [Told<Published[Name]>, Told<Inferred[Name]>] };
type Fits<One, Other> = [One] extends [Other] ? true : false;
type Stricter = STRICTER;
export const publishedFitsInferred: { [Name in keyof Both]: Fits<Both[Name][0], Both[Name][1]> } = EVERY;
export const inferredFitsPublished: {
  [Name in keyof Both]: Name extends Stricter ? true : Fits<Both[Name][1], Both[Name][0]>
} = EVERY;
`;

/**
 * Their body has optional members alone, and is still to be sent, or takes one of some texts: the types that are published
 * say so.
 */
const stricter = [
  "discover",
  "updateBudget",
  "updateRunCap",
  "updateApiKey",
  "updateAdminSettings",
  "denyRun",
  "updateApprovalRule",
  "completeConnection",
  "updateSchedule",
  "createWebhook",
  "updateWebhook",
  "rotateWebhookSecret",
  "resendWebhookDeliveries",
];

describe("the types of mkt/client", () => {
  const folder = tempDir("mkt-types-");
  let declarations: string;
  /** What the compiler says of both files, line by line. */
  let complaints: readonly string[];

  beforeAll(async () => {
    declarations = await clientDeclarations(operations);
    writeFileSync(join(folder.path, "client.d.ts"), declarations);
    symlinkSync(join(root, "node_modules"), join(folder.path, "node_modules"));
    const names = Object.values(operations).flatMap(({ operationId, ...rest }) =>
      "streams" in rest ? [] : [operationId],
    );
    const every = `{\n${names.map((name) => `  ${name}: true,`).join("\n")}\n}`;
    const either = stricter.map((name) => JSON.stringify(name)).join(" | ");
    writeFileSync(
      join(folder.path, "comparison.ts"),
      comparison.replaceAll("EVERY", every).replace("STRICTER", either),
    );
    complaints = compile(folder.path, ["comparison.ts", typesOfClient]).split("\n").filter(Boolean);
  }, HANG_MS);

  afterAll(() => folder[Symbol.dispose]());

  test("name every operation of the service, with its route and in plain words", () => {
    for (const { operationId, method, path } of Object.values(operations)) {
      expect(declarations).toContain(operationId);
      expect(declarations).toContain(`\`${method} ${path}\``);
    }
    expect(declarations).not.toContain("zod");
    expect(declarations).not.toContain("import ");
  });

  test("say of every operation the same as the contract, in what it takes and in what it answers", () => {
    expect(complaints.filter((line) => !line.includes("client-types.ts"))).toEqual([]);
  });

  test("inside this repository are what client-types.ts asserts of them", () => {
    expect(complaints.filter((line) => line.includes("client-types.ts"))).toEqual([]);
  });
});

/** What the compiler says of files; nothing when all is well. */
function compile(folder: string, files: readonly string[]): string {
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--allowImportingTsExtensions"];
  const words = [
    join(root, "node_modules/typescript/bin/tsc"),
    ...flags,
    "--types",
    "node",
    "--lib",
    "es2023,esnext.disposable",
    "--skipLibCheck",
    ...files,
  ];
  try {
    return execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  } catch (error) {
    return String((error as { stdout: unknown }).stdout);
  }
}
