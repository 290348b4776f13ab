import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** PATH, HOME and the npm configuration, nothing else; ports only where somebody has the usual ones. */
export async function emptyEnvironment(home: string): Promise<Record<string, string>> {
  mkdirSync(home, { recursive: true });
  const npm = npmSettings("userconfig", "globalconfig", "cache");
  const userConfig = npm["userconfig"] ?? "";
  if (!existsSync(userConfig)) writeFileSync(join(home, ".npmrc"), "");
  const certificates = process.env["NODE_EXTRA_CA_CERTS"];
  const configuration = Object.entries(process.env).filter(([name]) => /^npm_config_(registry|.*cafile)$/i.test(name));
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ...(existsSync(userConfig) && { NPM_CONFIG_USERCONFIG: userConfig }),
    NPM_CONFIG_GLOBALCONFIG: npm["globalconfig"] ?? "",
    NPM_CONFIG_CACHE: npm["cache"] ?? "",
    ...(Object.fromEntries(configuration) as Record<string, string>),
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
    ...(!((await isFree(7717)) && (await isFree(7718))) && { MKT_PORT: "0", MKT_REGISTRY_PORT: "0" }),
  };
}

/** Several at once, which npm writes as a line "name=value" each. */
function npmSettings(...names: readonly string[]): Record<string, string> {
  const { stdout } = spawnSync("npm", ["config", "get", ...names], { encoding: "utf8" });
  const lines = stdout.split("\n").map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []);
  return Object.fromEntries(lines.filter(([name]) => name !== undefined)) as Record<string, string>;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
