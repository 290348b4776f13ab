import { fileURLToPath } from "node:url";
import type { CliContext } from "../../cli/command/context.ts";

/** Beside the built program. */
export const importWorkerFile = fileURLToPath(new URL("./import-worker.cjs", import.meta.url));

/** Hosts as the daemon takes them; the token only of the variable that the operator named. */
export async function accessOf(
  { io }: CliContext,
  { allowPrivateHost, authEnv }: { readonly allowPrivateHost?: readonly string[]; readonly authEnv?: string },
) {
  const listed = allowPrivateHost ?? (io.env["MKT_ALLOW_PRIVATE_HOSTS"] ?? "").split(",");
  const allowPrivateHosts = new Set(listed.map((host) => host.trim().toLowerCase()).filter((host) => host !== ""));
  if (authEnv === undefined) return { allowPrivateHosts };
  const { authorizationFrom } = await import("../../daemon/import/mcp/read-mcp-server.ts");
  return { allowPrivateHosts, authorization: authorizationFrom(authEnv, io.env) };
}
