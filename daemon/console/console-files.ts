import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "../../shared/errors.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import type { PageAnswer, PageRequest, Pages } from "../http/routes/pages.ts";
import { consoleOff } from "./routes.ts";

export interface ConsoleFilesParts {
  /** The folder of the built console; absent in an installation without one. */
  readonly directory?: string | undefined;
  readonly isOn: boolean;
  /** Origins besides this service's that the page may ask: those of the identity provider. */
  readonly otherOrigins: () => Promise<readonly string[]>;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  json: "application/json",
};
const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;
const ROOT = "/console";
/** A name with a hash in it: what it names never changes. */
const ASSET = /^\/console\/assets\/([\w-]+(?:\.[\w-]+)*\.([a-z0-9]+))$/;

/**
 * The console as it was built: one page, and files whose names have their hash. They are read from the disk when a browser asks,
 * so that a daemon nobody looks at neither starts later nor is larger. docs/console.md, "What is served".
 */
export function consoleFiles({ directory, isOn, otherOrigins }: ConsoleFilesParts): Pages {
  const read = async (name: string) => {
    if (!isOn) throw consoleOff();
    const bytes = directory === undefined ? undefined : await readIfThere(join(directory, name));
    return bytes;
  };
  return {
    paths: [ROOT, `${ROOT}/`, `${ROOT}/assets/*`],
    async answer(request) {
      if (request.path === ROOT) {
        if (!isOn) throw consoleOff();
        // Relative: a proxy may serve the service under a path of its own.
        return { status: 302, headers: { location: "console/" }, body: "" };
      }
      if (request.path !== `${ROOT}/`) return await answerAsset(request, read);
      const page = await read("index.html");
      if (page === undefined) throw noConsole();
      return {
        status: 200,
        // Only the page that comes back from the provider asks it, and only that one waits for it.
        headers: pageHeaders(request.hasQuery ? await otherOrigins() : []),
        body: markOrigin(page.toString("utf8"), request),
      };
    },
  };
}

async function answerAsset(
  { path, acceptEncoding }: PageRequest,
  read: (name: string) => Promise<Buffer | undefined>,
): Promise<PageAnswer> {
  const [, name = "", ending = ""] = ASSET.exec(path) ?? [];
  const mediaType = MEDIA_TYPES[ending];
  if (mediaType === undefined) throw notThere(path);
  const headers = {
    "content-type": mediaType,
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "same-origin",
    vary: "accept-encoding",
  };
  for (const encoding of ENCODINGS) {
    if (!accepts(acceptEncoding, encoding.name)) continue;
    const body = await read(`assets/${name}${encoding.ending}`);
    if (body !== undefined) return { status: 200, headers: { ...headers, "content-encoding": encoding.name }, body };
  }
  const body = await read(`assets/${name}`);
  if (body === undefined) throw notThere(path);
  return { status: 200, headers, body };
}

function accepts(acceptEncoding: string, name: string): boolean {
  return acceptEncoding
    .split(",")
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
    .some(([encoding, quality]) => encoding === name && !/^q=0(?:\.0*)?$/.test(quality ?? ""));
}

/** docs/security.md, T36. */
function pageHeaders(otherOrigins: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src ${["'self'", ...otherOrigins].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  };
}

/**
 * A page to which another site sent the browser takes no ticket: otherwise a link could sign somebody in to a workspace of the
 * one who made the link, who would then read what is typed there. Where the browser does not say who sent it, the page asks its
 * reader. docs/security.md, T36.
 */
function markOrigin(page: string, { from }: PageRequest): string {
  return from === "here" ? page : page.replace(/<html\b/i, `<html data-from="${from}"`);
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}

function noConsole(): ApiError {
  return new ApiError(
    "notFound",
    "This installation of mkt has no console: it was made without one. The command line and the API do all that it does",
  );
}

function notThere(path: string): ApiError {
  return new ApiError(
    "notFound",
    `${path} is no file of the console; reload the page, it may be of an earlier version`,
  );
}
