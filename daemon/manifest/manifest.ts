import { z } from "zod";
import { HintTarget } from "../../shared/contract/hints.ts";
import { ResourceType } from "../../shared/contract/runs.ts";
import { ManifestMarkup, ManifestPrice } from "./manifest-price.ts";

/**
 * The provider manifest, version 1: what one YAML or JSON file of a catalog folder may say. Strict keys; pure shape,
 * no cross-references (those are `check-manifest.ts`). Source: docs/manifest.md.
 */
export const MANIFEST_VERSION = 1;

/** The largest `maxResponseBytes`: an answer is held whole, as bytes, as text and as values, and written to the disk. */
export const MAX_RESPONSE_BYTES = 64 * 1_024 * 1_024;

/** Slugs of providers, categories and resources. */
export const Slug = z
  .string()
  .max(60)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "lower-case letters, digits and single hyphens");
const categoryPath = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/, "a path such as top/leaf");
const webUrl = z.url({ protocol: /^https?$/ });
const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, "a name of letters, digits, _ and -");
const template = z.string();
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "the name of a header");
const extractor = z.union([z.string().min(1), z.number()]);
const jsonSchema = z.record(z.string(), z.unknown());
const scalar = z.union([z.string(), z.number(), z.boolean()]);

export const Auth = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("none") }),
    z.strictObject({
      type: z.literal("bearer"),
      token: template.describe('Sent as "Authorization: Bearer …"; such as "${secret.token}".'),
    }),
    z.strictObject({
      type: z.literal("basic"),
      username: template.describe("A template, or a name that everybody may know."),
      password: template.describe('Such as "${secret.password}"; empty where the provider wants none.'),
    }),
    z.strictObject({
      type: z.literal("apiKey"),
      in: z.enum(["header", "query", "cookie", "body"]).describe("Where it goes."),
      name: z.string().min(1).describe("Name of the header, parameter, cookie or field."),
      value: template.describe('Such as "${secret.key}" or "Token ${secret.key}".'),
    }),
    z.strictObject({
      type: z.literal("clientCredentials"),
      tokenUrl: webUrl.describe("Where access tokens are got; OAuth 2, client credentials."),
      clientId: template.describe('Such as "${secret.clientId}".'),
      clientSecret: template.describe('Such as "${secret.clientSecret}".'),
      scope: z.string().optional().describe("Scopes, separated by blanks."),
      style: z.enum(["basic", "body"]).default("basic").describe("How the id and the secret are sent."),
    }),
  ])
  .meta({ id: "ManifestAuth" });
export type Auth = z.infer<typeof Auth>;

const attempts = z.int().min(1).max(10);
const retryOn = z.array(z.union([z.int().min(400).max(599), z.literal("network")]));
const waitMs = z.int().min(0);

/** What a file says about retries; what it leaves out comes from the provider, then from the defaults of `Retry`. */
const RetryGiven = z.strictObject({
  attempts: attempts.optional().describe("How often a call is made at most, the first one included. 3 when left out."),
  on: retryOn
    .optional()
    .describe(
      'Statuses after which a call is made again, and "network". 429, 502, 503, 504 and network when left out.',
    ),
  backoffMs: waitMs.optional().describe("The first wait; it doubles each time. 500 when left out."),
  maxBackoffMs: waitMs.optional().describe("The longest wait. 20000 when left out."),
  after: z
    .array(z.string())
    .optional()
    .describe(
      "Headers that tell how long to wait: seconds, milliseconds (…-ms), a duration such as 6m0s, a date, a moment of the epoch. retry-after when left out.",
    ),
  unsafe: z.boolean().optional().describe("Made again even if it may have been executed."),
});

export const Retry = z.strictObject({
  attempts: attempts.default(3),
  on: retryOn.default([429, 502, 503, 504, "network"]),
  backoffMs: waitMs.default(500),
  maxBackoffMs: waitMs.default(20_000),
  after: z.array(z.string()).default(["retry-after"]),
  unsafe: z.boolean().default(false),
});
export type Retry = z.infer<typeof Retry>;

