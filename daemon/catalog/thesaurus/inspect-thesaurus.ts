import type { DocumentPath } from "../../manifest/document-path.ts";
import { analyseQuery, type QueryWord, readQuery } from "../../text/analyse-text.ts";
import { isWeakWord } from "../../text/stop-words.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";

type Key = "asked" | "called" | "same";

const KEYS = ["asked", "called", "same"] as const;

/** A thesaurus as its file has it. */
interface WrittenThesaurus {
  readonly domains: readonly {
    readonly id: string;
    readonly relations: readonly { readonly [key in Key]?: readonly string[] | undefined }[];
  }[];
}

/**
 * Reports, each with its location, the entries of a thesaurus that have no effect, or a different one than they seem to
 * have: discovery ignores stop words and hardly counts words that every request has. For `mkt catalog check`: it is too
 * slow for loading.
 */
export function inspectThesaurus({ domains }: WrittenThesaurus, problems: ProblemList): void {
  const seen = new Set<string>();
  domains.forEach(({ id, relations }, domain) => {
    if (seen.has(id)) {
      tell(
        problems,
        ["domains", domain, "id"],
        `the domain "${id}" is there twice; put the relations of both into one`,
      );
    }
    seen.add(id);
    relations.forEach((relation, place) => {
      const at = ["domains", domain, "relations", place];
      for (const key of KEYS) inspectTerms(relation[key] ?? [], key, { problems, at: [...at, key] });
    });
  });
}

interface TermList {
  readonly problems: ProblemList;
  readonly at: DocumentPath;
}

function inspectTerms(terms: readonly string[], key: Key, { problems, at }: TermList): void {
  terms.forEach((term, index) => {
    const complaint = complaintOf(term, key, analyseQuery(term));
    if (complaint !== undefined) tell(problems, [...at, index], complaint);
  });
}

function complaintOf(term: string, key: Key, words: readonly QueryWord[]): string | undefined {
  const [first] = words;
  if (first === undefined && key === "asked" && readQuery(term).opening !== "") return undefined;
  if (first === undefined)
    return `"${term}" consists of stop words, which are removed from queries; use a more specific word`;
  const isWeak = words.every(({ text }) => isWeakWord(text));
  if (isWeak && (words.length === 1 || key !== "asked")) {
    return `"${term}" is in nearly every request and endpoint; use a more specific word`;
  }
  if (key !== "called" && words.length === 1 && hasSpace(term)) {
    return `"${term}" is "${first.text}" without its stop words, and matches wherever that occurs; write "${first.text}", or add a more specific word`;
  }
  return undefined;
}

function hasSpace(term: string): boolean {
  return /\S\s+\S/.test(term);
}

function tell(problems: ProblemList, place: DocumentPath, message: string): void {
  problems.report(place, "thesaurus", message, "nothing");
}
