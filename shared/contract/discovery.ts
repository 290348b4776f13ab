import { z } from "zod";
import { atMost } from "./at-most.ts";
import { PublicCategoriesResponse, ProviderPage, PublicEndpointInfo } from "./catalog.ts";
import { Money, slugPattern, textOfLength } from "./common.ts";
import { Hints } from "./hints.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { queryFlag } from "./query-values.ts";
import { DiscoverPrice } from "./price.ts";

/** Health computed from recent runs, and end-to-end times if enough were measured. docs/contract.md, "Health". */
export const EndpointMetrics = z
  .object({
    status: z.enum(["healthy", "stable", "degraded", "outage", "unknown"]),
    runTimeMs: z
      .object({ p50: z.number().optional(), p95: z.number().optional() })
      .optional()
      .meta({ description: "End-to-end milliseconds. Left out when no window has enough samples." }),
  })
  .meta({ id: "EndpointMetrics" });
export type EndpointMetrics = z.infer<typeof EndpointMetrics>;

/** How certain a match is, in a word that a person or a model can act on. Ours; docs/contract.md, "Ranking". */
export const ConfidenceWord = z.enum(["strong", "possible", "weak"]).meta({
  id: "ConfidenceWord",
  description:
    "strong: nearly always what was asked for; possible: often; weak: the nearest, but seldom what was asked for.",
});
export type ConfidenceWord = z.infer<typeof ConfidenceWord>;

const serviceName = z.enum(["embeddings", "rerank", "rephrase"]);

/** Whether a service that the operator set contributed to an answer. Ours; docs/contract.md, "Explanations". */
export const SearchServiceUse = z
  .object({
    name: serviceName,
    used: z.boolean(),
    reason: z.string().optional().meta({ description: "Why it was not used." }),
  })
  .meta({ id: "SearchServiceUse" });
export type SearchServiceUse = z.infer<typeof SearchServiceUse>;

const services = z.array(SearchServiceUse).optional().meta({
  description: "If an explanation was requested and services are configured: whether each was used.",
});

/** Why an endpoint was found. docs/contract.md, "Explanations". */
export const DiscoverExplanation = z
  .object({
    words: z
      .array(
        z.object({
          word: z.string(),
          field: z.string(),
          weight: z.number(),
          as: z.string().optional().meta({ description: "The form that was found, if it is not the word itself." }),
        }),
      )
      .meta({ description: "Words of the query, where each was found, and what it is worth there; the most first." }),
    expanded: z
      .array(
        z.object({
          word: z.string(),
          to: z.string(),
          by: z
            .enum([
              ...(["parts", "spelling", "opening", "form", "thesaurus"] as const),
              ...(["German", "French", "Spanish", "Portuguese", "Italian", "Dutch"] as const),
            ])
            .meta({
              description:
                "A part of a compound word, a corrected spelling, what such a question asks for, the kind of thing that the writing tells (81.2.69.142 is an ip), another word of the thesaurus, or the language that the word was translated from.",
            }),
        }),
      )
      .meta({ description: "What else was searched for, beside the words as written, and found here." }),
    phrasings: z
      .array(z.object({ phrasing: z.string(), place: z.int().min(1) }))
      .optional()
      .meta({
        description:
          "If rephrasings were asked: those that found it and the query, if it did, with its place in each, best place " +
          "first. The words are those of the first.",
      }),
    confidence: ConfidenceWord,
    meaning: z.number().optional().meta({
      description: "Similarity of meaning between query and endpoint, a cosine; left out when it is small.",
    }),
    health: EndpointMetrics.extend({
      effect: z
        .discriminatedUnion("kind", [
          z.object({ kind: z.literal("sunk"), scoreBefore: z.number(), score: z.number() }),
          z.object({ kind: z.literal("last") }),
        ])
        .optional()
        .meta({
          description:
            "Its effect on the rank; absent if none. Degraded: the score was lowered. In outage: ranked last, if requested at all.",
        }),
    }).meta({ id: "ExplainedHealth" }),
    use: z
      .object({ times: z.int().min(1), raised: z.int().min(0) })
      .optional()
      .meta({
        description:
          "If it was run with success after asks like this one: how often, and by how many places it rose for that.",
      }),
    services: z
      .array(z.object({ name: serviceName, score: z.number() }))
      .optional()
      .meta({ description: "Scores from the services: embeddings 0 to 2, rerank on a scale of its own." }),
  })
  .meta({ id: "DiscoverExplanation" });
