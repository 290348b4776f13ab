import { type CliError, usageError } from "../core/cli-error.ts";

/**
 * jq 1.8 as WebAssembly, loaded when `--jq` is given. It reads the text of JSON itself, so that numbers which it only hands
 * on keep every digit; those that it reckons with are doubles.
 */

/** Rejects with wrong usage, in jq's words, when the expression cannot be read. Nothing is run. */
export async function checkJq(expression: string): Promise<void> {
  // On lines of its own: a comment at its end must not swallow the bracket.
  await run("null", `empty | (\n${expression}\n)`, expression);
}

/**
 * What the expression makes of each of the JSON texts, as it is printed: a text as it is, everything else as JSON on one
 * line, as `gh --jq` has it. Rejects with wrong usage, in jq's words.
 */
export async function runJq(jsonTexts: readonly string[], expression: string): Promise<string[]> {
  if (jsonTexts.length === 0) return [];
  const stdout = await run(jsonTexts.join("\n"), expression, expression);
  return stdout === "" ? [] : stdout.split("\n").map(printed);
}

async function run(json: string, program: string, expression: string): Promise<string> {
  const { raw } = await import("jq-wasm");
  const { stdout, stderr, exitCode } = await raw(json, program, ["-c"]);
  if (exitCode !== 0) throw refusedExpression(expression, stderr);
  return stdout;
}

function printed(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** jq's first line, without where it stood in the text that jq was given. */
function refusedExpression(expression: string, stderr: string): CliError {
  const [first = ""] = stderr.split("\n");
  const why = first
    .replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, "")
    .replace(/ at <top-level>.*$/, "")
    .replace(/:$/, "");
  return usageError(`jq cannot do '${expression}': ${why || "it gives no reason"}.`);
}
