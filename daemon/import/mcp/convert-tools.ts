import { memberOf } from "../../../shared/member-of.ts";
import { schemaCompiler } from "../../catalog/input/schema-compiler.ts";
import { namesHost } from "../../providers/sending/address-guard.ts";
import { isRecord } from "../../../shared/is-record.ts";
import type { JsonObject } from "../../providers/mcp/protocol.ts";
import type {
  ImportChoices,
  ImportComment,
  ImportedProvider,
  SkippedOperation,
} from "../conversion/imported-provider.ts";
import { cleanLine, cleanText } from "../conversion/clean-text.ts";
import { ConversionMeter } from "../conversion/conversion-meter.ts";
import { ImportNotes } from "../conversion/import-notes.ts";
import { given, textOf } from "../conversion/members.ts";
import { unnamedPrice } from "../conversion/unnamed-price.ts";
import { webAddress } from "../conversion/web-address.ts";
import { convertInputSchema, convertSchema, type ToolSchemaTools } from "./convert-tool-schema.ts";
import type { McpListing } from "./read-mcp-server.ts";

/** The limit without a choice: people do not read through more, and agents do not use more. */
const MOST_TOOLS = 50;
const MAX_NAME = 80;
const MAX_OUTPUT_SCHEMA_CHARACTERS = 20_000;

type Endpoint = Readonly<Record<string, unknown>>;

/** How the server was reached, as far as its manifest says it. */
export interface ToolAccess {
  /** `host` or `host:port` that the operator named. */
  readonly allowPrivateHosts: ReadonlySet<string>;
  /** The variable that held the token for the request. */
  readonly authorization?: { readonly variable: string };
}

/** The tools of an MCP server as the endpoints of a provider. Pure. */
export function convertTools(listing: McpListing, choices: ImportChoices, access: ToolAccess): ImportedProvider {
  const tools: ToolSchemaTools = { meter: new ConversionMeter(), notes: new ImportNotes(), compiler: schemaCompiler() };
  const { taken, skipped } = choose(listing.tools, choices);
  const endpoints = new Map<string, Endpoint>();
  const comments: ImportComment[] = [];
  for (const tool of taken) {
    const path = freePath(textOf(tool, "name") ?? "", endpoints);
    endpoints.set(path, convertTool(tool, tools));
    if (isDestructive(tool)) {
      comments.push({ path: ["endpoints", path], text: "the server says that this may delete or overwrite things" });
    }
  }
  const title = titleOf(listing);
  const { authorization } = access;
  const manifest = {
    mkt: 1 as const,
    provider: choices.slug ?? toSlug(title, new URL(listing.ref).hostname),
    ...given({
      displayName: title,
      description: cleanText(listing.instructions, 500) || undefined,
      url: webAddress(listing.server["websiteUrl"]),
    }),
    ...(authorization !== undefined && {
      secrets: { token: { env: authorization.variable, description: "Sent as Authorization: Bearer" } },
    }),
    http: {
      baseUrl: listing.ref,
      ...(authorization !== undefined && { auth: { type: "bearer", token: "${secret.token}" } }),
      ...(isPrivate(listing.ref, access.allowPrivateHosts) && { allowPrivateNetwork: true }),
    },
    price: unnamedPrice(choices, authorization !== undefined),
    source: { kind: "mcp", ref: listing.ref, sha256: listing.sha256 },
    endpoints: Object.fromEntries(endpoints),
  };
  return {
    manifest,
    comments,
    skipped,
    notes: tools.notes.list(),
    pricesToSet: choices.priceUsd === undefined ? [...endpoints.keys()] : [],
  };
}

function choose(
  all: readonly JsonObject[],
  { includeOperations, includeTags, allOperations }: ImportChoices,
): { readonly taken: readonly JsonObject[]; readonly skipped: readonly SkippedOperation[] } {
  const taken: JsonObject[] = [];
  const skipped: SkippedOperation[] = [];
  const isChosen = includeOperations.length > 0;
  for (const tool of all) {
    const name = textOf(tool, "name") ?? "";
    const operation = cleanLine(name, MAX_NAME) || "(a tool without a name)";
    const why = whyNot(name, { includeOperations, includeTags });
    if (why !== undefined) skipped.push({ operation, why });
    else if (!allOperations && !isChosen && taken.length >= MOST_TOOLS) {
      const choice = "name those you want with --include, or take all with --all-operations";
      skipped.push({ operation, why: `more than ${MOST_TOOLS} tools: ${choice}` });
    } else taken.push(tool);
  }
  return { taken, skipped };
}

