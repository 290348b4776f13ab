import type { Description } from "../documents/description.ts";
import {
  type ImportChoices,
  type ImportComment,
  type ImportedProvider,
  ImportRefused,
  type SkippedOperation,
} from "../conversion/imported-provider.ts";
import { spellOperation } from "./operations/api-operation.ts";
import { CannotConvert } from "./document/cannot-convert.ts";
import { chooseOperations } from "./operations/choose-operations.ts";
import { type ChosenServer, NO_ADDRESS } from "./operations/choose-server.ts";
import { ConversionMeter } from "../conversion/conversion-meter.ts";
import { convertOperation, type OperationDraft, type OperationTools } from "./convert-operation.ts";
import { type ManifestSchema, SchemaConverter } from "./schemas/convert-schema.ts";
import { SecurityReader } from "./security/convert-security.ts";
import { countParts } from "./document/document-walk.ts";
import { ImportNotes } from "../conversion/import-notes.ts";
import { listOperations, shownPath } from "./operations/list-operations.ts";
import { entriesOf, given, memberOf, type Members } from "../conversion/members.ts";
import { nameEndpoints } from "./operations/name-endpoints.ts";
import { rootServer, type ServerFacts, serverOf } from "./operations/operation-server.ts";
import { readPrice } from "./operations/payment-info.ts";
import { chooseAuths, mostCommon, needsKey, secretsOf } from "./provider-auth.ts";
import { providerCard, slugFor } from "./operations/provider-card.ts";
import { type OpenApiVersion, readVersion } from "./document/read-version.ts";
import { ReferenceResolver, UnusableReference } from "./document/reference-resolver.ts";
import { requireWhole } from "./schemas/shared-schemas.ts";
import { settleDrafts, type SettledDrafts } from "./settle-drafts.ts";
import { MAYBE_BILLED, unnamedPrice } from "../conversion/unnamed-price.ts";
import { readWirePath, type WirePath } from "./operations/wire-path.ts";
import { type SharedParts, writeAuth, writeEndpoint, type WrittenEndpoint } from "./write-endpoint.ts";

/** Members and items of one catalog file: its reader takes about 80,000. */
const MAX_FILE_PARTS = 72_000;
/** Each is checked against its compiled schema. */
const MAX_EXAMPLES = 100;

