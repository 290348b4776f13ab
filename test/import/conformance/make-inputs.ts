import { isMembers, type Json, listOf, membersOf } from "../../support/openapi-upstream/api-document.ts";
import { makeValue } from "../../support/openapi-upstream/make-value.ts";

export interface RunInputs {
  readonly pathParams?: Json;
  readonly queryParams?: Json;
  readonly body?: Json;
}

/** All that a path, a query and a body must carry unharmed; a header has neither commas in lists nor other alphabets. */
const ANY_TEXT = "Zürich, a/b?c=d&e+f #1 100% «日本»";
const HEADER_TEXT = "Zurich a/b?c=d&e";
/** Of styles that join by a separator which the standard lets nobody encode. */
const TEXT_WITHOUT_SEPARATORS = "Zürich;a/b?c=d&e+f#1";

const SECTIONS = ["pathParams", "queryParams", "body"] as const;

/** One input with what the endpoint needs, and one with all that it takes, texts being what nobody thought of. */
export function makeInputs(endpoint: Json, schemas: Json): readonly RunInputs[] {
  const least = makeInput(endpoint, schemas, false);
  const full = makeInput(endpoint, schemas, true);
  const both = [least, full].filter((input) => input !== undefined);
  return both.filter((input, index) => index === 0 || JSON.stringify(input) !== JSON.stringify(both[0]));
}

function makeInput(endpoint: Json, schemas: Json, isFull: boolean): RunInputs | undefined {
  const input: Record<string, Json> = {};
  for (const section of SECTIONS) {
    const schema = membersOf(endpoint["input"])[section];
    if (!isMembers(schema)) continue;
    const values = makeSection(schema, { endpoint, schemas, section, isFull });
    if (values === undefined) return undefined;
    if (Object.keys(values).length > 0) input[section] = values;
  }
  return input;
}

interface Making {
  readonly endpoint: Json;
  readonly schemas: Json;
  readonly section: (typeof SECTIONS)[number];
  readonly isFull: boolean;
}

function makeSection(section: Json, making: Making): Json | undefined {
  const required = new Set(listOf(section["required"]));
  const values: [string, unknown][] = [];
  for (const [name, schema] of Object.entries(membersOf(section["properties"]))) {
    if (!required.has(name) && !making.isFull) continue;
    const value = makeValue(schema, {
      follow: (one) => followShared(one, making.schemas),
      // In a path or a query an object is its members: without any it is not there.
      isFull: making.isFull || making.section !== "body",
      ...(making.isFull && { anyText: textFor(name, making) }),
    });
    if (value === undefined && required.has(name)) return undefined;
    if (value !== undefined) values.push([name, value]);
  }
  return Object.fromEntries(values);
}

function followShared(schema: unknown, schemas: Json): unknown {
  let here = schema;
  for (let hops = 0; hops < 20 && isMembers(here) && typeof here["$ref"] === "string"; hops++) {
    here = schemas[here["$ref"].replace("#/schemas/", "")];
  }
  return here;
}

function textFor(name: string, { endpoint, section }: Making): string {
  const { headers, styles, encoding } = membersOf(endpoint["request"]);
  const template = `\${input.queryParams.${name}}`;
  if (section === "queryParams" && Object.values(membersOf(headers)).includes(template)) return HEADER_TEXT;
  const style = membersOf(styles)[name];
  const isJoined = style === "spaces" || (style === "comma" && encoding !== undefined);
  return isJoined ? TEXT_WITHOUT_SEPARATORS : ANY_TEXT;
}
