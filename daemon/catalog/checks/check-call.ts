import type { ResolvedHttp } from "../entries/catalog-entry.ts";
import type { DocumentPath } from "../../manifest/document-path.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import { checkLiteralsIn } from "./check-literals.ts";
import { checkTemplate, checkTemplatesIn, type ReferenceScope } from "./check-references.ts";
import type { Call } from "../../manifest/manifest.ts";
import { FORBIDDEN_HEADERS } from "../../manifest/forbidden-headers.ts";
import { originOf } from "../../manifest/url-origin.ts";
import { takesBody } from "../../manifest/takes-body.ts";
import { referencesOf, type TemplatePart } from "../../manifest/template.ts";
import { didYouMean } from "../../../shared/near-misses.ts";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function checkHeaderName(problems: ProblemList, path: DocumentPath, name: string): void {
  if (!HEADER_NAME.test(name)) {
    problems.report(path, "header", `"${name}" is not a name that a header can have`);
  } else if (FORBIDDEN_HEADERS.has(name.toLowerCase())) {
    problems.report(path, "header", `the header ${name} is set by the HTTP client alone; take it out`);
  }
}

export function checkHeader(
  problems: ProblemList,
  path: DocumentPath,
  header: { readonly name: string; readonly value: string },
  scope: ReferenceScope,
): readonly TemplatePart[] {
  checkHeaderName(problems, path, header.name);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(header.value)) {
    problems.report(path, "header", "the value has control characters in it, which no header can carry");
  }
  checkLiteralsIn(problems, path, header.value);
  const isCredential = /^(?:authorization|cookie)$/i.test(header.name);
  return checkTemplate(problems, path, header.value, isCredential ? withoutInput(scope) : scope);
}

/** Credentials are the operator's: no caller may supply a part of them. */
export function withoutInput(scope: ReferenceScope): ReferenceScope {
  return { ...scope, input: { refusedBecause: "credentials never come from a caller's input" } };
}

/**
 * One vendor call: its path, fixed parts and headers. Also checks that secrets are sent only to their origin
 * (docs/manifest.md, "Origins").
 */
export function checkCall(
  problems: ProblemList,
  path: DocumentPath,
  call: Call,
  context: { readonly scope: ReferenceScope; readonly baseUrl: ResolvedHttp["baseUrl"] | undefined },
): void {
  const { scope } = context;
  if (call.path === undefined && call.url === undefined) {
    problems.report(path, "call", "neither path nor url is given; add the path below baseUrl");
  }
  if (call.path !== undefined && call.url !== undefined) {
    problems.report([...path, "url"], "call", "path and url are both given; keep one of them");
  }
  const parts: TemplatePart[] = [];
  if (call.path !== undefined) parts.push(...checkCallPath(problems, [...path, "path"], call.path, scope));
  if (call.url !== undefined) parts.push(...checkTemplate(problems, [...path, "url"], call.url, scope));
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    parts.push(...checkHeader(problems, [...path, "headers", name], { name, value }, scope));
  }
  for (const member of ["queryParams", "body"] as const) {
    checkLiteralsIn(problems, [...path, member], call[member]);
    parts.push(...checkTemplatesIn(problems, [...path, member], call[member], scope));
  }
  if (call.body !== undefined && !takesBody(call)) {
    const why = call.encoding === "none" ? "encoding none sends no body" : `a ${call.method} carries no body`;
    problems.report([...path, "body"], "call", `${why}; use queryParams, or write encoding: json if this one does`);
  }
  if (call.url !== undefined) checkUrl(problems, [...path, "url"], call.url, { parts, baseUrl: context.baseUrl });
}

/** Calls without fields of the caller have nothing to encode as text or bytes. */
export function checkFixedEncoding(problems: ProblemList, path: DocumentPath, { encoding }: Call): void {
  if (encoding !== "text" && encoding !== "bytes") return;
  const message = `encoding ${encoding} is for the request of an endpoint, which sends a caller's field; use json or form`;
  problems.report(path, "call", message);
}

function checkCallPath(problems: ProblemList, path: DocumentPath, text: string, scope: ReferenceScope) {
  if (!text.startsWith("/")) problems.report(path, "call", `the path must begin with / (got ${JSON.stringify(text)})`);
  if (/[?#\\\s]/.test(text.replaceAll(/\$\{[^}]*\}/g, ""))) {
    problems.report(path, "call", "the path must not contain ?, #, \\ or blanks; fixed parameters go to queryParams");
  }
  for (const name of pathPlaceholders(text)) {
    const declared = "refusedBecause" in scope.input ? new Set<string>() : scope.input.pathParams;
    if (declared !== "any" && !declared.has(name)) {
      const mending = `add ${name} to input.pathParams.properties${didYouMean(name, declared)}`;
      problems.report(path, "path-params", `{${name}} is not declared; ${mending}`);
    }
  }
  return checkTemplate(problems, path, text, scope);
}

/** The names in `{…}` of a path, not those in `${…}`. */
export function pathPlaceholders(text: string): string[] {
  return [...text.matchAll(/(?<!\$)\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
}

function checkUrl(
  problems: ProblemList,
  path: DocumentPath,
  url: string,
  call: { readonly parts: readonly TemplatePart[]; readonly baseUrl: string | undefined },
): void {
  const isOwnOrigin =
    call.baseUrl !== undefined && originOf(url) !== undefined && originOf(url) === originOf(call.baseUrl);
  if (!isOwnOrigin && referencesOf(call.parts).some(({ kind }) => kind === "secret")) {
    problems.report(
      path,
      "origin",
      "secrets only go to the origin of baseUrl; use path, or take the secrets out of this call",
    );
  }
  if (!/^(?:https?:\/\/|\$\{)/.test(url)) problems.report(path, "origin", "the url must begin with https:// or a ${…}");
}
