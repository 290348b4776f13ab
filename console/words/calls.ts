import { escapeControls } from "../../shared/hints/printable.ts";
import { quoteWord } from "../../shared/hints/shell-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

export interface RunCall {
  readonly provider: string;
  readonly endpoint: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** In dollars. */
  readonly maxCost?: number | undefined;
}

/** The same run for the three who could make it without this page. Characters that no screen shows are escapes in them. */
export function sameCalls({ provider, endpoint, input, maxCost }: RunCall, baseUrl: string) {
  const body = {
    provider,
    endpoint,
    ...(Object.keys(input).length > 0 && { input }),
    ...(maxCost !== undefined && { maxCost: { value: maxCost, currency: "USD" } }),
  };
  const path = endpoint.startsWith("/") ? endpoint : `/${endpoint}`;
  const words = [
    ...(Object.keys(input).length > 0 ? ["-i", escapeControls(JSON.stringify(input))] : []),
    ...(maxCost === undefined ? [] : ["--max-cost", String(maxCost)]),
  ];
  return {
    mkt: shellLine("mkt", "run", `${provider}${path}`, ...words),
    curl: [
      `curl -sS ${quoteWord(`${baseUrl}/v1/run`)} \\`,
      `  -H "Authorization: Bearer $MKT_API_KEY" \\`,
      `  --json ${quoteWord(escapeControls(JSON.stringify(body)))}`,
    ].join("\n"),
    TypeScript: [
      `import { createClient } from "mkt/client";`,
      "",
      `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}, key: process.env.MKT_API_KEY });`,
      `const run = await client.startRun({ body: ${escapeControls(JSON.stringify(body, null, 2))} });`,
      "console.log(run);",
    ].join("\n"),
  };
}