/** How lists are spelled in a query or a form where the field has no style of its own. */
export const ArrayStyle = z.enum(["repeat", "comma", "brackets"]);
export type ArrayStyle = z.infer<typeof ArrayStyle>;

/**
 * How one field is spelled, of lists `[1, 2]` and objects `{R: 100, G: 200}`. What OpenAPI calls `style` and `explode`.
 *
 *   repeat                      a=1&a=2
 *   brackets                    a[]=1&a[]=2, a[R]=100&a[G]=200
 *   comma, pipes, spaces, tabs  a=1,2 and a=R,100,G,200, or with that separator; comma also in paths and headers
 *   flat                        R=100&G=200: the members of an object as fields of their own
 *   pairs                       R=100,G=200, in paths and headers alone
 *   json                        the value as JSON text
 */
export const FieldStyle = z
  .enum(["repeat", "comma", "brackets", "pipes", "spaces", "tabs", "flat", "pairs", "json"])
  .meta({ id: "ManifestFieldStyle" });
export type FieldStyle = z.infer<typeof FieldStyle>;

/**
 * The pace that a provider asks for. `requests` in any `perMs` (one is given with the other), `concurrency` at once, and
 * what the vendor itself tells in `headers`: how many calls remain, and when there are new ones.
 */
export const RateLimit = z
  .strictObject({
    requests: z.int().min(1).optional().describe("Calls that may begin in any perMs."),
    perMs: z
      .int()
      .min(1)
      .optional()
      .describe("Milliseconds that requests is for; also the wait when nothing remains and no header tells how long."),
    concurrency: z.int().min(1).optional().describe("Calls at the same time."),
    headers: z
      .strictObject({
        remaining: headerName
          .optional()
          .describe("Name of the header with the calls that remain, such as x-ratelimit-remaining."),
        reset: headerName
          .optional()
          .describe(
            "Name of the header that tells when there are new ones: seconds, a duration, a date or a moment of the epoch.",
          ),
      })
      .optional()
      .describe(
        "Headers in which the vendor tells what remains; the daemon then waits, at most until the deadline of the run.",
      ),
  })
  .meta({ id: "ManifestRateLimit" });
export type RateLimit = z.infer<typeof RateLimit>;

export const Http = z
  .strictObject({
    baseUrl: z
      .union([webUrl, z.string().regex(/^builtin:[a-z0-9-]+$/)])
      .optional()
      .describe(
        "Where the provider is: its origin, and what all paths begin with. https; http only with allowPrivateNetwork.",
      ),
    headers: z
      .record(z.string(), template)
      .optional()
      .describe("Headers of every call: a template each. Merged key by key with those of the endpoint."),
    auth: z
      .union([Auth, z.array(Auth)])
      .optional()
      .describe("Who calls. Credentials go only to the origin of baseUrl; several add to each other."),
    timeoutMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .optional()
      .describe(
        "An endpoint that answers at once: all attempts together, and so the deadline of the run. One with a job: a single exchange. 30000 when left out.",
      ),
    retry: RetryGiven.optional().describe(
      "When a call is made again. Only what surely was not executed is, unless the endpoint is idempotent.",
    ),
    rateLimit: RateLimit.optional().describe(
      "The pace that the provider asks for: the daemon waits before the provider has to refuse.",
    ),
    allowHosts: z
      .array(z.string())
      .optional()
      .describe(
        "Further hosts (host or host:port) that addresses out of answers may lead to. Credentials never go there.",
      ),
    allowPrivateNetwork: z
      .boolean()
      .optional()
      .describe("Private addresses and plain http may be called, as far as the operator names or grants the host."),
    maxResponseBytes: z
      .int()
      .min(1)
      .max(MAX_RESPONSE_BYTES)
      .optional()
      .describe("Longer answers are given up. 10 MiB when left out, at most 64 MiB."),
    query: z
      .strictObject({
        arrays: ArrayStyle.optional().describe("Lists as a=1&a=2, a=1,2 or a[]=1&a[]=2; repeat when left out."),
      })
      .optional()
      .describe("How values are spelled in a query or a form."),
  })
  .meta({ id: "ManifestHttp" });
