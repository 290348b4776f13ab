/**
 * The renderer of an answer's hints; `monid-cli` is the reference client's command line.
 * docs/contract.md, "Who gets hints".
 */
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
 * The client's own statement: `X-Mkt-Client` before `X-Monid-Client`; with neither it is `api`, as for a curl user; an
 * unknown value is undefined, and its answers have no hints. docs/contract.md, "Who gets hints".
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
