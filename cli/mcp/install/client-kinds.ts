import type { Launch } from "./launch.ts";
import type { TomlTable } from "./toml-edit.ts";

/** The user's folders, and the platform, which decides where programs keep their settings. */
export interface Folders {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program that speaks MCP, as far as its configuration goes. */
export interface ClientKind {
  readonly id: string;
  readonly name: string;
  readonly format: "json" | "toml";
  /** The member that holds the servers by name. */
  readonly section: string;
  /** Words of the path of the user's own file. */
  readonly userFile: (folders: Folders) => readonly string[];
  /** Words of the path below a project's folder, where the client reads such a file. */
  readonly projectFile?: readonly string[];
  readonly entry: (launch: Launch) => TomlTable;
  /** What makes the client read it. */
  readonly next: string;
}

const plain = ({ command, args, env }: Launch): TomlTable => ({
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
});
const typed = (launch: Launch): TomlTable => ({ type: "stdio", ...plain(launch) });

/** The common ones, in the order of the alphabet. Sources: the configuration pages of each, as of November 2026. */
export const clientKinds: readonly ClientKind[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    format: "json",
    section: "mcpServers",
    userFile: ({ home, env }) => [env["CLAUDE_CONFIG_DIR"] || home, ".claude.json"],
    projectFile: [".mcp.json"],
    entry: typed,
    next: "It is there in the next session; /mcp shows it.",
  },
  {
    id: "claude-desktop",
    name: "Claude Desktop",
    format: "json",
    section: "mcpServers",
    userFile: (folders) => [...applicationSettings(folders), "Claude", "claude_desktop_config.json"],
    entry: plain,
    next: "Quit Claude Desktop and start it again.",
  },
  {
    id: "codex",
    name: "Codex",
    format: "toml",
    section: "mcp_servers",
    userFile: ({ home, env }) => [...(env["CODEX_HOME"] ? [env["CODEX_HOME"]] : [home, ".codex"]), "config.toml"],
    projectFile: [".codex", "config.toml"],
    entry: plain,
    next: "It is there in the next session.",
  },
  {
    id: "cursor",
    name: "Cursor",
    format: "json",
    section: "mcpServers",
    userFile: ({ home }) => [home, ".cursor", "mcp.json"],
    projectFile: [".cursor", "mcp.json"],
    entry: plain,
    next: "Turn it on under Settings, Tools & MCP.",
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    format: "json",
    section: "mcpServers",
    userFile: ({ home }) => [home, ".gemini", "settings.json"],
    projectFile: [".gemini", "settings.json"],
    entry: plain,
    next: "It is there in the next session; /mcp shows it.",
  },
  {
    id: "vscode",
    name: "VS Code",
    format: "json",
    section: "servers",
    userFile: (folders) => [...applicationSettings(folders), "Code", "User", "mcp.json"],
    projectFile: [".vscode", "mcp.json"],
    entry: typed,
    next: "Start it with the command MCP: List Servers.",
  },
  {
    id: "windsurf",
    name: "Windsurf",
    format: "json",
    section: "mcpServers",
    userFile: ({ home }) => [home, ".codeium", "windsurf", "mcp_config.json"],
    entry: plain,
    next: "Refresh the MCP servers in the settings of Cascade.",
  },
  {
    id: "zed",
    name: "Zed",
    format: "json",
    section: "context_servers",
    userFile: (folders) => [...zedSettings(folders), "settings.json"],
    projectFile: [".zed", "settings.json"],
    entry: (launch) => ({ source: "custom", ...plain(launch) }),
    next: "It is there at once, in the settings of the agent panel.",
  },
];

/** Where programs with windows keep their settings. */
function applicationSettings({ platform, home, env }: Folders): string[] {
  if (platform === "darwin") return [home, "Library", "Application Support"];
  if (platform === "win32") return env["APPDATA"] ? [env["APPDATA"]] : [home, "AppData", "Roaming"];
  return env["XDG_CONFIG_HOME"] ? [env["XDG_CONFIG_HOME"]] : [home, ".config"];
}

/** As others, but for macOS, where it keeps them as on Linux. */
function zedSettings(folders: Folders): string[] {
  if (folders.platform === "darwin") return [folders.home, ".config", "zed"];
  return [...applicationSettings(folders), folders.platform === "win32" ? "Zed" : "zed"];
}