export type Http = z.infer<typeof Http>;

export const Call = z.strictObject({
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).describe("HTTP method."),
  path: template
    .optional()
    .describe(
      "Path below baseUrl; {name} is a parameter of input.pathParams. In request: the public path when left out.",
    ),
  url: template
    .optional()
    .describe("A whole address in place of path, at baseUrl's origin or at a host of allowHosts."),
  headers: z
    .record(z.string(), template)
    .optional()
    .describe(
      'Headers of this call: a template each. One that is nothing but "${input.queryParams.<name>}" takes that parameter out of the query.',
    ),
  queryParams: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Fixed parameters of the query, under those of the caller."),
  body: z.record(z.string(), z.unknown()).optional().describe("Fixed fields of the body, under those of the caller."),
  encoding: z
    .enum(["json", "form", "multipart", "text", "bytes", "none"])
    .optional()
    .describe(
      "How the body is sent; json when left out. GET, HEAD and DELETE send one only where this says so. text and bytes need bodyField.",
    ),
});
export type Call = z.infer<typeof Call>;

/**
 * The vendor call of an endpoint. `styles`: by the name of a parameter or of a form's field, over `http.query.arrays`.
 * `bodyField`: the property of `input.body` that is the whole body: any JSON, or text, or bytes as base64.
 */
export const RequestCall = Call.extend({
  styles: z
    .record(z.string().min(1), FieldStyle)
    .optional()
    .describe("How single fields are spelled, by name: of pathParams, queryParams, or of the body of a form."),
  bodyField: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The property of input.body that is the whole body: any JSON, or with encoding text its text, with bytes its base64 decoded.",
    ),
  idempotency: z
    .strictObject({ header: z.string().min(1).describe("Name of the header, such as Idempotency-Key.") })
    .optional()
    .describe("Makes the call repeatable: the header carries the id of the run, the same for every attempt."),
  /** Name of a tool of the MCP server at `http.baseUrl`: it is called in place of a method and a path. */
  tool: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Name of a tool of the MCP server at http.baseUrl; in place of method and path."),
});
export type RequestCall = z.infer<typeof RequestCall>;

/** The vendor call as it is written: a tool has no method of its own, everything else needs one. */
const EndpointCall = RequestCall.partial({ method: true })
  .superRefine(({ method, tool }, context) => {
    if (method !== undefined || tool !== undefined) return;
    context.addIssue({ code: "invalid_value", values: Call.shape.method.options, path: ["method"], input: method });
  })
  .meta({ anyOf: [{ required: ["method"] }, { required: ["tool"] }] });

const status = z.union([z.int().min(100).max(599), z.enum(["2xx", "3xx", "4xx", "5xx"])]);

export const ErrorRule = z
  .strictObject({
    when: z
      .strictObject({
        status: z.array(status).optional().describe("Any of these statuses."),
        match: z
          .record(z.string(), z.union([scalar, z.null(), z.array(z.union([scalar, z.null()]))]))
          .optional()
          .describe("Extractor to a value, or to several of which one must be there."),
        missing: z.array(extractor).optional().describe("Extractors of which none may find anything."),
      })
      .describe("All that is named must hold."),
    as: z
      .strictObject({
        status: z.int().min(200).max(599).optional().describe("The status that callers see."),
        message: z.string().optional().describe("An extractor, or the words themselves."),
        retry: z.boolean().optional().describe("true: made again as what http.retry lists; false: never."),
        empty: z.boolean().optional().describe("A success with zero results."),
      })
      .describe("What the answer is taken for."),
  })
  .meta({ id: "ManifestErrorRule" });
export type ErrorRule = z.infer<typeof ErrorRule>;

const quantity = z.union([extractor, z.array(extractor)]);

