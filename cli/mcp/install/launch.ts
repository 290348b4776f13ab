import type { CliContext } from "../../command/context.ts";
import { refusedInput } from "../../core/cli-error.ts";
import { resolve } from "node:path";

/** How a client starts the MCP server: a process of this very program, for the service that is in use now. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Of these the value is a path. */
const carriedPaths = ["MKT_CONFIG_DIR", "MKT_DATA_DIR", "NODE_EXTRA_CA_CERTS"];

/**
 * What decides which service is meant, and by whose certificates it is known. The key is not among them, nor is a proxy, whose
 * address may hold a password.
 */
const carried = [...carriedPaths, "MKT_PROFILE", "MKT_API_URL", "MKT_WORKSPACE", "MKT_NO_AUTOSTART"];

/**
 * With absolute paths, since programs with windows have another PATH than shells, and with the flags and variables of this
 * invocation that say which service is meant. A key is written only `withKey`; then there must be one in MKT_API_KEY.
 */
export function launchOf({ io, flags }: CliContext, { withKey = false }: { withKey?: boolean } = {}): Launch {
  const [command = process.execPath, ...words] = io.selfCommand;
  const named = [
    ["--profile", flags.profile],
    ["--data-dir", absolute(flags.dataDir)],
    ["--api-url", flags.apiUrl],
    ["--key-file", absolute(flags.keyFile)],
    ["--workspace", flags.workspace],
  ] as const;
  const set = carried.flatMap((name) => {
    const value = carriedPaths.includes(name) ? absolute(io.env[name] || undefined) : io.env[name];
    return value ? [[name, value] as const] : [];
  });
  return {
    command,
    args: [...words, "mcp", ...named.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))],
    env: { ...Object.fromEntries(set), ...(withKey && { MKT_API_KEY: keyOf(io.env["MKT_API_KEY"]) }) },
  };
}

/** A client starts the server in a folder of its own. */
function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

function keyOf(key: string | undefined): string {
  if (key) return key.trim();
  throw refusedInput("--with-key writes the key of MKT_API_KEY, and none is set.");
}