function whyNot(
  name: string,
  { includeOperations, includeTags }: Pick<ImportChoices, "includeOperations" | "includeTags">,
): string | undefined {
  // A file only names what can be sent unchanged: escapes and direction marks would disguise what is called.
  if (!/^[\w./: -]{1,200}$/.test(name)) return "its name has characters that a tool's name should not have";
  if (includeTags.length > 0) return "tools have no tags; choose them by name with --include";
  return includeOperations.length === 0 || includeOperations.includes(name) ? undefined : "not among --include";
}

function convertTool(tool: JsonObject, tools: ToolSchemaTools): Endpoint {
  const name = textOf(tool, "name") ?? "";
  const annotations = memberOf(tool, "annotations");
  const title = textOf(tool, "title") ?? textOf(annotations, "title") ?? wordsOf(name);
  const body = convertInputSchema(name, memberOf(tool, "inputSchema"), tools);
  const answers = outputOf(memberOf(tool, "outputSchema"), tools);
  const isRepeatable = [memberOf(annotations, "readOnlyHint"), memberOf(annotations, "idempotentHint")].includes(true);
  return given({
    displayName: cleanLine(title, MAX_NAME) || name,
    description: cleanText(memberOf(tool, "description")) || undefined,
    notes: isDestructive(tool) ? ["May delete or overwrite things at the provider."] : undefined,
    idempotent: isRepeatable ? true : undefined,
    request: { tool: name },
    input: body === undefined ? undefined : { body },
    ...answers,
  });
}

/**
 * The description of the answer: a list that is always present is counted, and becomes the output if there is nothing
 * else.
 */
function outputOf(schema: unknown, tools: ToolSchemaTools): Endpoint {
  if (!isRecord(schema)) return {};
  const converted = convertSchema(schema, tools);
  if (converted === undefined) return {};
  const properties = Object.entries(isRecord(converted["properties"]) ? converted["properties"] : {});
  const required = Array.isArray(converted["required"]) ? converted["required"] : [];
  const lists = properties.filter(([name, value]) => memberOf(value, "type") === "array" && required.includes(name));
  const [list] = lists.length === 1 ? lists : [];
  const place = list === undefined || !/^[A-Za-z_]\w*$/.test(list[0]) ? undefined : `$.${list[0]}`;
  const isSmall = JSON.stringify(converted).length <= MAX_OUTPUT_SCHEMA_CHARACTERS;
  const output = given({
    select: properties.length === 1 ? place : undefined,
    schema: isSmall ? converted : undefined,
  });
  return given({
    output: Object.keys(output).length === 0 ? undefined : output,
    usage: place === undefined ? undefined : { count: place },
  });
}

function isDestructive(tool: JsonObject): boolean {
  const annotations = memberOf(tool, "annotations");
  return memberOf(annotations, "destructiveHint") === true && memberOf(annotations, "readOnlyHint") !== true;
}

/** `getWeather`, `get_weather` and `weather/get` → `/get-weather`, `/get-weather-2`, `/weather/get`. */
function freePath(name: string, taken: ReadonlyMap<string, unknown>): string {
  const parts = name
    .split("/")
    .map(toKebab)
    .filter((part) => part !== "");
  const path = `/${parts.length === 0 ? "tool" : parts.join("/")}`;
  let free = path;
  for (let count = 2; taken.has(free); count += 1) free = `${path}-${count}`;
  return free;
}

function toKebab(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

function wordsOf(name: string): string {
  const words = toKebab(name).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function titleOf({ server, ref }: McpListing): string {
  const named = cleanLine(server["title"], MAX_NAME) || cleanLine(server["name"], MAX_NAME);
  return named || new URL(ref).host;
}

function toSlug(title: string, hostname: string): string {
  const slug = toKebab(title).slice(0, 50).replace(/-$/, "");
  return slug === "" ? toKebab(hostname).slice(0, 50).replace(/-$/, "") || "tools" : slug;
}

function isPrivate(address: string, allowed: ReadonlySet<string>): boolean {
  const { protocol, hostname, port } = new URL(address);
  const itsPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return protocol === "http:" || namesHost(allowed, hostname, itsPort);
}
