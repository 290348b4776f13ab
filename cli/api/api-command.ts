import { Argument } from "commander";
import { ServiceError } from "../../shared/client/service-error.ts";
import { operationPaths } from "../../shared/contract/operation-paths.ts";
import type { HttpMethod } from "../../shared/contract/operation.ts";
import { CliError } from "../core/cli-error.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { keepUnwritten } from "../command/keep-unwritten.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { idempotent, parseIdempotencyKey } from "../flags/idempotency-key.ts";
import { didYouMean } from "../core/near-misses.ts";
import { collectPairs } from "../flags/option-values.ts";
import { readInput } from "../input/read-input.ts";
import { collectHeader, methods, parseMethod, parsePath, type RequestPath, splitHeader } from "./request-arguments.ts";

interface ApiFlags {
  input?: string;
  query?: Record<string, string>;
  header?: string[];
  idempotencyKey?: string;
}

/** Calls any route, including those that no other command uses. */
export function apiCommand(context: CliContext): Command {
  return new Command("api")
    .description("Send any request to the service, with your key; its answer is printed unchanged")
    .addArgument(new Argument("<method>", `${methods.join(", ")}`).argParser(parseMethod))
    .argument("<path>", "such as /v1/runs; the routes are in /openapi.json", parsePath)
    .option("-i, --input <json>", "the body: a JSON object, @file, or - for standard input")
    .option("--query <name=value>", "a parameter of the query (repeatable)", collectPairs)
    .option("-H, --header <name: value>", "a header of the request (repeatable)", collectHeader)
    .option("--idempotency-key <key>", "a repeated request with this key has one effect", parseIdempotencyKey)
    .examples(
      "mkt api GET /v1/runs --query limit=2",
      `mkt api POST /v1/run -i '{"provider":"atlas","endpoint":"/countries","input":{"search":"Portugal"}}' --jq .output`,
      "mkt api GET /openapi.json --jq '.paths | keys[]'",
    )
    .action(async (method: HttpMethod, path: RequestPath, flags: ApiFlags) => {
      const body = flags.input === undefined ? undefined : await readInput(flags.input, context.io);
      const client = await context.client();
      const answer = await client
        .open(
          { operationId: "api", method, path: path.pathname },
          { query: { ...path.query, ...flags.query }, ...(body && { body }) },
          { headers: requestHeaders(method, flags) },
        )
        .catch((error: unknown) => {
          throw withNearRoutes(error, `${method} ${path.pathname}`);
        });
      if (answer.status === 204) return context.output.done("Done (204): there is no body.");
      if (method === "GET") return context.output.raw(answer);
      // A request that changed something cannot be sent again for its answer.
      await keepUnwritten(context, { name: "answer" }, () => context.output.raw(answer));
    });
}

/**
 * With a key for what may be paid for, so that sending it again makes nothing twice.
 * docs/command-line.md, "Paid calls".
 */
function requestHeaders(method: HttpMethod, { header = [], idempotencyKey }: ApiFlags): Record<string, string> {
  const given = Object.fromEntries(header.map((line) => splitHeader(line)));
  const key = idempotencyKey ?? given["idempotency-key"];
  return { ...given, ...(method === "POST" || key !== undefined ? idempotent(key).headers : {}) };
}

/** The error for an unknown route names similar routes. */
function withNearRoutes(error: unknown, asked: string): unknown {
  if (!(error instanceof ServiceError) || ![404, 405].includes(error.status)) return error;
  if (!error.message.includes("is not a route") && error.status === 404) return error;
  const routes = Object.values(operationPaths).map((operation) => `${operation.method} ${operation.path}`);
  const message = error.message.replace(/\.?$/, ".") + didYouMean(asked, routes);
  const exitCode = error.status === 404 ? exitCodes.notFound : exitCodes.failed;
  return new CliError(exitCode, message, {
    status: error.status,
    next: "mkt api GET /openapi.json --jq '.paths | keys[]'",
    cause: error,
  });
}
