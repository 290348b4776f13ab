import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mktProgram } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";

const HANG_MS = 120_000;
/** What the guide says of a running daemon and a new file. */
const TAKEN_UP_MS = 2_000;
const guide = readFileSync(fileURLToPath(new URL("../../docs/add-a-provider.md", import.meta.url)), "utf8");

interface Block {
  /** What the comment before it says; "run" where there is none. */
  readonly task: string;
  readonly language: string;
  readonly text: string;
}

/** The code of the guide in its order. */
function blocksOf(markdown: string): Block[] {
  const pattern = /(?:<!-- ([^>]*) -->\n\n)?```(sh|yaml)\n([\s\S]*?)```/g;
  return [...markdown.matchAll(pattern)].map(([, task = "run", language = "", text = ""]) => ({
    task,
    language,
    text,
  }));
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

// Elsewhere the configuration has another folder, as the guide says.
describe.skipIf(process.platform !== "linux")("a reader of docs/add-a-provider.md", () => {
  const folder = tempDir("mkt-guide-");
  const home = join(folder.path, "home");
  const [first = "", second = ""] = guide.split("## From an OpenAPI document");
  let api: ChildProcess | undefined;
  let port = 0;
  let environment: Record<string, string>;

  beforeAll(async () => {
    port = await freePort();
    const bin = join(folder.path, "bin");
    mkdirSync(bin);
    mkdirSync(home);
    writeFileSync(join(bin, "mkt"), `#!/bin/sh\nexec "${process.execPath}" "${mktProgram}" "$@"\n`, { mode: 0o755 });
    environment = {
      PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: home,
      TIDES_PORT: String(port),
      MKT_PORT: "0",
      MKT_REGISTRY_PORT: "0",
      MKT_BALLAST_BYTES: "0",
    };
    const [server] = blocksOf(guide).filter(({ task }) => task === "api");
    api = spawn("bash", ["-c", `exec ${server?.text ?? ""}`], { env: environment, stdio: "ignore" });
    await answers(port);
  });

  afterAll(async () => {
    await shell("mkt daemon stop");
    api?.kill("SIGKILL");
    folder[Symbol.dispose]();
  });

  async function shell(script: string): Promise<Ended> {
    const child = spawn("bash", ["-euo", "pipefail", "-c", here(script)], {
      cwd: home,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const read = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (read.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (read.stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...read };
  }

  /** Files are written, everything else is typed. */
  async function follow(part: string): Promise<Ended[]> {
    const ended: Ended[] = [];
    for (const { task, text } of blocksOf(part).filter(({ task: name }) => name !== "api")) {
      const [, file] = /^save: (\S+)$/.exec(task) ?? [];
      if (file === undefined) ended.push(await shell(text));
      else save(file, text);
      if (text.includes("mkt catalog import")) await delay(TAKEN_UP_MS);
    }
    return ended;
  }

  function save(name: string, text: string): void {
    const catalog = join(home, ".config", "mkt", "catalog");
    mkdirSync(catalog, { recursive: true });
    writeFileSync(join(name === "tides.yaml" ? catalog : home, name), here(text));
  }

  /** With the port that is free on this machine, and the folder that this platform has for configuration. */
  function here(text: string): string {
    return text.replaceAll("127.0.0.1:8090", `127.0.0.1:${port}`);
  }

  it("comes to a priced endpoint in eight edits and commands", { timeout: HANG_MS }, async () => {
    const steps = blocksOf(first).filter(({ task }) => task !== "api" && task !== "try");

    const ended = await follow(first);

    for (const { code, stdout, stderr } of ended) expect(code, `${stdout}${stderr}`).toBe(0);
    expect(steps.length).toBeLessThanOrEqual(8);
    const [curl, check, played, inspected, , , quoted, run] = ended.map(({ stdout }) => stdout);
    expect(curl).toContain('"06:12"');
    expect(check).toContain("no problems");
    expect(played).toContain("1 passed, 0 failed");
    expect(inspected).toContain("0.002");
    expect(quoted).toContain("0.002");
    expect(run).toContain("12:25");
  });

  it("comes to another one from an OpenAPI document", { timeout: HANG_MS }, async () => {
    const ended = await follow(second);

    for (const { code, stdout, stderr } of ended) expect(code, `${stdout}${stderr}`).toBe(0);
    expect(ended.at(-1)?.stdout).toContain("06:12");
  });

  it("finds both of them afterwards, and their links lead somewhere", { timeout: HANG_MS }, async () => {
    const { stdout } = await shell('mkt discover "high tide at a station of the coast" --json');
    const links = [...guide.matchAll(/\]\((\.\.\/[^)]+)\)/g)].map(([, path = ""]) => path);

    expect(stdout).toContain('"/tides"');
    expect(stdout).toContain('"/currents"');
    expect(links.length).toBeGreaterThan(0);
    for (const path of links) expect(existsSync(new URL(`../../docs/${path}`, import.meta.url)), path).toBe(true);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await delay(50);
  }
  throw new Error("the API of the guide did not start");
}
