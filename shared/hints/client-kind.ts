/** Who renders the hints of an answer; `monid-cli` is the reference client's command line. docs/contract.md, "Who gets hints". */
export const CLIENT_KINDS = ["cli", "monid-cli", "api", "mcp", "web"] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

const OWN_KINDS: ReadonlyMap<string, ClientKind> = new Map([
  ["cli", "cli"],
  ["api", "api"],
  ["mcp", "mcp"],
  ["web", "web"],
]);

const COMPATIBLE_KINDS: ReadonlyMap<string, ClientKind> = new Map([
  ["cli", "monid-cli"],
  ["api", "api"],
  ["mcp", "mcp"],
  ["web", "web"],
]);

/**
 * What the caller says it is: `X-Mkt-Client` before `X-Monid-Client`; neither reads as `api`, as for a curl user; a value
 * that nobody knows is undefined, and its answers carry no hints. docs/contract.md, "Who gets hints".
 */
export function readClientKind(header: (name: string) => string | undefined): ClientKind | undefined {
  const own = header("x-mkt-client");
  if (own !== undefined) {
    return OWN_KINDS.get(own.trim().toLowerCase());
  }
  const compatible = header("x-monid-client");
  if (compatible !== undefined) {
    return COMPATIBLE_KINDS.get(compatible.trim().toLowerCase());
  }
  return "api";
}
