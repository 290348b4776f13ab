import { isDeepStrictEqual } from "node:util";
import type { Auth } from "../../manifest/manifest.ts";
import type { ImportComment } from "../conversion/imported-provider.ts";
import { asksOf, descriptionOf, displayNameOf, docUrlOf, tagsFor } from "./operations/describe-operation.ts";
import { findLimit } from "./schemas/estimate-limit.ts";
import { exampleOfBody, exampleOfFields, findExample } from "./schemas/find-examples.ts";
import type { ChosenServer } from "./operations/choose-server.ts";
import type { ManifestSchema } from "./schemas/manifest-schema.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { entriesOf, given, type Members } from "../conversion/members.ts";
import type { OperationDraft } from "./convert-operation.ts";
import { type FoundPrice, readPrice } from "./operations/payment-info.ts";
import { needsKey } from "./provider-auth.ts";
import { FREE, MAYBE_BILLED } from "../conversion/unnamed-price.ts";

/** The parts that a provider's endpoints share; an endpoint has only what differs. */
export interface SharedParts {
  readonly ref: string;
  readonly server: ChosenServer;
  readonly auth: readonly Auth[];
  readonly schemas: Readonly<Record<string, ManifestSchema>>;
  /** The number of examples that may still be searched for: each compiles its schemas. */
  readonly examplesLeft: { count: number };
  /** The provider's price, which applies to endpoints without their own. */
  readonly price: Members;
  /** The person chose `price`: it applies to everything for which the document gives none. */
  readonly isPriceChosen: boolean;
}

export interface WrittenEndpoint {
  readonly endpoint: Readonly<Record<string, unknown>>;
  readonly comments: readonly ImportComment[];
  readonly hasPrice: boolean;
}

/** The endpoint as it will be written, with members in the order of the worked examples and without defaults. */
export function writeEndpoint(
  draft: OperationDraft,
  settled: Readonly<Record<string, ManifestSchema>>,
  own: { readonly server: ChosenServer | undefined; readonly auth: readonly Auth[] },
  shared: SharedParts,
): WrittenEndpoint {
  const { place, publicPath, operation, results, security } = draft;
  const comments: ImportComment[] = [];
  const comment = (text: string, ...path: (string | number)[]) =>
    comments.push({ path: ["endpoints", publicPath, ...path], text });
  const whyDisabled =
    security.unusable ?? (own.server === undefined ? "the document names no address to call" : undefined);
  const found = readPrice(place.operation);
  if (found !== undefined && "unknown" in found && !shared.isPriceChosen)
    comment(`set a price: ${found.unknown}`, "price");
  const usage = usageOf(draft, settled);
  if (usage?.["estimate"] !== undefined)
    comment("check me: is this what limits the number of results?", "usage", "estimate");
  const tags = tagsFor(place);
  const asks = asksOf(place);
  const docUrl = docUrlOf(place.operation);
  const endpoint = given({
    displayName: displayNameOf(place),
    description: descriptionOf(place, operation.answer, results.fields) || undefined,
    docUrl,
    tags: tags.length > 0 ? tags : undefined,
    asks: asks.length > 0 ? asks : undefined,
    enabled: whyDisabled === undefined ? undefined : false,
    disabledReason: whyDisabled,
    verified: false,
    request: requestOf(draft),
    idempotent: place.method === "GET" || place.method === "HEAD" ? true : undefined,
    input: Object.keys(settled).length > 0 ? settled : undefined,
    output: outputOf(draft),
    usage,
    price: priceOf(found, draft, shared),
    http: httpOf(own, shared),
  });
  const example = exampleOf(draft, settled, shared);
  return {
    endpoint: example === undefined ? endpoint : { ...endpoint, examples: [example] },
    comments,
    hasPrice: found !== undefined && "price" in found,
  };
}

/** An endpoint with an unknown price gets a `price` line of its own, for the comment and for a person to change. */
function priceOf(found: FoundPrice | undefined, draft: OperationDraft, shared: SharedParts): unknown {
  if (found !== undefined && "price" in found) return found.price;
  if (shared.isPriceChosen) return undefined;
  if (found !== undefined) return MAYBE_BILLED;
  const own = needsKey(draft) ? MAYBE_BILLED : FREE;
  return isDeepStrictEqual(own, shared.price) ? undefined : own;
}

