import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { z as zod } from "zod";
import { deferSchemas } from "../../bin/build/build-daemon.ts";
import { z as deferred } from "../../bin/compiled/deferred-schemas.ts";
import { operations } from "../../shared/contract/index.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { toOpenApiDocument } from "../../shared/openapi.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = join(import.meta.dirname, "../..");
const z = deferred as unknown as typeof zod;

interface Contract {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly toOpenApiDocument: typeof toOpenApiDocument;
}

/** The contract as the build of the daemon makes it. */
async function builtContract(): Promise<Contract> {
  using folder = tempDir();
  const outfile = join(folder.path, "contract.mjs");
  const contents = `export { operations } from "./shared/contract/index.ts"; export * from "./shared/openapi.ts";`;
  await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    plugins: [deferSchemas],
  });
  return (await import(pathToFileURL(outfile).href)) as Contract;
}

describe("a schema of the built daemon", () => {
  let built: Contract;
  beforeAll(async () => {
    built = await builtContract();
  });

  test("is made when something is asked of it, and once", () => {
    const made = vi.fn(() => zod.string());
    const shape = {
      get name() {
        return made();
      },
    };

    const schema = z.strictObject(shape).optional().meta({ description: "later" });
    expect(made).not.toHaveBeenCalled();

    expect(schema.parse({ name: "x" })).toEqual({ name: "x" });
    expect(schema.parse(undefined)).toBeUndefined();
    expect(schema.meta()).toEqual({ description: "later" });
    expect(made).toHaveBeenCalledTimes(1);
  });

  test("may hold itself", () => {
    interface Tree {
      readonly children: readonly Tree[];
    }
    const tree: zod.ZodType<Tree> = z.strictObject({ children: z.array(z.lazy(() => tree)) });

    expect(tree.safeParse({ children: [{ children: [] }] }).success).toBe(true);
    expect(tree.safeParse({ children: [{ children: [1] }] }).success).toBe(false);
  });

  test("says the same in the OpenAPI document", () => {
    const options = { version: "1.2.3", servers: ["https://mkt.example"] };

    expect(built.toOpenApiDocument(built.operations, options)).toEqual(toOpenApiDocument(operations, options));
  });

  test.each(Object.keys(operations))("judges what is sent to %s as zod does", (id) => {
    const [ours, theirs] = [built.operations[id], (operations as Contract["operations"])[id]];
    for (const part of ["params", "query", "headers", "body"] as const) {
      expect(ours?.[part] === undefined).toBe(theirs?.[part] === undefined);
      if (theirs?.[part] === undefined) continue;
      const names = fc.constantFrom(...namesIn(theirs[part]), "other");
      const values = fc.oneof(fc.dictionary(names, fc.jsonValue()), fc.jsonValue());
      fc.assert(
        fc.property(values, (value) => {
          const [own, expected] = [ours?.[part]?.safeParse(value), theirs[part]?.safeParse(value)];
          expect(own?.data).toEqual(expected?.data);
          expect(own?.error?.issues).toEqual(expected?.error?.issues);
        }),
        { numRuns: 20 },
      );
    }
  });
});

function namesIn(schema: zod.ZodType): readonly string[] {
  return schema instanceof zod.ZodObject ? Object.keys(schema.shape) : [];
}
