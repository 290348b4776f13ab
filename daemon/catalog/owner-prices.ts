import { readFile, stat } from "node:fs/promises";
import { isMap, parseDocument } from "yaml";
import { z } from "zod";
import { replaceFile } from "../../shared/replace-file.ts";
import { ManifestRule } from "../billing/manifest-price.ts";
import { MANIFEST_VERSION } from "../manifest/manifest.ts";
import { type CatalogProblem, ProblemList, tellEarlierServed } from "./catalog-problem.ts";
import { reportIssues } from "./manifest-issues.ts";
import { readManifestFile } from "./read-manifest-file.ts";

/**
 * `<config>/prices.yaml`: what the owner of a service lets callers pay, in place of the prices in provider files; so it
 * outlives their updates. By `provider/endpoint`, or by `provider` for all of its endpoints that have none of their own.
 */
export const OwnerPricesFile = z.strictObject({
  mkt: z.literal(MANIFEST_VERSION),
  prices: z
    .record(z.string().regex(/^[a-z0-9-]+(?:\/.*)?$/, "provider, or provider/endpoint"), ManifestRule)
    .default({}),
});

/** By `provider/endpoint` or `provider`. The same object as long as the file is the same. */
export interface OwnerPrices {
  readonly prices: ReadonlyMap<string, ManifestRule>;
  readonly problems: readonly CatalogProblem[];
}

/** The name of a price in the file. */
export function priceName(provider: string, endpoint?: string): string {
  return `${provider}${endpoint ?? ""}`;
}

const NONE: OwnerPrices = { prices: new Map(), problems: [] };

const HEADER = `# Prices that the owner of this marketplace set, in USD: what callers pay, in place of the prices in
# provider files. By provider/endpoint, or by provider for all of its endpoints. Written by mkt catalog price.
mkt: 1
prices: {}
`;

/** Reads the file again and again, and changes single prices in it; comments and order of whoever edits it stay. */
export class OwnerPriceStore {
  readonly file: string;
  #stamp: string | undefined;
  #known: OwnerPrices = NONE;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.file = file;
  }

  /** What is wrong with the file becomes problems; as long as it cannot be read, what it said before holds (Manifest rule 14). */
  async read(): Promise<OwnerPrices> {
    const stamp = await stampOf(this.file);
    if (stamp === this.#stamp) return this.#known;
    const now = stamp === "absent" ? NONE : await readPrices(this.file);
    this.#known = now.prices === undefined ? keptFrom(this.#known, now) : { ...now, prices: now.prices };
    this.#stamp = stamp;
    return this.#known;
  }

  /** Resolves when the file is written. Rejects with the file's problem where it is no YAML that could be kept. */
  async put(name: string, price: ManifestRule): Promise<void> {
    await this.#change((document) => document.setIn(["prices", name], document.createNode(price, { flow: true })));
  }

  /** Resolves when the file is written; false when it had no such price. */
  async remove(name: string): Promise<boolean> {
    return await this.#change((document) => document.deleteIn(["prices", name]));
  }

  async #change<Result>(change: (document: ReturnType<typeof parseDocument>) => Result): Promise<Result> {
    const step = this.#changing.then(async () => {
      const text = await readFile(this.file, "utf8").catch(ifAbsent);
      const document = parseDocument(text ?? HEADER);
      const prices = document.get("prices");
      if (document.errors.length > 0 || !isMap(document.contents)) throw new UnreadablePrices(this.file);
      if (isMap(prices)) prices.flow = false;
      else document.set("prices", document.createNode({}));
      const result = change(document);
      await replaceFile(this.file, document.toString({ lineWidth: 0 }));
      return result;
    });
    this.#changing = step.catch(() => {});
    return await step;
  }
}

/** A person has to mend it: nothing is written over what cannot be read. */
export class UnreadablePrices extends Error {
  override readonly name = "UnreadablePrices";
  constructor(readonly file: string) {
    super(`${file} cannot be read as YAML: mend it, or remove it, and try again`);
  }
}

function ifAbsent(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

type ReadPrices = Partial<OwnerPrices> & Pick<OwnerPrices, "problems">;

function keptFrom({ prices }: OwnerPrices, { problems }: ReadPrices): OwnerPrices {
  return { prices, problems: prices.size === 0 ? problems : problems.map(tellEarlierServed) };
}

async function readPrices(file: string): Promise<ReadPrices> {
  const read = await readManifestFile(file);
  if ("problems" in read) return { problems: read.problems };
  const problems = new ProblemList(file, read.source.lineOf);
  const shape = OwnerPricesFile.safeParse(read.source.value);
  if (shape.success) return { prices: new Map(Object.entries(shape.data.prices)), problems: [] };
  reportIssues(problems, OwnerPricesFile, read.source.value, shape.error.issues);
  return { problems: problems.list() };
}

/** Anything that a look at a file's facts can tell of a change. */
async function stampOf(file: string): Promise<string> {
  const facts = await stat(file, { bigint: true }).catch(() => undefined);
  if (facts === undefined) return "absent";
  const { dev, ino, size, mtimeNs, ctimeNs } = facts;
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}
