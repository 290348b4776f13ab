import { FixedDocument } from "../http/answers/fixed-document.ts";

/** What the browser shows after a login. */
export interface LoginPage {
  readonly title: string;
  readonly lines: readonly string[];
  /** Shown large. */
  readonly code?: string;
}

/**
 * The page cannot do anything: no script, no style of others, no frame, no form, and it tells nobody the address it came
 * from, which has the code of the login. docs/security.md, T34.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
};

/** Nothing in it comes from the request or from the provider. */
export function renderLoginPage({ title, lines, code }: LoginPage): FixedDocument<string> {
  const parts = [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><title>mkt</title></head><body>',
    `<h1>${escaped(title)}</h1>`,
    ...(code === undefined ? [] : [`<p><strong id="code">${escaped(code)}</strong></p>`]),
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
    "</body></html>",
  ];
  return new FixedDocument("text/html; charset=utf-8", parts.join("\n"));
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