export type DiscoverExplanation = z.infer<typeof DiscoverExplanation>;

/** Why an endpoint cannot be run now. Ours; docs/contract.md, "What is hidden". */
export const UnavailableReason = z
  .enum(["missingSecret", "needsGrant", "notConnected", "notSupported", "changed", "outage"])
  .meta({ id: "UnavailableReason" });
export type UnavailableReason = z.infer<typeof UnavailableReason>;

const missing = z
  .array(z.string())
  .optional()
  .meta({ description: "Names of the secrets that are not set; never said to callers without a credential." });

/** The matches that cannot be run now: hidden, or on request at the end of the answer. */
export const UnavailableMatches = z
  .object({
    count: z.int().min(1),
    better: z
      .int()
      .min(0)
      .meta({ description: "How many of them are no weak matches and score above the best match that can be run." }),
    providers: z
      .array(
        z.object({
          provider: z.string(),
          endpoint: z.string().meta({ description: "Its best match." }),
          count: z.int().min(1),
          better: z.int().min(0).optional().meta({ description: "How many of these score above it, too." }),
          reason: UnavailableReason,
          missing,
        }),
      )
      .meta({ description: "Best match first, at most ten; a provider with several reasons appears once for each." }),
  })
  .meta({ id: "UnavailableMatches" });
export type UnavailableMatches = z.infer<typeof UnavailableMatches>;

const unavailable = UnavailableMatches.optional().meta({ description: "If there are any." });

const alsoAsked = z.array(z.string()).optional().meta({
  description: "The rephrasings that were asked beside the query, each once; absent if none were sent or written.",
});

export const DiscoverResult = z
  .object({
    provider: z.string(),
    providerName: z.string().optional(),
    endpoint: z.string(),
    description: z.string(),
    price: DiscoverPrice,
    score: z.number().meta({ description: "Opaque final rank value; not a probability." }),
    confidence: ConfidenceWord.optional().meta({ description: "What the score says, in a word." }),
    tags: z.array(z.string()),
    metrics: EndpointMetrics.optional(),
    hints: Hints.optional(),
    explanation: DiscoverExplanation.optional().meta({ description: "If requested." }),
    unavailable: z
      .object({ reason: UnavailableReason, missing })
      .optional()
      .meta({ description: "Why it cannot be run now; absent when it can." }),
    scoreBreakdown: z
      .object({ querierScore: z.number() })
      .catchall(z.number().nullable())
      .optional()
      .meta({ description: "An older contract's member; this service does not send it." }),
  })
  .meta({ id: "DiscoverResult" });
export type DiscoverResult = z.infer<typeof DiscoverResult>;

export const DiscoverResponse = z
  .object({
    results: z.array(DiscoverResult),
    query: z.string(),
    count: z.number(),
    hints: Hints.optional().meta({ description: "Next steps after the whole answer." }),
    also: alsoAsked,
    services,
    unavailable,
  })
  .meta({ id: "DiscoverResponse" });
export type DiscoverResponse = z.infer<typeof DiscoverResponse>;

const Query = textOfLength(1, 1000);
const DiscoverLimit = z.int().gt(0);
const Category = z
  .string()
  .max(60)
  .regex(slugPattern, { error: "must be the id of a category: lower-case words joined by hyphens, such as web-search" })
  .meta({ description: "Category node id; a top id covers its whole group." });

