/**
 * Headers that belong to the connection and not to a manifest: setting one would break framing or leave the origin.
 * docs/security.md, T8.
 */
export const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
