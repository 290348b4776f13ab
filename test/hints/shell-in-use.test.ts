import { describe, expect, test } from "vitest";
import { shellInUse } from "../../cli/terminal/shell-in-use.ts";
import { hintSteps } from "../../cli/screen/hint-steps.ts";
import { quoteWord } from "../../shared/hints/shell-words.ts";

describe("the shell that a command is quoted for", () => {
  test.each([
    ["bash on Linux", { SHELL: "/bin/bash" }, "linux", "posix"],
    ["zsh on macOS", { SHELL: "/bin/zsh" }, "darwin", "zsh"],
    ["fish", { SHELL: "/usr/local/bin/fish" }, "linux", "fish"],
    [
      "PowerShell on Linux",
      { SHELL: "/bin/bash", PSModulePath: "/root/.local/share/powershell/Modules" },
      "linux",
      "powershell",
    ],
    ["nothing known", {}, "linux", "posix"],
    [
      "cmd",
      { PSModulePath: "C:\\Program Files\\WindowsPowerShell\\Modules", USERPROFILE: "C:\\Users\\ann" },
      "win32",
      "cmd",
    ],
    [
      "PowerShell on Windows",
      {
        PSModulePath: "C:\\Users\\Ann\\Documents\\PowerShell\\Modules;C:\\Program Files",
        USERPROFILE: "C:\\Users\\ann",
      },
      "win32",
      "powershell",
    ],
    [
      "Git Bash",
      { MSYSTEM: "MINGW64", PSModulePath: "C:\\Users\\ann\\x", USERPROFILE: "C:\\Users\\ann" },
      "win32",
      "posix",
    ],
  ] as const)("%s", (_, env, platform, shell) => {
    expect(shellInUse(env, platform)).toBe(shell);
  });
});

describe("a hint on the screen", () => {
  const hints = {
    "Start one": { kind: "run", provider: "atlas", endpoint: "/timers", comment: "costs rent" },
  } as const;

  test.each([
    ["posix", "Start one", "mkt run atlas/timers # costs rent"],
    ["fish", "Start one", "mkt run atlas/timers # costs rent"],
    ["powershell", "Start one", "mkt run atlas/timers # costs rent"],
    ["zsh", "Start one (costs rent)", "mkt run atlas/timers"],
    ["cmd", "Start one (costs rent)", "mkt run atlas/timers"],
  ] as const)("%s takes the comment for none of the command's words", (shell, what, command) => {
    expect(hintSteps(hints, shell)).toEqual([{ what, command }]);
  });
});

test.each([
  ["country/{code}", '"country/{code}"'],
  ["50% off", '"50"^%" off"'],
  ["%PATH%", '""^%"PATH"^%""'],
  ['say "hi" & go', `"say 'hi' & go"`],
  ["ends with \\", '"ends with \\\\"'],
])("for cmd %j is written %j", (word, written) => {
  expect(quoteWord(word, "cmd")).toBe(written);
});