function requestOf({ place, publicPath, parameters, body, results }: OperationDraft): Record<string, unknown> {
  const headers = given({ Accept: results.accept, "Content-Type": body?.contentType, ...parameters.headers });
  const styles = { ...parameters.styles, ...body?.styles };
  const { idempotencyHeader } = parameters;
  return given({
    method: place.method,
    path: parameters.path === publicPath ? undefined : parameters.path,
    headers: whenFull(headers),
    queryParams: whenFull(parameters.fixedQuery),
    encoding: body?.encoding,
    styles: whenFull(styles),
    bodyField: body?.bodyField,
    idempotency: idempotencyHeader === undefined ? undefined : { header: idempotencyHeader },
  });
}

function whenFull<T extends object>(members: T): T | undefined {
  return Object.keys(members).length > 0 ? members : undefined;
}

function outputOf({ results }: OperationDraft): Record<string, unknown> | undefined {
  return whenFull(given({ select: results.select, media: results.media }));
}

function usageOf(
  { results }: OperationDraft,
  settled: Readonly<Record<string, ManifestSchema>>,
): Record<string, unknown> | undefined {
  if (results.count === undefined) return undefined;
  const fields = Object.entries(settled).map(([name, schema]) => [
    name,
    Object.fromEntries(entriesOf(schema["properties"])),
  ]);
  const limit = findLimit(Object.fromEntries(fields) as Record<string, Record<string, unknown>>);
  const estimate = limit === undefined ? undefined : { count: limit.extractor, max: limit.extractor };
  return given({ count: results.count, estimate });
}

function httpOf(
  { server, auth }: { readonly server: ChosenServer | undefined; readonly auth: readonly Auth[] },
  shared: SharedParts,
): Record<string, unknown> | undefined {
  const isElsewhere = server !== undefined && server.baseUrl !== shared.server.baseUrl;
  const hasOtherAuth = JSON.stringify(auth) !== JSON.stringify(shared.auth);
  return whenFull(
    given({
      baseUrl: isElsewhere ? server.baseUrl : undefined,
      allowPrivateNetwork: isElsewhere && server.isPrivate !== shared.server.isPrivate ? server.isPrivate : undefined,
      auth: hasOtherAuth ? writeAuth(auth) : undefined,
    }),
  );
}

/** A single auth is written without a list. None is written explicitly, since the provider's would apply otherwise. */
export function writeAuth(auth: readonly Auth[]): unknown {
  const written = auth.map((one) => {
    if (one.type !== "clientCredentials" && one.type !== "oauth2") return one;
    const { style, ...members } = one;
    return style === "basic" ? members : one;
  });
  if (written.length === 0) return { type: "none" };
  return written.length === 1 ? written[0] : written;
}

function exampleOf(
  { place, operation, parameters, body, results }: OperationDraft,
  settled: Readonly<Record<string, ManifestSchema>>,
  { ref, schemas, examplesLeft }: SharedParts,
): Readonly<Record<string, unknown>> | undefined {
  const answered = operation.answer?.media.find(({ example }) => example !== undefined);
  const isPlain = results.media === undefined && answered !== undefined && isMembersOrList(answered.example);
  if (!isPlain || operation.answer === undefined || examplesLeft.count <= 0) return undefined;
  examplesLeft.count -= 1;
  const pathNames = [...parameters.pathParams.keys()];
  return findExample(
    {
      name: displayNameOf(place),
      source: ref,
      input: {
        pathParams: exampleOfFields(parameters.pathParams, pathNames, parameters.examples.pathParams),
        queryParams: exampleOfFields(parameters.queryParams, parameters.requiredQuery, parameters.examples.queryParams),
        body: body === undefined ? {} : wholeExample(body.bodyField, settled["body"] ?? {}, body.example),
      },
      response: { status: operation.answer.status, body: answered.example },
    },
    { input: settled, request: { method: place.method, encoding: body?.encoding }, schemas },
  );
}

function wholeExample(bodyField: string | undefined, section: ManifestSchema, example: unknown) {
  if (bodyField === undefined) return exampleOfBody(section, example);
  return example === undefined ? {} : { [bodyField]: example };
}

function isMembersOrList(value: unknown): boolean {
  return isRecord(value) || Array.isArray(value);
}
