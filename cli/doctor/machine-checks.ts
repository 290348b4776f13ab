import { readdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { countWords } from "../../shared/count-words.ts";
import { MCP_TOKEN_FILE } from "../mcp/http/access-token.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { type DoctorCheck, fine, type Finding, found, skipped } from "./check.ts";

/** As `engines` of the package says. */
const leastNode = [20, 19] as const;

export const nodeCheck: DoctorCheck = {
  name: "node",
  async look() {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const isOldEnough = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
    if (isOldEnough) return fine(process.version);
    return found(process.version, {
      message: `mkt needs Node.js ${leastNode.join(".")} or newer, and this is ${process.version}.`,
      next: "nvm install --lts",
    });
  },
};

/** Below this the daemon soon refuses runs. */
const leastFreeBytes = 256 * 1024 * 1024;

export const diskCheck: DoctorCheck = {
  name: "disk",
  async look({ places: { dataDir } }) {
    const { bavail, bsize } = await statfs(await nearestFolder(dataDir));
    const saw = `${Math.floor((bavail * bsize) / 1024 / 1024)} MiB free`;
    if (bavail * bsize >= leastFreeBytes) return fine(saw);
    return found(saw, {
      message: `The disk of the data folder ${dataDir} has ${saw}: the daemon will soon refuse runs. Free some space there.`,
      next: shellLine("df", "-h", dataDir),
    });
  },
};

async function nearestFolder(path: string): Promise<string> {
  const there = await stat(path).catch(() => undefined);
  return there !== undefined || dirname(path) === path ? path : await nearestFolder(dirname(path));
}

/** Whether nobody else can read or change the data and the keys. docs/security.md, T18. */
export const permissionsCheck: DoctorCheck = {
  name: "permissions",
  async look({ places: { dataDir, configDir } }) {
    if (process.platform === "win32") return skipped("Windows has none of these");
    const secrets = await secretFiles(configDir);
    const findings = [
      ...(await wide(dataDir, 0o077, "700", "may look into the data folder")),
      ...(await wide(configDir, 0o022, "700", "may write into the configuration folder")),
      ...(await Promise.all(secrets.map((file) => wide(file, 0o077, "600", "may use the secrets in")))).flat(),
    ];
    return found(`the folders and ${countWords(secrets.length, "file")} with secrets`, ...findings);
  },
};

/** Whatever holds keys in the configuration folder. */
async function secretFiles(configDir: string): Promise<string[]> {
  const inFolder = async (folder: string) => {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name.endsWith(".json") || name === MCP_TOKEN_FILE).map((name) => join(folder, name));
  };
  return [...(await inFolder(configDir)), ...(await inFolder(join(configDir, "local")))];
}

async function wide(path: string, forbidden: number, mode: string, what: string): Promise<Finding[]> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined || (facts.mode & forbidden) === 0) return [];
  const now = (facts.mode & 0o777).toString(8);
  return [{ message: `Other users ${what} ${path} (mode ${now}).`, next: shellLine("chmod", mode, path) }];
}
