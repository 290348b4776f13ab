import { z } from "zod";
import type { DocumentPath } from "../../manifest/document-path.ts";
import { type CatalogProblem, ProblemList, tellEarlierServed } from "../problems/catalog-problem.ts";
import { MANIFEST_VERSION, Slug } from "../../manifest/manifest.ts";
import { reportIssues } from "../problems/manifest-issues.ts";
import { didYouMean } from "../../../shared/near-misses.ts";
import { readManifestFile } from "../parsing/read-manifest-file.ts";

const Leaf = z.strictObject({
  id: Slug,
  displayName: z.string().min(1),
  description: z.string().optional(),
  /** Further words that describe the endpoints here: an endpoint without a category is placed by its text. */
  words: z.array(z.string().min(1)).default([]),
  hidden: z.boolean().default(false),
});
const Top = Leaf.extend({ children: z.array(Slug).default([]) });

/** `categories.yaml` of a catalog folder. Source: docs/manifest.md, "Category tree". */
export const CategoriesFile = z.strictObject({
  mkt: z.literal(MANIFEST_VERSION),
  tops: z.array(Top).default([]),
  leaves: z.array(Leaf).default([]),
  /** Provider slug → the top categories that contain the whole provider. */
  providers: z.record(Slug, z.array(Slug)).default({}),
});
export type TopCategory = z.infer<typeof Top>;
export type LeafCategory = z.infer<typeof Leaf>;

/** The tree as authored: tops in priority order. */
export interface CategoryData {
  readonly tops: readonly TopCategory[];
  readonly leaves: readonly LeafCategory[];
  readonly placements: ReadonlyMap<string, readonly string[]>;
}

/** The content of a category file. */
export type CategoryFileContent = z.infer<typeof CategoriesFile>;

/**
 * Category files are read in the daemon's own process, because one tree is made of all of them. So a file written by
 * someone else may not be as long as a provider's file, which is read in a separate process. The bundled one has 30 KB.
 * docs/security.md, T27.
 */
const MOST_FOREIGN_BYTES = 256 * 1024;

interface FileContent {
  readonly file: string;
  readonly problems: ProblemList;
  readonly data: CategoryFileContent;
}

export interface LoadedCategories {
  readonly data: CategoryData;
  readonly problems: readonly CatalogProblem[];
  /** By file. */
  readonly contents: ReadonlyMap<string, CategoryFileContent>;
}

export interface CategoryFileParts {
  /** Valid content that files had, by file. */
  readonly before?: ReadonlyMap<string, CategoryFileContent> | undefined;
  /** Somebody else may have written it. */
  readonly isForeign?: (file: string) => boolean;
  /** What the build read from a file that is unchanged and has no mistakes. */
  readonly findBuilt?: ((file: string) => CategoryFileContent | undefined) | undefined;
}

/**
 * Reads the category files in the order given and merges them: a later file adds nodes, and replaces nodes of the same
 * id. What does not fit (an id used twice, an unknown leaf, a top inside a top) is left out and reported with its
 * location. A file that is wrong keeps the valid content that it had in `before`, if any
 * (docs/manifest.md, "Reloading").
 */
export async function loadCategoryFiles(
  files: readonly string[],
  { before = new Map(), isForeign = () => false, findBuilt }: CategoryFileParts = {},
): Promise<LoadedCategories> {
  const contents: FileContent[] = [];
  const unusable: CatalogProblem[] = [];
  const built = new Set<string>();
  for (const file of files) {
    const data = findBuilt?.(file);
    if (data !== undefined) {
      built.add(file);
      contents.push({ file, problems: new ProblemList(file, () => undefined), data });
      continue;
    }
    const read = await readCategoryFile(file, isForeign(file));
    if (!("complaints" in read)) {
      contents.push(read);
      continue;
    }
    const kept = before.get(file);
    unusable.push(...(kept === undefined ? read.complaints : read.complaints.map(tellEarlierServed)));
    if (kept !== undefined) contents.push({ file, problems: new ProblemList(file, () => undefined), data: kept });
  }
  const data = merge(contents);
  const problems = [...unusable, ...contents.flatMap((content) => content.problems.list())];
  // Only a file that is read has lines to tell. Beside an owner's file the bundled one may have problems as well.
  if (problems.some(({ file }) => built.has(file))) return await loadCategoryFiles(files, { before, isForeign });
  return { data, problems, contents: new Map(contents.map((content) => [content.file, content.data])) };
}

