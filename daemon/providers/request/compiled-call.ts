import { oncePer } from "../../base/once-per.ts";
import type { Call } from "../../manifest/manifest.ts";
import { requireParsed } from "../../manifest/request-error.ts";
import { parseTemplate, type TemplatePart } from "../../manifest/template.ts";
import { compileFixed } from "./fixed-parts.ts";
import { type CompiledHeader, compiledHeaders } from "./request-headers.ts";
import { parsePathTemplate, type PathSegment } from "./request-path.ts";

/** A call of a provider's file with all of its templates parsed. */
export interface CompiledCall {
  /** Relative to the base address. Absent: the base address itself, or `url`. */
  readonly path: readonly PathSegment[] | undefined;
  readonly url: readonly TemplatePart[] | undefined;
  readonly headers: readonly CompiledHeader[];
  readonly queryParams: ReturnType<typeof compileFixed>;
  readonly body: ReturnType<typeof compileFixed>;
}

/** Throws RequestError for a text that the checks of a file refuse. */
export const compiledCall = oncePer(({ path, url, headers = {}, queryParams = {}, body = {} }: Call): CompiledCall => ({
  path: path === undefined ? undefined : requireParsed(parsePathTemplate(path)),
  url: url === undefined ? undefined : requireParsed(parseTemplate(url)),
  headers: compiledHeaders(headers),
  queryParams: compileFixed(queryParams),
  body: compileFixed(body),
}));
