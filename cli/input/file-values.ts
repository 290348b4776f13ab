import type { Readable } from "node:stream";
import { basename } from "node:path";
import { refusedInput, usageError } from "../core/cli-error.ts";
import { acceptedValues, type JsonSchema, schemaParts } from "./json-schema-types.ts";
import type { NamedValue } from "./named-value.ts";
import { mediaTypeOfName } from "./media-type-of-name.ts";
import { readFileBytes } from "./read-file-bytes.ts";

/** How a field takes a file: its bytes in base64, or those with a name and a media type, for a form. */
export type FileForm = "base64" | "object";

/**
 * How a field takes a file; undefined for one that takes none. Only such a field reads `@path`: elsewhere a text that
 * begins with @ is a text, such as the name of an account.
 */
export function fileFormOf(schema: unknown, root: JsonSchema | undefined): FileForm | undefined {
  const own = formOf(schema, root ?? {});
  if (own !== undefined) return own;
  const [item] = acceptedValues(schema, root ?? {}).items;
  return item === undefined ? undefined : formOf(item, root ?? {});
}

function formOf(schema: unknown, root: JsonSchema): FileForm | undefined {
  const parts = schemaParts(schema, root);
  const isFile = parts.some(
    (part) => part["format"] === "binary" || part["format"] === "byte" || part["contentEncoding"] === "base64",
  );
  if (!isFile) return undefined;
  const takesObject = parts.some((part) => {
    const properties = part["properties"];
    return typeof properties === "object" && properties !== null && Object.hasOwn(properties, "base64");
  });
  return takesObject ? "object" : "base64";
}

/** The path in `@path`; undefined for another word. */
export function filePathOf({ given }: NamedValue): string | undefined {
  return "text" in given && given.text.startsWith("@") ? given.text.slice(1) : undefined;
}

/** The values with the files that they name in their place. Rejects with refused input for what cannot be read. */
export async function withFiles(
  values: readonly NamedValue[],
  formOfField: (value: NamedValue) => FileForm | undefined,
  stdin: Readable,
): Promise<NamedValue[]> {
  const read: NamedValue[] = [];
  let readsStdin = false;
  for (const value of values) {
    const path = filePathOf(value);
    const form = path === undefined ? undefined : formOfField(value);
    if (path === undefined || form === undefined) {
      read.push(value);
      continue;
    }
    if (path === "")
      throw usageError(`Input "${value.name}" names no file: write ${value.name}=@path, or @- for stdin.`);
    if (path === "-" && readsStdin) throw usageError("Standard input can be read once: give @- to one input.");
    readsStdin ||= path === "-";
    read.push({ ...value, given: { json: await fileValue(value.name, path, { form, stdin }) } });
  }
  return read;
}

async function fileValue(
  field: string,
  path: string,
  { form, stdin }: { readonly form: FileForm; readonly stdin: Readable },
): Promise<unknown> {
  const bytes = await readFileBytes(path, stdin).catch((error: unknown) => {
    throw refusedInput(`Input "${field}": ${error instanceof Error ? error.message : String(error)}`);
  });
  const base64 = bytes.toString("base64");
  if (form === "base64") return base64;
  if (path === "-") return { base64 };
  const filename = basename(path);
  const contentType = mediaTypeOfName(filename);
  return { base64, filename, ...(contentType !== undefined && { contentType }) };
}
