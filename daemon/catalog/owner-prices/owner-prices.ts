import { readFile, stat } from "node:fs/promises";
import { isMap, parseDocument } from "yaml";
import { z } from "zod";
import { replaceFile } from "../../../shared/replace-file.ts";
import { ManifestRule } from "../../manifest/manifest-price.ts";
import { MANIFEST_VERSION } from "../../manifest/manifest.ts";
import { type CatalogProblem, ProblemList, tellEarlierServed } from "../problems/catalog-problem.ts";
import { reportIssues } from "../problems/manifest-issues.ts";
import { mistakeWords } from "../problems/not-loaded.ts";
import { readManifestFile } from "../parsing/read-manifest-file.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";

/**
 * `<config>/prices.yaml`: what callers pay by the owner's decision, in place of the prices in provider files, so it
 * survives their updates. By `provider/endpoint`, or by `provider` for all of its endpoints that have no price of their
 * own here.
 */
export const OwnerPricesFile = z.strictObject({
  mkt: z.literal(MANIFEST_VERSION),
  prices: z
    .record(z.string().regex(/^[a-z0-9-]+(?:\/.*)?$/, "provider, or provider/endpoint"), ManifestRule)
    .default({}),
});

/** The same object as long as the file is the same. */
export interface OwnerPrices {
  /** By `provider/endpoint` or `provider`. */
  readonly prices: ReadonlyMap<string, ManifestRule>;
  /** Names whose price has a mistake and no earlier valid value: their price is unknown. */
  readonly mistaken: ReadonlySet<string>;
  /** The names of the prices cannot be read either, and no earlier ones are known. */
  readonly isUnreadable: boolean;
  readonly problems: readonly CatalogProblem[];
}

/** The name of a price in the file. */
export function priceName(provider: string, endpoint?: string): string {
  return `${provider}${endpoint ?? ""}`;
}

const NONE: OwnerPrices = { prices: new Map(), mistaken: new Set(), isUnreadable: false, problems: [] };

const HEADER = `# Prices that the owner of this marketplace set, in USD: what callers pay, in place of the prices in
# provider files. By provider/endpoint, or by provider for all of its endpoints. Written by mkt catalog price.
mkt: 1
prices: {}
`;

/** Rereads the file, and changes single prices in it; comments and the order of lines are kept. */
export class OwnerPriceStore {
  readonly file: string;
  #stamp: string | undefined;
  #known: OwnerPrices = NONE;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.file = file;
  }

  /**
   * Mistakes in the file become problems. While there are any, the previous prices apply
   * (docs/manifest.md, "Reloading"); without previous prices, those parts of the file that can be read.
   */
  async read(): Promise<OwnerPrices> {
    const stamp = await stampOf(this.file);
    if (stamp === this.#stamp) return this.#known;
    const now = stamp === "absent" ? NONE : await readPrices(this.file);
    this.#known = now.problems.length === 0 ? now : keptFrom(this.#known, now);
    this.#stamp = stamp;
    return this.#known;
  }

  /** Resolves when the file is written. Rejects with `UnreadablePrices` when the price would not take effect. */
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
      if (!OwnerPricesFile.safeParse(document.toJS()).success) {
        throw new UnreadablePrices(this.file, (await readPrices(this.file)).problems[0]);
      }
      await replaceFile(this.file, document.toString({ lineWidth: 0 }));
      return result;
    });
    this.#changing = step.catch(() => {});
    return await step;
  }
}

/**
 * A person has to fix the file: nothing is written over a file that cannot be read, or beside a mistake that prevents
 * reading.
 */
export class UnreadablePrices extends Error {
  override readonly name = "UnreadablePrices";
  constructor(file: string, mistake?: CatalogProblem) {
    super(
      mistake === undefined
        ? `${file} cannot be read as YAML: fix it, or remove it, and try again`
        : `No price was changed, because ${file} has a mistake (${mistakeWords(mistake)}): fix it, or remove it, and try again`,
    );
  }
}

function ifAbsent(error: unknown): undefined {
  if (systemErrorCode(error) === "ENOENT") return undefined;
  throw error;
}

function keptFrom(before: OwnerPrices, now: OwnerPrices): OwnerPrices {
  if (before.prices.size === 0) return now;
  return { ...before, problems: now.problems.map(tellEarlierServed) };
}

async function readPrices(file: string): Promise<OwnerPrices> {
  const read = await readManifestFile(file);
  if ("problems" in read) return { ...NONE, isUnreadable: true, problems: read.problems };
  const { value } = read.source;
  const shape = OwnerPricesFile.safeParse(value);
  if (shape.success) return { ...NONE, prices: new Map(Object.entries(shape.data.prices)) };
  const problems = new ProblemList(file, read.source.lineOf);
  reportIssues(problems, OwnerPricesFile, value, shape.error.issues);
  return { ...soundPart(value), problems: problems.list() };
}

/** The valid prices of a file with mistakes, and the names of the invalid ones. */
function soundPart(value: unknown): Pick<OwnerPrices, "prices" | "mistaken" | "isUnreadable"> {
  const outer = z.object({ prices: z.record(z.string(), z.unknown()) }).safeParse(value);
  const prices = new Map<string, ManifestRule>();
  const mistaken = new Set<string>();
  for (const [name, price] of Object.entries(outer.data?.prices ?? {})) {
    const rule = ManifestRule.safeParse(price);
    if (rule.success) prices.set(name, rule.data);
    else mistaken.add(name);
  }
  return { prices, mistaken, isUnreadable: !outer.success };
}

/** Anything in the file's metadata that shows a change. Only a file that certainly does not exist has no prices. */
async function stampOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return systemErrorCode(error) === "ENOENT" ? "absent" : "cannot be looked at";
  }
}
