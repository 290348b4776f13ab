import type { Shell } from "../../shared/hints/shell-words.ts";
import type { Environment } from "../../shared/places.ts";

/**
 * Which shell the lines that we print are typed into, by the environment that it hands on. On Windows each leaves its mark;
 * elsewhere it is taken to be the user's own, which `SHELL` names.
 */
export function shellInUse(env: Environment, platform: NodeJS.Platform = process.platform): Shell {
  return platform === "win32" ? windowsShell(env) : unixShell(env);
}

function windowsShell(env: Environment): Shell {
  if (env["MSYSTEM"] || env["SHELL"]) return "posix";
  // Both have the machine's modules in it; only PowerShell adds those of the user.
  const modules = (env["PSModulePath"] ?? "").toLowerCase();
  const home = (env["USERPROFILE"] ?? "").toLowerCase();
  return home !== "" && modules.includes(home) ? "powershell" : "cmd";
}

function unixShell(env: Environment): Shell {
  if (env["PSModulePath"]) return "powershell";
  switch (env["SHELL"]?.split("/").at(-1)) {
    case "zsh":
      return "zsh";
    case "fish":
      return "fish";
    case "pwsh":
      return "powershell";
    default:
      return "posix";
  }
}
