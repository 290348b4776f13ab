import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
}

interface ReadPackage {
  readonly facts: PackageFacts;
  readonly license: string;
}

/**
 * Of each package that is part of the program: its license, and what audits read (CycloneDX 1.5), since nobody's lockfile
 * names it. Throws for one that names no license.
 */
export async function writePackageList(folder: string, metafiles: readonly Metafile[]): Promise<void> {
  const inputs = inputsOf(metafiles);
  const own = await Promise.all(foldersOf(inputs).map(readPackage));
  const packages = [...own, ...(await shippedInside(inputs, own))];
  const texts = packages.map(({ facts: { name, version }, license }) => `${name} ${version}\n\n${license}\n`);
  await writeFile(join(folder, "LICENSES-OF-PACKAGES.txt"), texts.join("\n\n"));
  const components = packages.map(({ facts: { name, version, license } }) => ({
    type: "library",
    "bom-ref": purl(name, version),
    name,
    version,
    purl: purl(name, version),
    licenses: [{ expression: license }],
  }));
  const bom = { bomFormat: "CycloneDX", specVersion: "1.5", version: 1, components };
  await writeFile(join(folder, "sbom.cdx.json"), `${JSON.stringify(bom, null, 2)}\n`);
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

/** The files of which something is in what was built. */
function inputsOf(metafiles: readonly Metafile[]): string[] {
  return metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) =>
      Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
}

/** Folders of the packages of these files, in the order of their names; a package may be there twice. */
function foldersOf(inputs: readonly string[]): string[] {
  const found = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(found)].toSorted();
}

/**
 * Packages that another one ships inside its own files, in versions that no lockfile of ours names: its maps say which. The
 * license is that of the copy that is installed. Throws where none is.
 */
async function shippedInside(inputs: readonly string[], own: readonly ReadPackage[]): Promise<ReadPackage[]> {
  const maps = await Promise.all(
    [...new Set(inputs)].filter((path) => path.includes("node_modules/")).map((path) => readSources(`${path}.map`)),
  );
  const found = maps.flat().flatMap((source) => {
    const [, name, version] = SHIPPED.exec(source) ?? [];
    return name === undefined || version === undefined ? [] : [`${name.replace("+", "/")} ${version}`];
  });
  const named = new Set(own.map(({ facts }) => `${facts.name} ${facts.version}`));
  const others = [...new Set(found)].filter((one) => !named.has(one)).toSorted();
  return await Promise.all(
    others.map(async (one) => {
      const [name = "", version = ""] = one.split(" ");
      const { facts, license } = await readPackage(join("node_modules", name));
      return { facts: { ...facts, version }, license };
    }),
  );
}

/** `….pnpm/@scope+name@1.2.3_of@4.5.6/node_modules/…` */
const SHIPPED = /\/\.pnpm\/(@?[^@/]+)@([^/_(]+)[^/]*\/node_modules\//;

async function readSources(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => '{"sources":[]}');
  const { sources } = JSON.parse(text) as { readonly sources?: readonly string[] };
  return sources ?? [];
}

async function readPackage(folder: string): Promise<ReadPackage> {
  const facts = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as PackageFacts;
  const { name, license, author } = facts;
  if (license === undefined) throw new Error(`${name} names no license`);
  const file = (await readdir(folder)).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
  if (file !== undefined) return { facts, license: (await readFile(join(folder, file), "utf8")).trim() };
  const who = typeof author === "string" ? author : author?.name;
  return { facts, license: [`${license}, as its package.json says`, ...(who === undefined ? [] : [who])].join("\n") };
}