/** A placeholder of our own next steps, sent as it was printed, would find something else and lower every score. */
const Wording = textOfLength(1, 300).check(({ value: input, issues }) => {
  if (!/^\s*<[^<>]*>\s*$/.test(input)) return;
  issues.push({ code: "custom", message: "is a placeholder: write your own words in its place", input });
});

/** Each is a search of its own, so their number and length are bounded. docs/contract.md, "Rephrasings". */
const Also = atMost(8, z.array(Wording))
  .optional()
  .meta({
    description:
      "The same need in up to eight other wordings, asked together and joined: the kind of data, the kind of the thing " +
      "named, what the caller has in hand, in words that APIs use. Agreement between them raises the score.",
  });
/** Filters that every discover body accepts; the second half are ours. docs/contract.md, "Discover filters". */
const discoverFilters = {
  also: Also,
  minScore: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .meta({ description: "Overrides the configured floor applied after reranking." }),
  supportsX402: z
    .boolean()
    .optional()
    .meta({ description: "Keep only endpoints payable by x402 (true) or only the others (false)." }),
  x402Network: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "CAIP-2 id; implies supportsX402; unknown id gives no results." }),
  readonly: z.boolean().optional().meta({
    description: "Keep only endpoints without (true) or with (false) write effects on workspace resources.",
  }),
  effects: atMost(100, z.array(z.enum(["creates", "updates", "deletes"])).min(1))
    .optional()
    .meta({ description: "Keep endpoints with at least one named effect; takes precedence over readonly." }),
  provider: z.array(z.string().min(1)).min(1).max(100).optional().meta({ description: "Keep only these providers." }),
  tags: z
    .array(z.string().min(1))
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "Keep endpoints with all of these tags." }),
  maxPrice: Money.optional().meta({
    description: "Keep endpoints whose shown amount is not above this, and none that their provider bills.",
  }),
  mode: z.enum(["sync", "async"]).optional().meta({ description: "Keep endpoints that answer at once, or later." }),
  explain: z
    .boolean()
    .optional()
    .meta({ description: "Explain why each endpoint was found; no effect if the answer lists none." }),
};

const IncludeUnavailable = z.boolean().meta({
  description: "Also return endpoints in outage, ranked last, and endpoints whose provider lacks a secret.",
});

export const DiscoverRequest = z
  .object({
    q: Query.optional().meta({ description: "Natural-language query; wins when query is sent too." }),
    query: Query.optional().meta({ description: "Same field under the name the reference client sends." }),
    limit: DiscoverLimit.default(5),
    includeUnavailable: IncludeUnavailable.default(false),
    category: Category.optional(),
    ...discoverFilters,
  })
  .refine((request) => request.q !== undefined || request.query !== undefined, {
    error: "q is required: a query of 1 to 1000 characters",
    path: ["q"],
  })
  .meta({ id: "DiscoverRequest", anyOf: [{ required: ["q"] }, { required: ["query"] }] });
export type DiscoverRequest = z.infer<typeof DiscoverRequest>;

export const DiscoverEndpointsRequest = z
  .object({
    q: Query,
    limit: DiscoverLimit.optional().meta({ description: "Clamped to the candidate pool size." }),
    category: Category.optional(),
    includeUnavailable: IncludeUnavailable.optional(),
    ...discoverFilters,
  })
  .meta({ id: "DiscoverEndpointsRequest" });
export type DiscoverEndpointsRequest = z.infer<typeof DiscoverEndpointsRequest>;

export const DiscoverCategoriesRequest = z
  .object({ q: Query, includeUnavailable: IncludeUnavailable.optional(), ...discoverFilters })
  .meta({ id: "DiscoverCategoriesRequest" });
export type DiscoverCategoriesRequest = z.infer<typeof DiscoverCategoriesRequest>;

