import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { completionScripts, shells } from "../../cli/completion/scripts.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { mktProgram, spawnMkt } from "../support/spawn-mkt.ts";

function has(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** A home with `mkt` on its PATH. */
function homeWithMkt(): MktHome & { env: Record<string, string> } {
  const home = mktHome();
  const bin = join(home.path, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "mkt"), `#!/bin/sh\nexec "${process.execPath}" "${mktProgram}" "$@"\n`, { mode: 0o755 });
  mkdirSync(home.configDir, { recursive: true });
  return { ...home, env: { ...home.environment, PATH: `${bin}:${home.environment["PATH"]}` } };
}

/** What a shell's own completion makes of a line that ends at the cursor. */
function bashCompletes(env: Record<string, string>, line: string, breaks = " \t\n\"'><=;|&(:"): string[] {
  const program = `
    COMP_WORDBREAKS=$1
    eval "$(mkt completion bash)"
    COMP_LINE=$2; COMP_POINT=\${#COMP_LINE}
    compopt() { :; }
    _mkt_complete mkt
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync("bash", ["--norc", "-c", program, "bash", breaks, line], { env, encoding: "utf8" });
  return text.split("\n").filter((word) => word !== "");
}

describe.skipIf(!has("bash"))("in bash (needs bash)", () => {
  test("commands, flags, choices and files are completed", () => {
    using home = homeWithMkt();
    const { env } = home;
    writeFileSync(join(home.path, "a key.txt"), "k");
    const inHome = (line: string) => bashCompletes(env, line);

    expect(inHome("mkt disc")).toEqual(["discover"]);
    expect(inHome("mkt completion ")).toEqual(["bash", "zsh", "fish"]);
    expect(inHome("mkt discover --max-")).toContain("--max-price");
    expect(inHome(`mkt whoami --key-file ${home.path}/a`)).toEqual([`${home.path}/a key.txt`]);
  });

  test("where bash breaks a word at = or :, what stands before it is not doubled", () => {
    using home = homeWithMkt();
    const { env } = home;

    expect(bashCompletes(env, "mkt --profile=l")).toEqual(["local"]);
    expect(bashCompletes(env, "mkt --profile=l", " \t\n")).toEqual(["--profile=local"]);
  });

  test.skipIf(!has("tmux"))("at the Tab key of a real terminal (needs tmux)", async () => {
    using home = homeWithMkt();
    const { env } = home;
    const socket = join(home.path, "tmux");
    const tmux = (...words: string[]) => execFileSync("tmux", ["-S", socket, ...words], { env, encoding: "utf8" });
    writeFileSync(join(home.path, "rc"), 'PS1="> "\neval "$(mkt completion bash)"\n');
    tmux(
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-x",
      "80",
      "-y",
      "24",
      "bash",
      "--noprofile",
      "--rcfile",
      join(home.path, "rc"),
    );
    // The dot shows the blank that ends a whole word.
    const until = async (wanted: RegExp) => {
      for (let tries = 0; tries < 200; tries++) {
        const screen = tmux("capture-pane", "-p");
        if (wanted.test(screen)) return screen;
        await delay(50);
      }
      return tmux("capture-pane", "-p");
    };
    try {
      await until(/^>/m);
      tmux("send-keys", "mkt completion f", "Tab", ".");
      const ended = await until(/^> mkt completion fish \.$/m);
      tmux("send-keys", "C-u", "mkt whoa", "Tab", ".");
      const command = await until(/^> mkt whoami \.$/m);

      expect(ended).toMatch(/^> mkt completion fish \.$/m);
      expect(command).toMatch(/^> mkt whoami \.$/m);
    } finally {
      tmux("kill-server");
    }
  });
});

describe.skipIf(!has("zsh"))("in zsh (needs zsh)", () => {
  test("the script is taken, and its function is the completion of mkt", () => {
    using home = homeWithMkt();
    const { env } = home;
    const program = 'autoload -U compinit && compinit -u -D; eval "$(mkt completion zsh)"; print -- $_comps[mkt]';

    expect(execFileSync("zsh", ["-f", "-c", program], { env, encoding: "utf8" }).trim()).toBe("_mkt");
  });
});

describe.skipIf(!has("fish"))("in fish (needs fish)", () => {
  test("commands are completed", () => {
    using home = homeWithMkt();
    const { env } = home;
    const program = 'mkt completion fish | source; complete -C "mkt disc"';

    expect(execFileSync("fish", ["--no-config", "-c", program], { env, encoding: "utf8" })).toMatch(/^discover\t/);
  });
});

test.each(shells)("mkt completion %s prints the script, which says how it is installed", async (shell) => {
  const { exitCode, stdout } = await runMkt(["completion", shell]);

  expect(exitCode).toBe(0);
  expect(stdout).toBe(completionScripts[shell]);
  expect(stdout).toContain("To install it:");
});

test("for another shell there is none: exit 2", async () => {
  const { exitCode, stderr } = await runMkt(["completion", "powershell"]);

  expect(exitCode).toBe(2);
  expect(stderr).toContain("bash, zsh, fish");
});

test("the door of the scripts is the program itself, and is in no help", async () => {
  using home = mktHome();

  const door = await spawnMkt(["__complete", "--line", "mkt whoa"], { home });
  const help = await spawnMkt(["--help"], { home });

  expect(door).toMatchObject({ code: 0, stderr: "" });
  expect(door.stdout).toMatch(/^whoami\t/);
  expect(help.stdout).not.toContain("__complete");
});
