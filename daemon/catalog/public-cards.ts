import type { PublicEndpointDetail, PublicEndpointInfo, PublicProviderEntry } from "../../shared/contract/catalog.ts";
import type { EndpointMetrics } from "../../shared/contract/discovery.ts";
import type { Hints, HintTarget } from "../../shared/contract/hints.ts";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import { visibleText } from "../../shared/hidden-text.ts";
import { printableHints } from "../../shared/hints/render-hints.ts";
import { formatDollars } from "../../shared/micro-dollars.ts";
import { toPublicPrice } from "../billing/public-price.ts";
import { mostPages } from "./entries/most-pages.ts";
import type { CatalogEntry, CatalogProvider } from "./entries/catalog-entry.ts";
import { ownDeadlineMs } from "./entries/own-deadline.ts";
import { viaOf } from "./entries/via.ts";
import { sampleOutput } from "./sample-output.ts";
import { complainAboutInput, normalizeInput } from "./input/input-form.ts";

/** An endpoint as lists and discovery show it; never its docUrl. docs/contract.md, "Cards". */
export function toEndpointCard(entry: CatalogEntry): PublicEndpointInfo {
  const { provider } = entry;
  return {
    provider: provider.provider,
    providerDisplayName: provider.displayName,
    ...(provider.description !== undefined && { providerDisplayDescription: provider.description }),
    endpoint: entry.path,
    displayName: entry.displayName,
    displayDescription: entry.description,
    price: toPublicPrice(entry.price),
    tags: [...entry.tags],
    categories: [...entry.categories],
  };
}

/** A card with the method and the hints as authored. Contract: PublicEndpointDetail. */
export function toEndpointDetail(entry: CatalogEntry): PublicEndpointDetail {
  const hints = endpointHints(entry);
  return {
    ...toEndpointCard(entry),
    summary: entry.displayName,
    method: entry.request.method,
    ...(hints !== undefined && { hints }),
  };
}

/** docs/contract.md, "Cards". */
export function toProviderEntry(provider: CatalogProvider, endpointCount: number): PublicProviderEntry {
  return {
    provider: provider.provider,
    displayName: provider.displayName,
    ...(provider.description !== undefined && { displayDescription: provider.description }),
    endpointCount,
    ...(provider.url !== undefined && { url: provider.url }),
  };
}

export interface InspectionSurroundings {
  /** In the caller's format, see `renderHints`. */
  readonly hints: Hints | undefined;
  readonly metrics: EndpointMetrics | undefined;
  /** Why it cannot be called now; a 503 uses the same words. */
  readonly unavailable: (NonNullable<InspectResponse["unavailable"]> & { readonly message: string }) | undefined;
}

/** Everything that a caller needs to run an endpoint. */
export function toInspection(entry: CatalogEntry, surroundings: InspectionSurroundings): InspectResponse {
  const { method } = entry.request;
  const bodyType = bodyTypeOf(entry);
  const { hints, metrics, unavailable } = surroundings;
  const maxPages = mostPages(entry);
  const notes = [...entry.notes, ...serviceNotes(entry, surroundings)];
  const examples = entry.examples
    .filter(({ input }) => complainAboutInput(entry, input) === undefined)
    .map((example) => {
      const output = sampleOutput(entry, example);
      return {
        name: example.name,
        input: normalizeInput(entry, example.input),
        ...(output !== undefined && { output }),
      };
    });
  return {
    provider: entry.provider.provider,
    providerName: entry.provider.displayName,
    endpoint: entry.path,
    description: entry.description,
    summary: entry.displayName,
    ...(method !== "HEAD" && { method }),
    price: toPublicPrice(entry.price),
    ...(entry.reuse !== undefined && { maxAge: entry.reuse.maxAgeSeconds }),
    ...(entry.docUrl !== undefined && { docUrl: entry.docUrl }),
    ...(notes.length > 0 && { notes }),
    tags: [...entry.tags],
    ...(hints !== undefined && { hints }),
    input: {
      ...withSeenTexts(entry.input),
      ...(bodyType !== undefined && { bodyType }),
    },
    ...(maxPages > 1 && { maxPages }),
    ...(entry.output.schema !== undefined && { output: { schema: withSeenTexts(entry.output.schema) } }),
    categories: [...entry.categories],
    ...(metrics !== undefined && { metrics }),
    ...(examples.length > 0 && { examples }),
    mode: entry.async === undefined ? "sync" : "async",
    deadlineMs: ownDeadlineMs(entry),
    ...viaOf(entry),
    ...(unavailable !== undefined && { unavailable: publicUnavailability(unavailable) }),
  };
}

