import { oncePer } from "../../base/once-per.ts";
import { type Extractor, parseExtractor } from "../../manifest/extract.ts";
import { requireParsed } from "../../manifest/request-error.ts";

/** An extractor of a checked file. Throws RequestError for a text that the checks refuse. */
export function compileExtractor(source: string | number): Extractor {
  return requireParsed(parseExtractor(source));
}

/** Values by name (`keep`, `data`), each with its extractor. */
export const compiledSources = oncePer(
  (sources: Readonly<Record<string, string | number>>): readonly (readonly [name: string, from: Extractor])[] =>
    Object.entries(sources).map(([name, source]) => [name, compileExtractor(source)]),
);