export const DiscoverProvidersRequest = z
  .object({ q: Query, includeUnavailable: IncludeUnavailable.optional(), ...discoverFilters })
  .meta({ id: "DiscoverProvidersRequest" });
export type DiscoverProvidersRequest = z.infer<typeof DiscoverProvidersRequest>;

export const DiscoverEndpointsResponse = z
  .object({
    items: z.array(PublicEndpointInfo),
    total: z.int().min(0).meta({ description: "Matches above the floor after category narrowing, before limit." }),
    explanations: z
      .array(DiscoverExplanation)
      .optional()
      .meta({ description: "If requested: one for each item, in the same order." }),
    confidence: ConfidenceWord.optional().meta({
      description: "Of the first item, if rephrasings or an explanation were asked for.",
    }),
    also: alsoAsked,
    services,
    unavailable,
  })
  .meta({ id: "DiscoverEndpointsResponse" });
export type DiscoverEndpointsResponse = z.infer<typeof DiscoverEndpointsResponse>;

export const ForgetLearnedResponse = z
  .object({ erased: z.int().min(0).meta({ description: "How many pairs of an ask and an endpoint were erased." }) })
  .meta({ id: "ForgetLearnedResponse" });
export type ForgetLearnedResponse = z.infer<typeof ForgetLearnedResponse>;

/** `?explain=true` has the same meaning as the member of the body; either is enough. */
const query = z.object({ explain: queryFlag().optional().meta({ description: "As `explain` of the body." }) });
const signedIn = { tier: "core", tag: "Discover", auth: "workspace", load: "search", query, errors: [400] } as const;
const inPublic = { tier: "core", tag: "Public Registry", auth: "none", query, errors: [400] } as const;
const endpoints = { body: DiscoverEndpointsRequest, responses: { 200: DiscoverEndpointsResponse } };
const categories = { body: DiscoverCategoriesRequest, responses: { 200: PublicCategoriesResponse } };
const providers = { body: DiscoverProvidersRequest, responses: { 200: ProviderPage } };

export const discoveryOperations = {
  discover: defineOperation({
    ...operationPaths.discover,
    ...signedIn,
    summary: "Find endpoints by what they do",
    description: "The older shape of discovery, with price, score, health and hints in one answer.",
    deprecated: true,
    body: DiscoverRequest,
    responses: { 200: DiscoverResponse },
  }),
  discoverEndpoints: defineOperation({
    ...operationPaths.discoverEndpoints,
    ...signedIn,
    ...endpoints,
    summary: "Find endpoints, best match first",
  }),
  discoverCategories: defineOperation({
    ...operationPaths.discoverCategories,
    ...signedIn,
    ...categories,
    summary: "Find the categories that match",
  }),
  discoverProviders: defineOperation({
    ...operationPaths.discoverProviders,
    ...signedIn,
    ...providers,
    summary: "Find the providers that match",
  }),
  forgetLearned: defineOperation({
    ...operationPaths.forgetLearned,
    tier: "mkt",
    tag: "Discover",
    auth: "workspace",
    scope: "runs:create",
    summary: "Erase what was learned from use",
    description:
      "Erases which endpoints were run after which asks: of the whole workspace, or of the caller alone if it may not read the runs of others.",
    responses: { 200: ForgetLearnedResponse },
  }),
  publicDiscoverEndpoints: defineOperation({
    ...operationPaths.publicDiscoverEndpoints,
    ...inPublic,
    ...endpoints,
    summary: "Find endpoints, best match first",
  }),
  publicDiscoverCategories: defineOperation({
    ...operationPaths.publicDiscoverCategories,
    ...inPublic,
    ...categories,
    summary: "Find the categories that match",
  }),
  publicDiscoverProviders: defineOperation({
    ...operationPaths.publicDiscoverProviders,
    ...inPublic,
    ...providers,
    summary: "Find the providers that match",
  }),
};
