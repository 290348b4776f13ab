import { memberOf } from "../../../shared/member-of.ts";
import {
  type ImportChoices,
  type ImportComment,
  type ImportedProvider,
  ImportRefused,
  type SkippedOperation,
} from "../conversion/imported-provider.ts";
import { entriesOf, given, type Members } from "../conversion/members.ts";
import { MAYBE_BILLED, unnamedPrice } from "../conversion/unnamed-price.ts";
import type { OperationDraft } from "./convert-operation.ts";
import type { Conversion, FoundOperations } from "./convert-operations.ts";
import { countParts } from "./document/document-walk.ts";
import { spellOperation } from "./operations/api-operation.ts";
import { type ChosenServer, NO_ADDRESS } from "./operations/choose-server.ts";
import { serverOf } from "./operations/operation-server.ts";
import { readPrice } from "./operations/payment-info.ts";
import { providerCard } from "./operations/provider-card.ts";
import { chooseAuths, mostCommon, needsKey, secretsOf } from "./provider-auth.ts";
import type { SecurityReader } from "./security/convert-security.ts";
import { type SharedParts, writeAuth, writeEndpoint, type WrittenEndpoint } from "./write-endpoint.ts";

/** Members and items of one catalog file: its reader accepts about 80,000. */
const MAX_FILE_PARTS = 72_000;
/** Each is checked against its compiled schema. */
const MAX_EXAMPLES = 100;

/** The data from which a provider is written. */
export interface Findings extends FoundOperations {
  readonly security: SecurityReader;
  readonly slug: string;
  readonly server: ChosenServer | undefined;
}

/** The manifest around the endpoints: what most of them share is written at the provider. */
export function writeProvider(conversion: Conversion, found: Findings): ImportedProvider {
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

/** By public path, as many as one file may have. */
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

/** `priceToSet`: the provider's, if the document gave none. */
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

/** `unknown`: names in the selection that the document does not have; the message lists those that it has. */
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
