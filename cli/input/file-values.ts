import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { refusedInput, usageError } from "../core/cli-error.ts";
import { acceptedValues, type JsonSchema, schemaParts } from "./json-schema-types.ts";
import type { NamedValue } from "./named-value.ts";
import { mediaTypeOfName } from "./media-type-of-name.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { errorText } from "../../shared/error-text.ts";
import type { CliIo } from "../core/cli-io.ts";

/** Base64 of more is larger than the largest body that any service can be set to take (MKT_MAX_BODY_BYTES, 16 MiB). */
const MOST_FILE_BYTES = 12_500_000;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder; name one file",
  EACCES: "cannot be read: permission denied",
};

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
  io: Pick<CliIo, "stdin">,
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
    read.push({ ...value, given: { json: await fileValue(value.name, path, { form, io }) } });
  }
  return read;
}

async function fileValue(
  field: string,
  path: string,
  { form, io }: { readonly form: FileForm; readonly io: Pick<CliIo, "stdin"> },
): Promise<unknown> {
  const bytes = await readFileBytes(path, io).catch((error: unknown) => {
    throw refusedInput(`Input "${field}": ${errorText(error)}`);
  });
  const base64 = bytes.toString("base64");
  if (form === "base64") return base64;
  if (path === "-") return { base64 };
  const filename = basename(path);
  const contentType = mediaTypeOfName(filename);
  return { base64, filename, ...(contentType !== undefined && { contentType }) };
}

/**
 * The bytes of a file, or of standard input for `-`. Reads no more than may be sent, whatever the file is (a pipe, a
 * device). Rejects with an Error that says what is wrong with the file.
 */
async function readFileBytes(path: string, io: Pick<CliIo, "stdin">): Promise<Buffer> {
  const name = path === "-" ? "standard input" : `the file ${path}`;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of path === "-" ? io.stdin : createReadStream(path)) {
      chunks.push(Buffer.from(chunk as Uint8Array | string));
      bytes += chunks.at(-1)?.length ?? 0;
      if (bytes > MOST_FILE_BYTES) break;
    }
  } catch (error) {
    const code = systemErrorCode(error) ?? "";
    throw new Error(`${name} ${WHY[code] ?? `cannot be read (${code})`}.`, { cause: error });
  }
  if (bytes <= MOST_FILE_BYTES) return Buffer.concat(chunks);
  throw new Error(`${name} has more than the ${MOST_FILE_BYTES} bytes that a run can take. Give a smaller file.`);
}