export const Usage = z
  .strictObject({
    count: extractor.optional().describe("How many results an answer has: a list counts by its length."),
    units: extractor
      .optional()
      .describe(
        "How many tokens, characters, seconds or images it took: a number, a list by its length, a text of the input by " +
          "its characters (Unicode code points); a text of the answer too where the price is by the character, else by " +
          "the number it says, as a header always is.",
      ),
    cost: z
      .strictObject({
        from: extractor.describe("Extractor, of the body or of a header."),
        unit: z.enum(["USD", "CENT", "MICRO_DOLLAR"]).optional().describe("What the number is; USD when left out."),
        usdPerUnit: z
          .number()
          .positive()
          .optional()
          .describe("What one of the provider's own units (a credit) is worth in USD."),
      })
      .optional()
      .describe("What the provider says that the call cost."),
    estimate: z
      .strictObject({
        count: quantity
          .optional()
          .describe("For the quote: an input, a number, or a list that is multiplied. A text counts its characters."),
        units: quantity.optional().describe("For the quote, of a price by the unit."),
        max: quantity
          .optional()
          .describe("For the hold: an input whose schema has a maximum, a number, or a list that is multiplied."),
      })
      .optional()
      .describe("Before the call, from its input: what it will probably count, and the most it may."),
  })
  .meta({ id: "ManifestUsage" });
export type Usage = z.infer<typeof Usage>;

export const Async = z
  .strictObject({
    start: z
      .strictObject({
        id: extractor.describe("The vendor's id of the job; ${run.externalId} in later calls."),
        keep: z.record(name, extractor).optional().describe("Values for later calls: ${state.<name>}."),
        doneIf: z
          .strictObject({
            status: z.array(status).optional().describe("Any of these statuses."),
            match: z.record(z.string(), z.unknown()).optional().describe("Extractor to a value, or to several."),
          })
          .optional()
          .describe("When the job was finished at once."),
      })
      .describe("Read from the answer of request."),
    poll: Call.extend({
      everyMs: z.int().min(10).default(2_000).describe("The first wait between two polls."),
      factor: z.number().min(1).default(1).describe("By how much it grows each time."),
      maxEveryMs: z.int().min(10).optional().describe("The longest wait between two polls."),
      status: extractor.describe("Extractor of the vendor's word for the state."),
      states: z
        .strictObject({
          running: z.array(scalar).optional().describe("Words for a job that goes on."),
          done: z.array(scalar).min(1).describe("Words for a job whose result is there."),
          failed: z
            .array(scalar)
            .default([])
            .describe("Words for a job that came to nothing: the run ends with 500 and the vendor's message."),
          stopped: z.array(scalar).optional().describe("Words for a job that was stopped."),
        })
        .describe("The vendor's words for what a job may be; an unknown one counts as running until runMs."),
      keep: z.record(name, extractor).optional().describe("Values for later calls, read from each poll."),
      message: extractor.optional().describe("Extractor of the vendor's words when a job failed."),
      progress: extractor.optional().describe("Extractor of how far it is, shown as it comes."),
      progressUnit: z
        .string()
        .min(1)
        .max(30)
        .optional()
        .describe(
          "What progress counts: percent, fraction (of 1), or what there are so many of, such as pages. Only percent and fraction are shown as a percentage.",
        ),
      transient: z
        .array(z.int())
        .default([429, 500, 502, 503, 504])
        .describe("Statuses of a poll that say nothing about the job."),
    }).describe("The call that asks how the job is."),
    result: Call.extend({
      pages: z
        .strictObject({
          items: extractor.describe("Extractor of the list of one page."),
          cursor: extractor.describe("Extractor of what names the next page; nothing there: the last one."),
          param: z.string().describe("The query parameter that carries it."),
          max: z.int().min(1).max(1_000).default(20).describe("Pages that are read at most."),
        })
        .optional()
        .describe("How the result goes on."),
    })
      .optional()
      .describe("The call for the result; without it, the last poll's body is the result."),
    stop: Call.extend({
      ok: z.array(z.int()).default([200, 202, 204, 404, 409]).describe("Statuses after which it counts as stopped."),
    })
      .optional()
      .describe("The call that stops a job; without it, a stop only ends our polling."),
    runMs: z.int().min(1_000).max(86_400_000).default(300_000).describe("Deadline of the run."),
  })
  .meta({ id: "ManifestAsync" });
