import { readFile } from "node:fs/promises";
import { z } from "zod";
import { MANIFEST_VERSION, Slug } from "../../manifest/manifest.ts";
import { type CatalogProblem, ProblemList, tellEarlierServed } from "../problems/catalog-problem.ts";
import { inspectThesaurus } from "./inspect-thesaurus.ts";
import { reportIssues } from "../problems/manifest-issues.ts";
import { readManifestFile } from "../parsing/read-manifest-file.ts";

const MAX_TERM_CHARACTERS = 80;
const MAX_TERMS = 50;

const DIRECTED_WEIGHT = 0.5;
const MUTUAL_WEIGHT = 0.8;

const Terms = z.array(z.string().min(1).max(MAX_TERM_CHARACTERS)).min(1).max(MAX_TERMS);

const Relation = z
  .strictObject({
    /** What people ask for. */
    asked: Terms.optional(),
    /** What APIs call it. */
    called: Terms.optional(),
    /** Words with the same meaning. */
    same: Terms.min(2).optional(),
    weight: z.number().min(0).max(1).optional(),
  })
  .refine(
    ({ asked, called, same }) =>
      (asked === undefined) === (called === undefined) && (asked === undefined) !== (same === undefined),
    { message: "a relation has either asked and called, or same" },
  );

/** `thesaurus.yaml` of a catalog folder: what callers ask for and what APIs call it, by domain of data. */
export const ThesaurusFile = z.strictObject({
  mkt: z.literal(MANIFEST_VERSION),
  domains: z.array(z.strictObject({ id: Slug, relations: z.array(Relation) })).default([]),
});
type ThesaurusContent = z.infer<typeof ThesaurusFile>;

/** A query for one of `asked` may mean any of `called`. Terms as written: a word, or several with spaces between. */
export interface ThesaurusRelation {
  readonly domain: string;
  readonly asked: readonly string[];
  readonly called: readonly string[];
  /**
   * 0 to 1: the weight of a match by `called` compared with a match by the asked word itself; 0 removes an earlier
   * relation.
   */
  readonly weight: number;
}

/**
 * The content of the thesauri of all folders, in the order of the files: for the same two terms the last entry wins.
 */
export type ThesaurusData = readonly ThesaurusRelation[];

export interface LoadedThesaurus {
  readonly data: ThesaurusData;
  readonly problems: readonly CatalogProblem[];
  /** By file. */
  readonly contents: ReadonlyMap<string, ThesaurusData>;
}

export interface ThesaurusReading {
  /** Whether a file came with the program: its tests checked it, so it is not checked at start. */
  readonly isBundled?: ((file: string) => boolean) | undefined;
  /** The last good content of each file: a file that is wrong now keeps it (docs/manifest.md, "Reloading"). */
  readonly before?: ReadonlyMap<string, ThesaurusData> | undefined;
  /** Also reports terms that have no effect; takes longer. */
  readonly inspect?: boolean | undefined;
}

/**
 * Reads thesaurus files in the order given; mistakes are reported with their location, and do not affect the other
 * files.
 */
export async function loadThesaurusFiles(
  files: readonly string[],
  { isBundled = () => false, before = new Map(), inspect = false }: ThesaurusReading = {},
): Promise<LoadedThesaurus> {
  const contents = new Map<string, ThesaurusData>();
  const problems: CatalogProblem[] = [];
  for (const file of files) {
    const asBuilt = isBundled(file) && !inspect ? await readAsBuilt(file) : undefined;
    const read = asBuilt ?? (await readThesaurusFile(file, inspect));
    const data = read.data ?? before.get(file);
    const isEarlier = read.data === undefined && data !== undefined;
    problems.push(...(isEarlier ? read.problems.map(tellEarlierServed) : read.problems));
    if (data !== undefined) contents.set(file, data);
  }
  return { data: [...contents.values()].flat(), problems, contents };
}

interface ReadThesaurus {
  readonly data?: ThesaurusData;
  readonly problems: readonly CatalogProblem[];
}

/** The JSON that the build made; undefined where there is none: the ordinary reader reports that. */
async function readAsBuilt(file: string): Promise<ReadThesaurus | undefined> {
  if (!file.endsWith(".json")) return undefined;
  try {
    return { data: relationsOf(JSON.parse(await readFile(file, "utf8")) as ThesaurusContent), problems: [] };
  } catch {
    return undefined;
  }
}

async function readThesaurusFile(file: string, inspect: boolean): Promise<ReadThesaurus> {
  const read = await readManifestFile(file);
  if ("problems" in read) return { problems: read.problems };
  const problems = new ProblemList(file, read.source.lineOf);
  const shape = ThesaurusFile.safeParse(read.source.value);
  if (!shape.success) {
    reportIssues(problems, ThesaurusFile, read.source.value, shape.error.issues);
    return { problems: problems.list() };
  }
  if (inspect) inspectThesaurus(shape.data, problems);
  return { data: relationsOf(shape.data), problems: problems.list() };
}

function relationsOf({ domains }: ThesaurusContent): ThesaurusRelation[] {
  return domains.flatMap(({ id: domain, relations }) =>
    relations.map(({ asked = [], called = [], same, weight }) =>
      same === undefined
        ? { domain, asked, called, weight: weight ?? DIRECTED_WEIGHT }
        : { domain, asked: same, called: same, weight: weight ?? MUTUAL_WEIGHT },
    ),
  );
}
