import { spawn } from "node:child_process";

export interface ProgramOptions {
  readonly cwd: string;
  /** All of it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs any program to its end. The event loop goes on: it may ask something of this very process. */
export async function runProgram(
  program: string,
  words: readonly string[],
  { cwd, environment }: ProgramOptions,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(program, words, { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const said: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  child.stdout.on("data", (piece: Buffer) => said.stdout.push(piece));
  child.stderr.on("data", (piece: Buffer) => said.stderr.push(piece));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  const [stdout, stderr] = [said.stdout, said.stderr].map((pieces) => Buffer.concat(pieces).toString("utf8"));
  return { code, stdout: stdout ?? "", stderr: stderr ?? "" };
}