export type Async = z.infer<typeof Async>;

/** A step as answers have it; here nothing else may stand in it. */
const { kind, command, query, provider, endpoint, runId, resourceId, comment } = HintTarget.shape;
const HintStep = z
  .strictObject({
    kind: kind.describe("What to do next."),
    command: command.describe("The command line, for kind command."),
    query: query.describe("What to look for, for kind discover."),
    provider: provider.describe("This provider when left out."),
    endpoint: endpoint.describe("Public path of the endpoint."),
    runId: runId.describe("The run that it is about; left out: the run whose answer has the hint."),
    resourceId: resourceId.describe("The resource that it is about; left out: what the run has made."),
    comment: comment.describe("Why, in a few words."),
  })
  .meta({ id: "ManifestHint" });

/**
 * An answer of the vendor as it was recorded. A text as `body` is sent as it is, where the endpoint's media is `base64`
 * as the bytes that it spells; everything else is sent as JSON.
 */
export const RecordedAnswer = z
  .strictObject({
    status: z.int().min(200).max(599).default(200).describe("Its status."),
    headers: z.record(headerName, z.string()).optional().describe("Its headers, as far as something reads them."),
    body: z.unknown().describe("Its body: JSON, or a text."),
  })
  .meta({ id: "ManifestRecordedAnswer" });
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;

/**
 * A call that was tried, or that the vendor's documentation shows; `mkt catalog test` replays it. `response` answers every
 * call; for an endpoint with a job it is the result, and start and polls are played. `responses` answers the calls in
 * their order: retries, then for a job its start, its polls, the pages of its result. Access tokens are not among them.
 */
export const Example = z.strictObject({
  name: z.string().min(1).describe("What it shows, in a few words."),
  input: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("As a caller gives it: flat, or in pathParams, queryParams and body."),
  source: z
    .string()
    .optional()
    .describe("live and a date where it was really called, else the documentation page that it was taken from."),
  response: RecordedAnswer.optional().describe("The provider's answer."),
  responses: z
    .array(RecordedAnswer)
    .min(1)
    .optional()
    .describe("The provider's answers one after the other, for jobs and pages."),
  expect: z
    .strictObject({
      count: z.int().optional().describe("Results."),
      costMicroDollars: z.int().optional().describe("What the run costs, in micro-dollars."),
      httpStatus: z.int().optional().describe("The status that the caller sees."),
    })
    .optional()
    .describe("What comes of it."),
});
export type Example = z.infer<typeof Example>;

/** A thing that stays at the provider, and costs per period where it has a price. */
export const Resource = z
  .strictObject({
    displayName: z.string().describe("Its name for people."),
    description: z.string().optional().describe("What it is, in a sentence."),
    /** What of the contract it is nearest to; needed where its name is none of them. */
    type: ResourceType.optional().describe(
      "What of the known kinds it is nearest to; needed where its own name is none of them.",
    ),
    price: ManifestPrice.optional().describe("BY_PERIOD: what it costs while it stays, paid ahead."),
    verify: Call.extend({
      goneIf: z.array(status).optional().describe("Statuses that say that it is gone; 404 and 410 when left out."),
    })
      .optional()
      .describe("The call that looks whether it is still there; ${resource.id} is its id."),
    release: Call.extend({
      ok: z.array(status).optional().describe("Statuses after which it is given back; 2xx, 404 and 410 when left out."),
    })
      .optional()
      .describe("The call that gives it back."),
    data: z.record(name, extractor).optional().describe("What is kept of it, read from the answer of verify."),
  })
  .meta({ id: "ManifestResource" });
export type Resource = z.infer<typeof Resource>;

/** `as`: by which of its names the caller gives it, the provider's id unless it says otherwise. */
const resourceRef = z
  .strictObject({
    resource: Slug.describe("A name under resources."),
    id: extractor.describe("Where the caller names it, such as input:body.from."),
    as: z
      .enum(["externalId", "identifier"])
      .default("externalId")
      .describe("By which of its names the caller gives it."),
  })
  .meta({ id: "ManifestResourceReference" });