async function readCategoryFile(
  file: string,
  isForeign: boolean,
): Promise<FileContent | { readonly complaints: readonly CatalogProblem[] }> {
  const read = await readManifestFile(file, isForeign ? MOST_FOREIGN_BYTES : undefined);
  if ("problems" in read) return { complaints: read.problems };
  const problems = new ProblemList(file, read.source.lineOf);
  const shape = CategoriesFile.safeParse(read.source.value);
  if (shape.success) return { file, problems, data: shape.data };
  reportIssues(problems, CategoriesFile, read.source.value, shape.error.issues);
  return { complaints: problems.list() };
}

function merge(contents: readonly FileContent[]): CategoryData {
  const tops = new Map<string, TopCategory>();
  const leaves = new Map<string, LeafCategory>();
  const placements = new Map<string, readonly string[]>();
  for (const { data, problems } of contents) {
    const seen = new Set<string>();
    for (const [kind, nodes, others] of [
      ["tops", data.tops, leaves],
      ["leaves", data.leaves, tops],
    ] as const) {
      nodes.forEach((node, index) => {
        if (seen.has(node.id) || others.has(node.id)) {
          reportLoss(problems, [kind, index, "id"], `the id "${node.id}" is used twice; every node needs its own id`);
          return;
        }
        seen.add(node.id);
        if (kind === "tops") tops.set(node.id, node as TopCategory);
        else leaves.set(node.id, node);
      });
    }
  }
  for (const content of contents) {
    checkChildren(content, tops, leaves);
    for (const [provider, under] of Object.entries(content.data.providers)) {
      checkPlacement(content, provider, { under, tops, leaves });
      placements.set(
        provider,
        under.filter((id) => tops.has(id)),
      );
    }
  }
  const linked = [...tops.values()].map((top) => ({
    ...top,
    children: [...new Set(top.children)].filter((id) => leaves.has(id)),
  }));
  return { tops: linked, leaves: [...leaves.values()], placements };
}

function checkChildren(
  { data, problems }: FileContent,
  tops: ReadonlyMap<string, unknown>,
  leaves: ReadonlyMap<string, unknown>,
): void {
  data.tops.forEach(({ children }, top) => {
    children.forEach((id, index) => {
      const place = ["tops", top, "children", index];
      if (tops.has(id))
        reportLoss(
          problems,
          place,
          `"${id}" is a top-level category; its children must be leaves, never top-level categories (a cycle)`,
        );
      else if (!leaves.has(id)) {
        reportLoss(problems, place, `there is no leaf "${id}"; add it under leaves${didYouMean(id, leaves.keys())}`);
      }
    });
  });
}

function checkPlacement(
  { problems }: FileContent,
  provider: string,
  {
    under,
    tops,
    leaves,
  }: {
    readonly under: readonly string[];
    readonly tops: ReadonlyMap<string, unknown>;
    readonly leaves: ReadonlyMap<string, unknown>;
  },
): void {
  if (tops.has(provider) || leaves.has(provider)) {
    reportLoss(
      problems,
      ["providers", provider],
      `"${provider}" is a category here, so no provider can have this slug`,
    );
  }
  under.forEach((id, index) => {
    if (tops.has(id)) return;
    reportLoss(problems, ["providers", provider, index], `there is no top "${id}"${didYouMean(id, tops.keys())}`);
  });
}

function reportLoss(problems: ProblemList, place: DocumentPath, message: string): void {
  problems.report(place, "category", message, "nothing");
}
