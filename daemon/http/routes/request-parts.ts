import type { z } from "zod";
import { unknownMembers } from "../../../shared/contract/closed-object.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { ApiError } from "../../../shared/errors.ts";
import { toValidationMessage } from "../answers/validation-message.ts";

/** The parts of a request as received: strings, and a body that is already parsed. */
export interface RawParts {
  readonly params: Readonly<Record<string, string>>;
  /** Undefined for a target without a query. */
  readonly query: URLSearchParams | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

export interface ParsedParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
}

/** The parts as the operation declares them; 400 naming each field that is wrong. A part that is not declared is undefined. */
export function parseParts(operation: Operation, raw: RawParts): ParsedParts {
  if (raw.query !== undefined) refuseUnknownQuery(operation, raw.query);
  return {
    params: parsePart("path", operation.params, () => raw.params),
    query: parsePart("query", operation.query, () => queryValues(raw.query)),
    headers: parsePart("header", operation.headers, (schema) => headerValues(schema, raw.headers)),
    body: parsePart("body", operation.body, () => raw.body),
  };
}

/**
 * Unknown query parameters are refused where ignoring one could do harm: on routes that change something (`DELETE
 * …?dryRun=true`) and on the service's own routes, which could sum or export too much. Reads of the published contract
 * ignore them.
 */
function refuseUnknownQuery({ auth, method, tier, scope, query }: Operation, given: URLSearchParams): void {
  const isChange = method !== "GET" && (scope !== undefined || auth === "operator");
  if (auth === "none" || (tier !== "mkt" && !isChange)) return;
  const known = Object.keys(query?.shape ?? {});
  const unknown = [...new Set(given.keys())].filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new ApiError("invalidInput", `query: ${unknownMembers(unknown, known)}`);
}

function parsePart<Schema extends z.ZodType>(
  place: "body" | "query" | "path" | "header",
  schema: Schema | undefined,
  read: (schema: Schema) => unknown,
): unknown {
  if (schema === undefined) {
    return undefined;
  }
  const result = schema.safeParse(read(schema), { reportInput: true });
  if (!result.success) {
    throw new ApiError("invalidInput", toValidationMessage(place, result.error.issues));
  }
  return result.data;
}

/** A name given once is a string, a repeated one is a list, which only a list schema accepts. */
function queryValues(query: URLSearchParams | undefined): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.create(null);
  if (query === undefined) return values;
  for (const name of new Set(query.keys())) {
    const all = query.getAll(name);
    values[name] = all.length === 1 ? (all[0] ?? "") : all;
  }
  return values;
}

function headerValues(schema: z.ZodType, headers: RawParts["headers"]): Record<string, unknown> {
  const names = Object.keys((schema as z.ZodObject).shape);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name.toLowerCase()];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