export type ResourceReference = z.infer<typeof resourceRef>;

/** What an endpoint does with resources. */
export const ResourceUse = z.strictObject({
  provisions: z
    .strictObject({
      resource: Slug.describe("A name under resources."),
      id: extractor.describe("Extractor of the provider's id of it."),
      identifier: extractor
        .optional()
        .describe("Extractor of the name that people know it by, such as a phone number."),
      data: z.record(name, extractor).optional().describe("What is kept of it, read from the answer."),
    })
    .optional()
    .describe("A run makes one."),
  uses: z.array(resourceRef).optional().describe("A run needs these."),
  updates: z.array(resourceRef).optional().describe("A run changes these."),
  releases: z.array(resourceRef).optional().describe("A run gives these back."),
});

/** Where the provider publishes what calls cost. Shown in inspect. */
export const PriceSource = z
  .strictObject({
    url: webUrl.describe("The page of the provider."),
    date: z.iso.date().describe("When the price was read there, such as 2026-11-22."),
  })
  .meta({ id: "ManifestPriceSource" });

export const ManifestEndpoint = z
  .strictObject({
    displayName: z.string().optional().describe("Name for people; the path when left out."),
    description: z.string().default("").describe("What it answers, written to be found: what goes in, what comes out."),
    docUrl: webUrl.optional().describe("The page of the provider's documentation."),
    tags: z.array(z.string()).optional().describe("Words to browse by; in place of those of the provider."),
    categories: z
      .array(categoryPath)
      .optional()
      .describe("Places in the category tree, top/leaf; in place of those of the provider."),
    notes: z.array(z.string()).optional().describe("What a caller should know; in place of those of the provider."),
    asks: z
      .array(z.string())
      .default([])
      .describe("Questions in plain words that it answers; searched, and shown in inspect."),
    hints: z
      .record(z.string(), z.union([z.string(), HintStep]))
      .optional()
      .describe("Next steps, by what they are good for."),
    enabled: z.boolean().default(true).describe("false: not served."),
    disabledReason: z.string().optional().describe("Of enabled: false: why, for whoever reads or checks the file."),
    deprecated: z.string().optional().describe("Why, and what to use in its place."),
    verified: z.boolean().default(true).describe("false: authored from documentation and not yet tried live."),
    idempotent: z.boolean().default(false).describe("The call may be repeated without harm."),
    overrun: z
      .union([
        z.literal("operator"),
        z.strictObject({
          caller: quantity.describe(
            "The most results or units that the caller pays for, counted as usage.estimate.max counts them: an input, a number, or a list that is multiplied. It is quoted and held in place of usage.estimate.max.",
          ),
        }),
        // Of files from before there was a bound: read as `operator`, see `checkOverrun`.
        z.literal("caller").meta({ deprecated: true }),
      ])
      .default("operator")
      .describe(
        "Who bears what a run costs above its estimate. Nobody is charged more than was held: the operator bears it, or the caller up to a bound.",
      ),
    request: EndpointCall.describe("The vendor call."),
    input: z
      .strictObject({
        pathParams: jsonSchema.optional().describe("JSON Schema (2020-12) of the parameters in the path."),
        queryParams: jsonSchema
          .optional()
          .describe("JSON Schema (2020-12) of the query parameters, and of those that headers carry."),
        body: jsonSchema.optional().describe("JSON Schema (2020-12) of the body's fields."),
      })
      .default({})
      .describe("What callers give; the section is where it goes. Nothing else is taken."),
    output: z
      .strictObject({
        select: z.string().optional().describe("Path of the part that is the output, such as $.items."),
        omit: z
          .array(z.string())
          .optional()
          .describe(
            "Left out: places of the whole answer ($.meta), or fields of the output and of its items (raw.html).",
          ),
        media: z
          .enum(["auto", "json", "text", "base64"])
          .default("auto")
          .describe("How the answer is read; auto goes by its content type. Bytes become base64."),
        schema: jsonSchema.optional().describe("JSON Schema of the output, for readers."),
      })
      .optional()
      .describe("What the caller sees of the answer."),
    usage: Usage.optional().describe("What is measured; leaf by leaf over that of the provider."),
    price: ManifestPrice.optional().describe(
      "What a run costs, in USD before markup; in place of that of the provider.",
    ),
    priceSource: PriceSource.optional().describe("Where its price is published; in place of that of the provider."),
    async: z
      .union([Async, z.strictObject({})])
      .optional()
      .describe("The job protocol; {} means the provider's."),
    errors: z
      .array(ErrorRule)
      .default([])
      .describe("What answers mean; the first that matches wins, before those of the provider."),
    http: Http.optional().describe("Over that of the provider, leaf by leaf."),
    resources: ResourceUse.optional().describe("What a run does to things that stay at the provider."),
    examples: z.array(Example).default([]).describe("Shown in inspect, and replayed by mkt catalog test."),
  })
  .meta({ id: "ManifestEndpoint" });
