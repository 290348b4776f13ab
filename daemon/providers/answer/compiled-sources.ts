import { oncePer } from "../../base/once-per.ts";
import { type Extractor, parseExtractor } from "../../manifest/extract.ts";
import { requireParsed } from "../../manifest/request-error.ts";

/** An extractor of a checked file. Throws RequestError for what the checks refuse. */
export function compileExtractor(source: string | number): Extractor {
  return requireParsed(parseExtractor(source));
}

/** Values by their names (`keep`, `data`), each with where it is read from. */
export const compiledSources = oncePer(
  (sources: Readonly<Record<string, string | number>>): readonly (readonly [name: string, from: Extractor])[] =>
    Object.entries(sources).map(([name, source]) => [name, compileExtractor(source)]),
);
