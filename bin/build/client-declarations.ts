import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import type { z } from "zod";
import type { Operation } from "../../shared/contract/operation.ts";
import { toWireSchema, type JsonSchema, type SchemaComponents } from "../../shared/openapi-schema.ts";
import { docComment, memberText, typeText } from "./type-text.ts";

/** Declarations that are copied from the sources unchanged. */
const declaredInSources: Readonly<Record<string, readonly string[]>> = {
  "transport.ts": ["TransportRequest", "TransportAnswer", "Transport"],
  "client-over.ts": ["ClientKind", "ClientOptions", "CallOptions"],
  "service-error.ts": ["ServiceError", "UnreachableError"],
};

/**
 * The types of `mkt/client` in plain TypeScript: nobody who uses the client meets the schemas that it is made from. A
 * test holds them to the types that the sources infer.
 */
export async function clientDeclarations(operations: Readonly<Record<string, Operation>>): Promise<string> {
  const components: SchemaComponents = {};
  const methods = Object.values(operations).map((operation) => methodText(operation, components));
  const named = Object.entries(components).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = [
    "// Made by the build from the contract; the service tells the same at /openapi.json.",
    ...(
      await Promise.all(Object.entries(declaredInSources).map(([file, names]) => declarationsIn(file, names)))
    ).flat(),
    "/**\n * A method for each operation of the service. Resolves with the body of a success; rejects with ServiceError for" +
      " every other answer,\n * with UnreachableError when there was none, and with the signal's reason when it aborts.\n */",
    `export interface Client {\n${methods.join("\n")}\n}`,
    "export declare function createClient(options: ClientOptions): Client;",
    ...named.map(([name, schema]) => `${docComment(schema["description"])}export type ${name} = ${typeText(schema)};`),
  ].join("\n\n");
  return ts.createPrinter().printFile(ts.createSourceFile("client.d.ts", text, ts.ScriptTarget.Latest));
}

function methodText(operation: Operation, components: SchemaComponents): string {
  const { operationId, method, path, summary, deprecated } = operation;
  const input = inputText(operation, components);
  const words = `${summary}${/[.!?]$/.test(summary) ? "" : "."} \`${method} ${path}\`${deprecated ? "\n@deprecated" : ""}`;
  if (operation.streams !== undefined) {
    return `${docComment(words)}stream(operationId: "${operationId}", ${input}, options?: CallOptions): Promise<AsyncIterable<Uint8Array>>;`;
  }
  return `${docComment(words)}${operationId}(${input}, options?: CallOptions): Promise<${answerText(operation, components)}>;`;
}

/** Only the parts that the operation has; what may be left out as a whole has a question mark. */
function inputText({ params, query, headers, body }: Operation, components: SchemaComponents): string {
  const objects = Object.entries({ params, query, headers }).flatMap(([name, schema]) =>
    schema === undefined ? [] : [{ name, ...parameters(schema, components) }],
  );
  const parts = objects.map(({ name, text, isOptional }) => ({
    text: `${name}${mark(isOptional)}: ${text}`,
    isOptional,
  }));
  if (body !== undefined) {
    const isOptional = body.safeParse(undefined).success;
    parts.push({ text: `body${mark(isOptional)}: ${typeText(toWireSchema(body, components))}`, isOptional });
  }
  const isOptional = parts.every((part) => part.isOptional);
  return `input${mark(isOptional)}: { ${parts.map(({ text }) => text).join("; ")} }`;
}

function mark(isOptional: boolean): string {
  return isOptional ? "?" : "";
}

function parameters(schema: z.ZodObject, components: SchemaComponents): { text: string; isOptional: boolean } {
  const members = (Object.entries(schema.shape) as [string, z.ZodType][]).map(([name, member]) => {
    const isOptional = member.safeParse(undefined).success;
    const wire = toWireSchema(member, components);
    return { isOptional, text: memberText(name, valueType(wire), !isOptional, wire["description"]) };
  });
  const text = `{ ${members.map((one) => one.text).join("\n")} }`;
  return { text, isOptional: members.every(({ isOptional }) => isOptional) };
}

/** A query holds text; the client takes the value that it stands for. shared/contract/query-values.ts. */
function valueType(schema: JsonSchema): string {
  const { enum: values, pattern } = schema;
  if (Array.isArray(values) && values.join() === "true,false") return "boolean";
  const words = typeof pattern === "string" ? /^\^\(([\w|]+)\)\(,\(\1\)\)\*\$$/.exec(pattern)?.[1] : undefined;
  if (words === undefined) return typeText(schema);
  return `ReadonlyArray<${typeText({ enum: words.split("|") })}>`;
}

function answerText({ responses }: Operation, components: SchemaComponents): string {
  const bodies = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, schema]) => (schema === null ? "undefined" : typeText(toWireSchema(schema, components))));
  return bodies.join(" | ");
}

async function declarationsIn(file: string, names: readonly string[]): Promise<string[]> {
  const path = fileURLToPath(new URL(`../../shared/client/${file}`, import.meta.url));
  const { outputText } = ts.transpileDeclaration(await readFile(path, "utf8"), { fileName: path });
  const source = ts.createSourceFile(file, outputText, ts.ScriptTarget.Latest);
  return names.map((name) => {
    const found = source.statements.find((one) => "name" in one && (one.name as ts.Identifier)?.text === name);
    if (found === undefined)
      throw new Error(`shared/client/${file} declares no ${name}, which the client's types need`);
    return found.getFullText(source).trim();
  });
}