export type ManifestEndpoint = z.infer<typeof ManifestEndpoint>;

export const Secret = z
  .strictObject({
    env: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/, "the name of an environment variable")
      .describe("The environment variable that holds it; mkt secrets set stores one, too."),
    description: z.string().optional().describe("What it is and where to get it."),
    example: z.string().optional().describe("What one looks like; never a real one."),
    pattern: z.string().optional().describe("Regular expression that a value must match."),
    optional: z.boolean().default(false).describe("It works without; auth and headers that need it are then left out."),
  })
  .meta({ id: "ManifestSecret" });
export type Secret = z.infer<typeof Secret>;

export const Manifest = z.strictObject({
  $schema: z.string().optional().describe("In a JSON file: the schema with which an editor checks it."),
  mkt: z.literal(MANIFEST_VERSION).describe("Version of the format."),
  provider: Slug.describe("Slug; the name of the file."),
  displayName: z.string().optional().describe("Name for people; the slug when left out."),
  description: z.string().optional().describe("What the provider has, in a sentence or two."),
  url: webUrl.optional().describe("Its public site."),
  docUrl: webUrl.optional().describe("Its documentation; for endpoints without one of their own."),
  tags: z
    .array(z.string())
    .default([])
    .describe("Words to browse by; endpoints have them too unless they name their own."),
  categories: z
    .array(categoryPath)
    .default([])
    .describe("Places in the category tree, top/leaf; endpoints have them too unless they name their own."),
  notes: z
    .array(z.string())
    .default([])
    .describe("What a caller should know; endpoints have them too unless they name their own."),
  markup: ManifestMarkup.optional().describe("What callers pay on top of the prices in this file."),
  secrets: z
    .record(name, Secret)
    .default({})
    .describe("Names of environment variables, never values; read once the operator granted them."),
  http: Http.optional().describe("How the provider is called; endpoints may say otherwise leaf by leaf."),
  errors: z.array(ErrorRule).default([]).describe("What answers mean, tried after the rules of the endpoint."),
  price: ManifestPrice.optional().describe("For endpoints without one of their own."),
  priceSource: PriceSource.optional().describe("Where prices are published; for endpoints without one of their own."),
  usage: Usage.optional().describe("For endpoints, leaf by leaf."),
  async: Async.optional().describe("The job protocol of endpoints that say async: {}."),
  resources: z.record(Slug, Resource).optional().describe("Things that stay at the provider and cost per period."),
  schemas: z.record(name, jsonSchema).default({}).describe("Shared JSON Schemas: $ref '#/schemas/Name'."),
  source: z
    .strictObject({
      kind: z.enum(["openapi", "mcp", "utcp", "x402", "manual"]).describe("What it was imported from."),
      ref: z.string().describe("The file or the address."),
      sha256: z.string().optional().describe("Hash of what was imported."),
    })
    .optional()
    .describe("Where it was imported from; mkt catalog drift looks there."),
  endpoints: z
    .record(z.string().regex(/^\//, "a path that begins with /"), ManifestEndpoint)
    .describe("By their public path, which begins with /."),
});
export type Manifest = z.infer<typeof Manifest>;
