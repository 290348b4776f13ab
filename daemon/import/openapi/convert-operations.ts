import type { Description } from "../documents/description.ts";
import type { ImportChoices, SkippedOperation } from "../conversion/imported-provider.ts";
import type { ConversionMeter } from "../conversion/conversion-meter.ts";
import type { ImportNotes } from "../conversion/import-notes.ts";
import type { Members } from "../conversion/members.ts";
import { convertOperation, type OperationDraft, type OperationTools } from "./convert-operation.ts";
import { CannotConvert } from "./document/cannot-convert.ts";
import type { OpenApiVersion } from "./document/read-version.ts";
import { type ReferenceResolver, UnusableReference } from "./document/reference-resolver.ts";
import { spellOperation } from "./operations/api-operation.ts";
import { chooseOperations } from "./operations/choose-operations.ts";
import { listOperations, shownPath } from "./operations/list-operations.ts";
import { nameEndpoints } from "./operations/name-endpoints.ts";
import type { ServerFacts } from "./operations/operation-server.ts";
import { readWirePath, type WirePath } from "./operations/wire-path.ts";
import { SchemaConverter } from "./schema-conversion/convert-schema.ts";
import type { ManifestSchema } from "./schemas/manifest-schema.ts";
import { requireWhole, settleSchemas, type SharedSchemasTools } from "./schemas/shared-schemas.ts";
import type { SecurityReader } from "./security/convert-security.ts";

/** What is known of the whole document before any operation is converted. */
export interface Conversion {
  readonly description: Description;
  readonly choices: ImportChoices;
  readonly root: Members;
  readonly version: OpenApiVersion;
  readonly resolver: ReferenceResolver;
  readonly meter: ConversionMeter;
  readonly notes: ImportNotes;
  readonly skipped: SkippedOperation[];
  readonly servers: ServerFacts;
}

/** Operations as they will be written. */
export interface FoundOperations {
  readonly drafts: readonly OperationDraft[];
  readonly settled: SettledDrafts;
  /** Notes on the selection. */
  readonly notes: readonly string[];
}

type ChosenOperation = Pick<OperationDraft, "place" | "publicPath" | "wire">;

interface SettledDrafts {
  /** Input schemas by section; operations whose input is too large to be checked are left out. */
  readonly sections: ReadonlyMap<OperationDraft, Readonly<Record<string, ManifestSchema>>>;
  readonly shared: ReadonlyMap<string, ManifestSchema>;
}

/** Converts the selected operations one by one, then settles their schemas together. */
export function convertOperations(conversion: Conversion, security: SecurityReader): FoundOperations {
  const { root, resolver, skipped, notes, meter, version } = conversion;
  const { chosen, notes: words } = choosePlaces(conversion);
  const converter = new SchemaConverter({
    resolver,
    meter,
    notes,
    siblingsCount: version === "3.1" || version === "3.2",
  });
  const shapes = {
    definition: (name: string) => converter.definition(name),
    readOnlyNames: (schema: ManifestSchema) => converter.readOnlyNames(schema),
    meter,
  };
  const reader = { root, resolver, notes, isSwagger: version === "2.0", parameters: new WeakMap() };
  const tools: OperationTools = { converter, shapes, notes, reader, security, meter };
  const whole = new Set<string>();
  const drafts = chosen.flatMap((chosenPlace): OperationDraft[] => {
    const draft = orSkip(skipped, chosenPlace.place, () => {
      const converted = convertOperation(chosenPlace, tools);
      requireWhole([...converted.sections.values()], whole, shapes);
      return converted;
    });
    return draft === undefined ? [] : [draft];
  });
  const settled = settleDrafts(drafts, skipped, { ...shapes, notes });
  return { drafts: drafts.filter((draft) => settled.sections.has(draft)), settled, notes: words };
}

/** Selects operations of the document: their location, the path that is called, and the public path. */
function choosePlaces({ root, resolver, choices, skipped }: Conversion): {
  readonly chosen: readonly ChosenOperation[];
  readonly notes: readonly string[];
} {
  const listed = listOperations(root, resolver);
  skipped.push(...listed.skipped);
  const paths = listed.operations.flatMap((place) => {
    const wire = readWirePath(place.path);
    if (!("why" in wire)) return [{ place, wire }];
    skipped.push({ operation: `${place.method} ${shownPath(place.path)}`, why: wire.why });
    return [];
  });
  const names = nameEndpoints(paths);
  const wires = new Map<unknown, WirePath>(paths.map(({ place, wire }) => [place, wire]));
  const choice = chooseOperations(
    paths.map(({ place }) => place),
    choices,
  );
  skipped.push(...choice.skipped);
  const chosen = choice.chosen.flatMap((place): ChosenOperation[] => {
    const [wire, publicPath] = [wires.get(place), names.get(place)];
    return wire === undefined || publicPath === undefined ? [] : [{ place, publicPath, wire }];
  });
  return { chosen, notes: choice.notes };
}

function orSkip<T>(
  skipped: SkippedOperation[],
  place: { readonly method: OperationDraft["place"]["method"]; readonly path: string },
  convert: () => T,
): T | undefined {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof UnusableReference) && !(error instanceof CannotConvert)) throw error;
    skipped.push({ operation: spellOperation({ ...place, path: shownPath(place.path) }), why: error.message });
    return undefined;
  }
}

/** Settles the schemas of all operations together, so that shared ones are written once. */
function settleDrafts(
  drafts: readonly OperationDraft[],
  skipped: SkippedOperation[],
  tools: SharedSchemasTools,
): SettledDrafts {
  const all = drafts.flatMap((draft) => [...draft.sections].map(([name, schema]) => ({ draft, name, schema })));
  const settled = settleSchemas(
    all.map(({ schema }) => schema),
    tools,
  );
  const sections = new Map<OperationDraft, Record<string, ManifestSchema>>(drafts.map((draft) => [draft, {}]));
  all.forEach(({ draft, name }, index) => {
    const schema = settled.sections[index];
    const own = sections.get(draft);
    if (schema !== undefined && own !== undefined) {
      own[name] = schema;
    } else if (sections.delete(draft)) {
      const why = `there are more fields in its ${name} than can be checked in bounded time`;
      skipped.push({ operation: spellOperation(draft.place), why });
    }
  });
  return { sections, shared: settled.shared };
}
