import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
}

/**
 * Of each package that is part of the program: its license, and what audits read (CycloneDX 1.5), since nobody's lockfile
 * names it. Throws for one that names no license.
 */
export async function writePackageList(folder: string, metafiles: readonly Metafile[]): Promise<void> {
  const packages = await Promise.all(foldersOf(metafiles).map(readPackage));
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

/** Folders of the packages of which something is in what was built, in the order of their names; a package may be there twice. */
function foldersOf(metafiles: readonly Metafile[]): string[] {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) =>
      Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  const found = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(found)].toSorted();
}

async function readPackage(folder: string): Promise<{ readonly facts: PackageFacts; readonly license: string }> {
  const facts = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as PackageFacts;
  const { name, license, author } = facts;
  if (license === undefined) throw new Error(`${name} names no license`);
  const file = (await readdir(folder)).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
  if (file !== undefined) return { facts, license: (await readFile(join(folder, file), "utf8")).trim() };
  const who = typeof author === "string" ? author : author?.name;
  return { facts, license: [`${license}, as its package.json says`, ...(who === undefined ? [] : [who])].join("\n") };
}
