import { link, lstat, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { replaceFile } from "../../shared/replace-file.ts";
import { errorText } from "../../shared/error-text.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { listFolders } from "../catalog/reading/catalog-folder.ts";
import { loadCategoryFiles } from "../catalog/categories/categories-file.ts";
import { parseCatalogText } from "../catalog/parsing/parse-catalog-text.ts";
import { ROUTES } from "../manifest/route-file.ts";
import type { ComposedManifest, ExistingManifest, ImportRecord } from "./steps/import-steps.ts";
import { ImportRefused } from "./conversion/imported-provider.ts";
import { readRegularFile } from "./documents/read-file.ts";

/** A manifest in the folder; only what an import needs of it. */
export interface KnownManifest {
  readonly slug: string;
  readonly file: string;
  /** Only for imported ones. */
  readonly source?: { readonly kind: string; readonly ref: string; readonly sha256?: string };
}

/** The folder of the records, in a catalog folder. */
export const RECORDS = ".imported";
const MAX_SLUG = 60;

/** The target folder of imports: which slugs are in use and by what, and the records of earlier imports. */
export class ImportFolder {
  readonly dir: string;
  readonly #reserved: ReadonlyMap<string, string>;
  readonly #bySlug = new Map<string, KnownManifest>();
  readonly #byRef = new Map<string, KnownManifest>();

  private constructor(dir: string, reserved: ReadonlyMap<string, string>) {
    this.dir = dir;
    this.#reserved = reserved;
  }

  /** Need not exist. `bundledDir`: the catalog that comes with the program; its slugs and categories are in use. */
  static async open(dir: string, bundledDir: string | undefined): Promise<ImportFolder> {
    const bundled = bundledDir === undefined ? [] : [{ dir: bundledDir, bundled: true }];
    const { found } = await listFolders([...bundled, { dir, optional: true }]);
    const { data } = await loadCategoryFiles(found.flatMap(({ categories }) => categories));
    const reserved = new Map([...data.tops, ...data.leaves].map(({ id }) => [id, "the id of a category"]));
    reserved.set("categories", "the name of the file of categories");
    reserved.set(ROUTES, "the slug of all routes");
    for (const { folder, manifests } of found) {
      if (folder.bundled !== true) continue;
      for (const file of manifests) reserved.set(slugOf(file), "a provider that comes with the program");
    }
    const opened = new ImportFolder(dir, reserved);
    for (const { folder, manifests } of found) {
      if (folder.bundled === true) continue;
      for (const file of manifests) opened.#remember(await opened.#look(file));
    }
    return opened;
  }

  get manifests(): readonly KnownManifest[] {
    return [...this.#bySlug.values()];
  }

  findBySource(ref: string): KnownManifest | undefined {
    return this.#byRef.get(ref);
  }

  find(slug: string): KnownManifest | undefined {
    return this.#bySlug.get(slug);
  }

  /** What has this slug already; undefined when it is free. */
  ownerOf(slug: string): string | undefined {
    return this.#reserved.get(slug) ?? this.#bySlug.get(slug)?.file;
  }

  /** Throws ImportRefused when a requested slug is in use. */
  checkAsked(slug: string): void {
    const owner = this.#reserved.get(slug);
    if (owner !== undefined) throw new ImportRefused("slug", `"${slug}" is ${owner}; choose another --slug.`);
    const known = this.#bySlug.get(slug);
    if (known === undefined || known.source !== undefined) return;
    throw new ImportRefused(
      "slug",
      `${known.file} was written by hand and is not imported over; choose another --slug.`,
    );
  }

  /** The slug itself if it is free, otherwise with the first number that makes it so. */
  freeSlug(wanted: string): string {
    const isTaken = (slug: string) => this.#reserved.has(slug) || this.#bySlug.has(slug);
    let slug = wanted;
    for (let number = 2; isTaken(slug); number += 1) {
      const end = `-${number}`;
      slug = `${wanted.slice(0, MAX_SLUG - end.length).replace(/-+$/, "")}${end}`;
    }
    return slug;
  }

  /** Undefined when there is none, or it cannot be read: then everything in the file is treated as a person's edit. */
  async readRecord(slug: string): Promise<ImportRecord | undefined> {
    return await readImportRecord(this.dir, slug);
  }

  async readExisting({ slug, file }: KnownManifest): Promise<ExistingManifest> {
    const record = await this.readRecord(slug);
    const text = await readText(file);
    return { text, isJson: extname(file).toLowerCase() === ".json", ...(record !== undefined && { record }) };
  }

  /** The path of the manifest. */
  fileOf(slug: string, isJson: boolean): string {
    return this.#bySlug.get(slug)?.file ?? join(this.dir, `${slug}.${isJson ? "json" : "yaml"}`);
  }

  async write(slug: string, { text, isJson, record, summary }: ComposedManifest): Promise<string> {
    const file = this.fileOf(slug, isJson);
    await this.#refuseLinkedRecords();
    try {
      if (summary.changed) await replaceFile(file, text);
      await replaceFile(this.#recordFile(slug), `${JSON.stringify(withSeen(record))}\n`);
    } catch (error) {
      const words = errorText(error);
      throw new ImportRefused("out", `Nothing can be written to ${this.dir}: ${words}. Choose a folder with --out.`);
    }
    return file;
  }

  /** As `write`, for a slug that nothing has; a file that came there meanwhile stays, and is a refusal. */
  async writeNew(slug: string, composed: ComposedManifest): Promise<string> {
    const file = this.fileOf(slug, composed.isJson);
    const taken = new ImportRefused("slug", `${file} is there already, and is not replaced; choose another name.`);
    if (this.ownerOf(slug) !== undefined) throw taken;
    await this.#refuseLinkedRecords();
    const draft = `${this.#recordFile(slug)}.draft`;
    try {
      await replaceFile(draft, composed.text);
      // A name is given at once and only if it is free: the daemon never sees half a file, and nobody's file is lost.
      await link(draft, file);
      await replaceFile(this.#recordFile(slug), `${JSON.stringify(withSeen(composed.record))}\n`);
    } catch (error) {
      if (systemErrorCode(error) === "EEXIST") throw taken;
      throw new ImportRefused("out", `Nothing can be written to ${this.dir}: ${errorText(error)}.`);
    } finally {
      await rm(draft, { force: true });
    }
    return file;
  }

  /** Notes in the record of an import how the tools of its server differ now: a running daemon reads it there. */
  async noteSeen(slug: string, seen: NonNullable<ImportRecord["seen"]>): Promise<void> {
    const record = await this.readRecord(slug);
    if (record === undefined) return;
    await this.#refuseLinkedRecords();
    await replaceFile(this.#recordFile(slug), `${JSON.stringify({ ...record, seen })}\n`);
  }

  /** Marks the slug as used; also for what was not written, so that a dry run reports the same. */
  remember(slug: string, isJson: boolean, source: KnownManifest["source"]): void {
    this.#remember({ slug, file: this.fileOf(slug, isJson), ...(source !== undefined && { source }) });
  }

  #remember(manifest: KnownManifest): void {
    this.#bySlug.set(manifest.slug, manifest);
    if (manifest.source !== undefined) this.#byRef.set(manifest.source.ref, manifest);
  }

  async #look(file: string): Promise<KnownManifest> {
    const slug = slugOf(file);
    const source = sourceOf((await this.#readCheaply(slug, file)) ?? {});
    return { slug, file, ...(source !== undefined && { source }) };
  }

  /** Reading a record is a hundred times as fast as YAML, and a manifest without `source` need not be read at all. */
  async #readCheaply(slug: string, file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const record = await this.readRecord(slug);
    const text = await readText(file).catch(() => "");
    const { ref } = sourceOf(record?.manifest ?? {}) ?? {};
    if (record !== undefined && ref !== undefined && text.includes(ref)) return record.manifest;
    if (!/^\s*"?source"?:/m.test(text)) return undefined;
    const parsed = await parseCatalogText(text, file);
    if ("problems" in parsed || typeof parsed.value !== "object" || parsed.value === null) return undefined;
    return parsed.value as Readonly<Record<string, unknown>>;
  }

  /** In a folder from somebody else, links must not redirect writes out of it. */
  async #refuseLinkedRecords(): Promise<void> {
    const records = join(this.dir, RECORDS);
    const facts = await lstat(records).catch(() => undefined);
    if (facts === undefined || facts.isDirectory()) return;
    throw new ImportRefused("file", `${records} is a link or a file, where a folder of records belongs; remove it.`);
  }

  #recordFile(slug: string): string {
    return importRecordFile(this.dir, slug);
  }
}

/** The record of a provider's last import in a catalog folder; undefined when there is none, or it cannot be read. */
export async function readImportRecord(dir: string, slug: string): Promise<ImportRecord | undefined> {
  try {
    const value: unknown = JSON.parse(await readText(importRecordFile(dir, slug)));
    return isImportRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where the record of a provider's last import is. */
export function importRecordFile(dir: string, slug: string): string {
  return join(dir, RECORDS, `${slug}.json`);
}

/** Only a regular file: a pipe in the folder must not block the import. */
async function readText(file: string): Promise<string> {
  return (await readRegularFile(file)).toString("utf8");
}

function slugOf(file: string): string {
  return basename(file, extname(file));
}

/** What was imported is what was seen: that ends what an earlier look at an MCP server said. */
function withSeen(record: ImportRecord): ImportRecord {
  if (sourceOf(record.manifest)?.kind !== "mcp") return record;
  return { ...record, seen: { at: new Date().toISOString(), changed: [], removed: [] } };
}

function isImportRecord(value: unknown): value is ImportRecord {
  return typeof value === "object" && value !== null && "mkt" in value && value.mkt === 1 && "manifest" in value;
}

function sourceOf(manifest: Readonly<Record<string, unknown>>): KnownManifest["source"] {
  const { source } = manifest;
  if (typeof source !== "object" || source === null || !("ref" in source) || !("kind" in source)) return undefined;
  const { kind, ref } = source;
  if (typeof ref !== "string" || typeof kind !== "string" || kind === "manual") return undefined;
  const sha256 = "sha256" in source && typeof source.sha256 === "string" ? source.sha256 : undefined;
  return { kind, ref, ...(sha256 !== undefined && { sha256 }) };
}