/** The schemas with their descriptive texts as people see them; names and values stay as the provider takes them. */
function withSeenTexts<Schema>(schema: Schema): Schema;
function withSeenTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withSeenTexts(item as unknown));
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).map(([name, value]: [string, unknown]) => {
    const isText = typeof value === "string" && (name === "description" || name === "title" || name === "$comment");
    return [name, isText ? visibleText(value) : withSeenTexts(value)] as const;
  });
  return Object.fromEntries(members);
}

function publicUnavailability({
  reason,
  missing = [],
  next,
}: NonNullable<InspectionSurroundings["unavailable"]>): NonNullable<InspectResponse["unavailable"]> {
  return { reason, ...(missing.length > 0 && { missing }), ...(next !== undefined && { next }) };
}

/** How the body is sent, if the contract has a value for it. */
function bodyTypeOf({ request: { encoding }, input }: CatalogEntry): "json" | "form" | "multipart" | undefined {
  if (input.body === undefined) return undefined;
  return encoding === "json" || encoding === "form" || encoding === "multipart" ? encoding : undefined;
}

/**
 * The author's hints as an endpoint shows them: hints about a run or a resource are left out, because there is none
 * yet.
 */
export function endpointHints(entry: CatalogEntry): Hints | undefined {
  const hints = Object.entries(printableHints(authoredHints(entry) ?? {})).filter(
    ([, hint]) => typeof hint === "string" || !lacksItsObject(hint),
  );
  return hints.length === 0 ? undefined : Object.fromEntries(hints);
}

function lacksItsObject({ kind, runId, resourceId }: HintTarget): boolean {
  if (kind === "getRun" || kind === "stop") return runId === undefined;
  return kind === "releaseResource" && resourceId === undefined;
}

/** Hints of the author in the words of the contract. */
export function authoredHints(entry: CatalogEntry): Hints | undefined {
  if (entry.hints === undefined) return undefined;
  const hints = Object.entries(entry.hints).map(([label, hint]) => {
    if (typeof hint === "string") return [label, hint] as const;
    // A hint that names an endpoint without a provider means this provider.
    const provider = hint.provider ?? (hint.endpoint === undefined ? undefined : entry.provider.provider);
    const members = { ...hint, ...(provider !== undefined && { provider }) };
    return [label, Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))] as const;
  });
  return Object.fromEntries(hints) as Hints;
}

/** What continues to cost after a run has ended. */
function rentNotes({ resources }: CatalogEntry): string[] {
  const made = resources?.provisions;
  if (made === undefined) return [];
  if (made.rent === undefined)
    return [`Creates a resource (${made.displayName}), which costs nothing while it exists.`];
  const { amountMicroDollars, period } = made.rent;
  const amount = formatDollars(amountMicroDollars);
  const unit = period.unit.toLowerCase();
  const per = period.count === 1 ? unit : `${period.count} ${unit}s`;
  return [
    `Creates a resource (${made.displayName}) that costs ${amount} per ${per}, paid ahead, until it is released; the first period is charged with the run.`,
  ];
}

/** A few show what it is used for; all of them are searched. */
const SHOWN_ASKS = 3;

/** Where the price comes from, unless it is only the author of the file. */
function priceNotes({ provider, isPriceOfOwner, priceSource }: CatalogEntry): string[] {
  if (isPriceOfOwner === true) return ["The price is set by the owner of this service."];
  if (priceSource === undefined) return [];
  return [`The price is what ${provider.displayName} published on ${priceSource.url}, read on ${priceSource.date}.`];
}

/** What the contract has no member for: asks, and what a caller should know before paying. */
function serviceNotes(entry: CatalogEntry, { unavailable }: InspectionSurroundings): string[] {
  return [
    ...(entry.async === undefined
      ? []
      : ["Runs in the background: POST /v1/run answers 202, the result comes by GET."]),
    ...(entry.asks.length === 0 ? [] : [`Answers questions such as: ${entry.asks.slice(0, SHOWN_ASKS).join(" · ")}`]),
    ...rentNotes(entry),
    ...(entry.alternatives === undefined
      ? []
      : [
          "A route: one of its members answers, and a run costs what that member costs; the price is that of the dearest.",
        ]),
    ...(entry.deprecated === undefined ? [] : [`Deprecated: ${entry.deprecated}`]),
    ...(entry.verified ? [] : ["Written from the provider's documentation and not yet tried live."]),
    ...priceNotes(entry),
    ...(entry.overrun === "operator"
      ? []
      : ["A run may count more than its estimate, and is charged for it up to the most that a quote says."]),
    ...(unavailable === undefined ? [] : [`Cannot be run now: ${unavailable.message}`]),
  ];
}