/** What is known of the whole document before any operation is converted. */
interface Conversion {
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

interface FoundOperations {
  readonly drafts: readonly OperationDraft[];
  readonly settled: SettledDrafts;
  /** What is to be said of the choice that was made. */
  readonly notes: readonly string[];
}

/**
 * An OpenAPI document of any version → a provider. Pure: reads no file and no address, and takes bounded time whatever the
 * document says. An operation that cannot be called is left out with its reason; the rest is taken. Throws ImportRefused
 * when nothing is left, or when it is no such document.
 */
export function convertOpenApi(description: Description, choices: ImportChoices): ImportedProvider {
  const { root, version } = readVersion(description.value);
  const meter = new ConversionMeter();
  const resolver = new ReferenceResolver(description, meter);
  const isSwagger = version === "2.0";
  const servers = { root, isSwagger, ref: description.ref, baseUrl: choices.baseUrl };
  const conversion: Conversion = {
    description,
    choices,
    root,
    version,
    resolver,
    meter,
    notes: new ImportNotes(),
    skipped: [],
    servers,
  };
  const server = rootServer(servers);
  const slug = slugFor(choices.slug, root, server?.baseUrl ?? NO_ADDRESS);
  const { notes } = conversion;
  const security = new SecurityReader({ root, isSwagger, resolver, notes, slug, ref: description.ref });
  const found = convertOperations(conversion, security);
  return writeProvider(conversion, { ...found, security, slug, server });
}

function convertOperations(conversion: Conversion, security: SecurityReader): FoundOperations {
  const { root, resolver, choices, skipped, notes, meter, version } = conversion;
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
  const {
    chosen,
    skipped: left,
    notes: words,
  } = chooseOperations(
    paths.map(({ place }) => place),
    choices,
  );
  skipped.push(...left);
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
  const reader = { root, resolver, notes, isSwagger: version === "2.0" };
  const tools: OperationTools = { converter, shapes, notes, reader, security, meter };
  const whole = new Set<string>();
  const drafts = chosen.flatMap((place): OperationDraft[] => {
    const [wire, publicPath] = [wires.get(place), names.get(place)];
    if (wire === undefined || publicPath === undefined) return [];
    const draft = orSkip(skipped, place, () => {
      const converted = convertOperation({ place, publicPath, wire }, tools);
      requireWhole([...converted.sections.values()], whole, shapes);
      return converted;
    });
    return draft === undefined ? [] : [draft];
  });
  const settled = settleDrafts(drafts, skipped, { ...shapes, notes });
  return { drafts: drafts.filter((draft) => settled.sections.has(draft)), settled, notes: words };
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

interface Findings extends FoundOperations {
  readonly security: SecurityReader;
  readonly slug: string;
  readonly server: ChosenServer | undefined;
}

/** The manifest around the endpoints: what most of them share stands with the provider. */
function writeProvider(conversion: Conversion, found: Findings): ImportedProvider {
  const { root, description, choices, notes, skipped } = conversion;
  const { drafts, slug, security } = found;
  const servers = new Map(drafts.map((draft) => [draft, serverOf(draft.place, found.server, conversion.servers)]));
  const auths = chooseAuths(drafts);
  const server = mostCommon(
    [...servers.values()].filter((one) => one !== undefined),
    ({ baseUrl }) => baseUrl,
  );
  const shared: SharedParts = {
    ref: description.ref,
    server: server ?? { baseUrl: NO_ADDRESS, isPrivate: false, isCertain: false },
    auth: mostCommon([...auths.values()], (auth) => JSON.stringify(auth)) ?? [],
    schemas: Object.fromEntries(found.settled.shared),
    examplesLeft: { count: MAX_EXAMPLES },
    price: unnamedPrice(
      choices,
      drafts.some((draft) => needsKey(draft) && readPrice(draft.place.operation) === undefined),
    ),
    isPriceChosen: choices.priceUsd !== undefined,
  };
  const written = writeEndpoints(conversion, found, shared, (draft) => ({
    server: servers.get(draft),
    auth: auths.get(draft) ?? [],
  }));
  if (written.size === 0) throw nothingTaken(skipped, isChosen(choices) ? found.notes : []);
  noteWhole(conversion, server);
  const taken = drafts.filter(({ publicPath }) => written.has(publicPath));
  const unpriced = [...written].filter(([, { hasPrice }]) => !hasPrice).map(([path]) => path);
  const pricesToSet = choices.priceUsd === undefined ? unpriced : [];
  return {
    manifest: {
      mkt: 1,
      provider: slug,
      ...providerCard(root, slug),
      ...given({
        secrets: secretsOf(taken, auths, security),
        http: given({
          baseUrl: shared.server.baseUrl,
          allowPrivateNetwork: shared.server.isPrivate ? true : undefined,
          auth: shared.auth.length > 0 ? writeAuth(shared.auth) : undefined,
        }),
        price: shared.price,
        schemas: found.settled.shared.size > 0 ? shared.schemas : undefined,
        source: { kind: "openapi", ref: description.ref, sha256: description.sha256 },
      }),
      endpoints: Object.fromEntries([...written].map(([path, { endpoint }]) => [path, endpoint])),
    },
    comments: [
      ...providerComments(server, pricesToSet.length > 0 ? shared.price : undefined),
      ...[...written.values()].flatMap(({ comments }) => comments),
    ],
    skipped,
    notes: [...found.notes, ...notes.list()],
    pricesToSet,
  };
}

/** By public path, as many as one file may hold. */
function writeEndpoints(
  { meter, skipped }: Conversion,
  { drafts, settled }: FoundOperations,
  shared: SharedParts,
  ownOf: (draft: OperationDraft) => Parameters<typeof writeEndpoint>[2],
): ReadonlyMap<string, WrittenEndpoint> {
  const written = new Map<string, WrittenEndpoint>();
  let room = MAX_FILE_PARTS - countParts(shared.schemas, MAX_FILE_PARTS);
  for (const draft of drafts) {
    const endpoint = writeEndpoint(draft, settled.sections.get(draft) ?? {}, ownOf(draft), shared);
    const parts = countParts(endpoint.endpoint, MAX_FILE_PARTS);
    meter.spend(parts);
    room -= parts;
    if (room >= 0) {
      written.set(draft.publicPath, endpoint);
    } else {
      const why =
        "the catalog file would be too large; import the document in parts, each with --slug and --include-tag";
      skipped.push({ operation: spellOperation(draft.place), why });
    }
  }
  return written;
}

function noteWhole({ root, notes }: Conversion, server: ChosenServer | undefined): void {
  for (const word of ["webhooks", "x-webhooks", "x-ms-paths"]) {
    if (entriesOf(memberOf(root, word)).length > 0)
      notes.add(`${word} are not taken: they are no calls to the provider`);
  }
  if (server === undefined) {
    notes.add(
      "the document names no address to call, so that all endpoints are off; import again with --base-url https://…",
    );
  } else if (server.note !== undefined) {
    notes.add(server.note);
  }
}

/** `priceToSet`: the provider's, where nobody named it. */
function providerComments(server: ChosenServer | undefined, priceToSet: Members | undefined): ImportComment[] {
  const comments: ImportComment[] = [];
  if (server === undefined) {
    const text = "set the address here and take `enabled: false` out below, or import again with --base-url";
    comments.push({ path: ["http", "baseUrl"], text });
  }
  if (priceToSet !== undefined) {
    const text =
      priceToSet === MAYBE_BILLED
        ? "check me: the document names no price, and calls need a key; set what one costs, or give an endpoint that is free a price of its own"
        : "check me: what the document puts no price on is free until you set one";
    comments.push({ path: ["price"], text });
  }
  return comments;
}

function isChosen({ includeTags, includeOperations }: ImportChoices): boolean {
  return includeTags.length > 0 || includeOperations.length > 0;
}

/** `unknown`: names of the choice that the document does not have, and those that it has. */
function nothingTaken(skipped: readonly SkippedOperation[], unknown: readonly string[]): ImportRefused {
  const [first] = skipped;
  if (first === undefined) {
    return new ImportRefused("no-operations", 'The document has no operation: below "paths" there is nothing to call.');
  }
  const words = `None of the ${skipped.length} operations can be taken; the first, ${first.operation}: ${first.why.replace(/\.$/, "")}.`;
  return new ImportRefused("nothing-taken", [words, ...unknown.map(asSentence)].join(" "));
}

function asSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1).replace(/\.$/, "")}.`;
}
