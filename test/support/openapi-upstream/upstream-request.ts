import type { IncomingHttpHeaders } from "node:http";

/** One request as it reached the stand-in. */
export interface UpstreamRequest {
  readonly method: string;
  /** Still encoded, without the query. */
  readonly path: string;
  /** Still encoded, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A header as text in UTF-8: that is how the values of credentials and inputs are sent. */
export function headerOf({ headers }: UpstreamRequest, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : value;
}

export function cookiesOf(request: UpstreamRequest): ReadonlyMap<string, string> {
  const pairs = (headerOf(request, "cookie") ?? "").split(/;\s*/).filter((pair) => pair !== "");
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return at < 0 ? ([pair, ""] as const) : ([pair.slice(0, at), pair.slice(at + 1)] as const);
    }),
  );
}
