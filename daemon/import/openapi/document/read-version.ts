import { memberOf } from "../../../../shared/member-of.ts";
import { ImportRefused } from "../../conversion/imported-provider.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { entriesOf, type Members, wordOf } from "../../conversion/members.ts";

/** The OpenAPI versions that a conversion distinguishes; 3.1 and 3.2 do not differ in what is used. */
export type OpenApiVersion = "2.0" | "3.0" | "3.1" | "3.2";

/** The root of a description and its version. Throws ImportRefused with a message for anything else. */
export function readVersion(value: unknown): { readonly root: Members; readonly version: OpenApiVersion } {
  if (value === null || value === undefined || value === "") {
    throw notOpenApi("The document is empty.");
  }
  if (typeof value === "string") throw notOpenApi(explainText(value));
  if (Array.isArray(value)) {
    throw notOpenApi(`The document is a list of ${value.length} items, and no object with "openapi" or "swagger".`);
  }
  if (!isRecord(value)) throw notOpenApi(`The document is a single ${typeof value}.`);
  const openapi = memberOf(value, "openapi");
  if (openapi !== undefined) return { root: value, version: readOpenApi(openapi) };
  const swagger = memberOf(value, "swagger");
  if (swagger !== undefined) return { root: value, version: readSwagger(swagger) };
  throw notOpenApi(explainObject(value));
}

function readOpenApi(found: unknown): OpenApiVersion {
  const text = wordOf(found).trim();
  const version = /^3\.([012])(?:$|[.-])/.exec(text);
  // YAML reads 3.0 as the number 3.
  if (version?.[1] === "0" || text === "3") return "3.0";
  if (version?.[1] === "1") return "3.1";
  if (version?.[1] === "2") return "3.2";
  if (/^2(?:\.|$)/.test(text)) return "2.0";
  throw unknownVersion("openapi", found);
}

function readSwagger(found: unknown): OpenApiVersion {
  if (/^2(?:\.0)*$/.test(wordOf(found).trim())) return "2.0";
  throw unknownVersion("swagger", found);
}

function unknownVersion(member: string, found: unknown): ImportRefused {
  const shown = (JSON.stringify(found) ?? "nothing").slice(0, 40);
  return new ImportRefused(
    "unknown-version",
    `The document says ${member}: ${shown}; OpenAPI 2.0, 3.0, 3.1 and 3.2 are read. Convert it to one of these.`,
  );
}

function explainText(text: string): string {
  if (/^\s*<(?:!doctype|html|\?xml|!--)/i.test(text)) {
    return "This is a web page; the address of the raw document is meant.";
  }
  return 'The document is plain text, and no object with "openapi" or "swagger".';
}

function explainObject(value: Members): string {
  if (Object.hasOwn(value, "asyncapi")) return "This is an AsyncAPI document: it describes messages, not calls.";
  const schema = wordOf(memberOf(memberOf(value, "info"), "schema") ?? memberOf(value, "$schema"));
  const isPostman = Object.hasOwn(value, "item") && (schema.includes("postman") || Object.hasOwn(value, "info"));
  if (isPostman || Object.hasOwn(memberOf(value, "info") ?? {}, "_postman_id")) {
    return "This is a Postman collection; export it as OpenAPI first.";
  }
  if (Object.hasOwn(value, "swaggerVersion")) {
    return "This is a Swagger 1.x document; convert it to OpenAPI 2.0 or 3.x first.";
  }
  if (Object.hasOwn(value, "openrpc")) return "This is an OpenRPC document: it describes no HTTP calls.";
  if (Object.hasOwn(value, "mkt")) return "This is a provider manifest already; put it into the catalog folder.";
  if (schema.includes("json-schema.org")) return "This is a JSON Schema: it describes values, not calls.";
  const names = entriesOf(value).map(([name]) => JSON.stringify(name.slice(0, 40)));
  const shown = names.length === 0 ? "it is empty" : `it has ${names.slice(0, 6).join(", ")}`;
  return `The document has neither "openapi" nor "swagger": ${shown}.`;
}

function notOpenApi(what: string): ImportRefused {
  return new ImportRefused("not-openapi", `${what} An OpenAPI document (2.0, 3.0, 3.1 or 3.2) is expected.`);
}
