import { z } from "zod";
import { HintTarget } from "../../shared/contract/hints.ts";
import { ResourceType } from "../../shared/contract/runs.ts";
import { ManifestMarkup, ManifestPrice } from "../billing/manifest-price.ts";

/**
 * The provider manifest, version 1: what one YAML or JSON file of a catalog folder may say. Strict keys; pure shape,
 * no cross-references (those are `check-manifest.ts`). Source: the provider manifest design, "Field list".
 */
export const MANIFEST_VERSION = 1;

/** Slugs of providers, categories and resources. */
export const Slug = z
  .string()
  .max(60)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "lower-case letters, digits and single hyphens");
const categoryPath = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/, "a path such as top/leaf");
const webUrl = z.url({ protocol: /^https?$/ });
const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, "a name of letters, digits, _ and -");
const template = z.string();
const extractor = z.union([z.string().min(1), z.number()]);
const jsonSchema = z.record(z.string(), z.unknown());
const scalar = z.union([z.string(), z.number(), z.boolean()]);

export const Auth = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({ type: z.literal("bearer"), token: template }),
  z.strictObject({ type: z.literal("basic"), username: template, password: template }),
  z.strictObject({
    type: z.literal("apiKey"),
    in: z.enum(["header", "query", "cookie", "body"]),
    name: z.string().min(1),
    value: template,
  }),
  z.strictObject({
    type: z.literal("clientCredentials"),
    tokenUrl: webUrl,
    clientId: template,
    clientSecret: template,
    scope: z.string().optional(),
    style: z.enum(["basic", "body"]).default("basic"),
  }),
]);
export type Auth = z.infer<typeof Auth>;

const attempts = z.int().min(1).max(10);
const retryOn = z.array(z.union([z.int().min(400).max(599), z.literal("network")]));
const waitMs = z.int().min(0);

/** What a file says about retries; what it leaves out comes from the provider, then from the defaults of `Retry`. */
const RetryGiven = z.strictObject({
  attempts: attempts.optional(),
  on: retryOn.optional(),
  backoffMs: waitMs.optional(),
  maxBackoffMs: waitMs.optional(),
  after: z.array(z.string()).optional(),
  unsafe: z.boolean().optional(),
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

export const Http = z.strictObject({
  baseUrl: z.union([webUrl, z.string().regex(/^builtin:[a-z0-9-]+$/)]).optional(),
  headers: z.record(z.string(), template).optional(),
  auth: z.union([Auth, z.array(Auth)]).optional(),
  timeoutMs: z.int().min(1).max(3_600_000).optional(),
  retry: RetryGiven.optional(),
  rateLimit: z
    .strictObject({ requests: z.int().min(1), perMs: z.int().min(1), concurrency: z.int().min(1).optional() })
    .optional(),
  allowHosts: z.array(z.string()).optional(),
  allowPrivateNetwork: z.boolean().optional(),
  maxResponseBytes: z.int().min(1).optional(),
  query: z.strictObject({ arrays: z.enum(["repeat", "comma", "brackets"]).optional() }).optional(),
});
export type Http = z.infer<typeof Http>;

export const Call = z.strictObject({
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
  path: template.optional(),
  url: template.optional(),
  headers: z.record(z.string(), template).optional(),
  queryParams: z.record(z.string(), z.unknown()).optional(),
  body: z.record(z.string(), z.unknown()).optional(),
  encoding: z.enum(["json", "form", "multipart", "none"]).optional(),
});
export type Call = z.infer<typeof Call>;

export const RequestCall = Call.extend({
  idempotency: z.strictObject({ header: z.string().min(1) }).optional(),
});
export type RequestCall = z.infer<typeof RequestCall>;

const status = z.union([z.int().min(100).max(599), z.enum(["2xx", "3xx", "4xx", "5xx"])]);

export const ErrorRule = z.strictObject({
  when: z.strictObject({
    status: z.array(status).optional(),
    match: z.record(z.string(), z.union([scalar, z.null(), z.array(z.union([scalar, z.null()]))])).optional(),
    missing: z.array(extractor).optional(),
  }),
  as: z.strictObject({
    status: z.int().min(200).max(599).optional(),
    message: z.string().optional(),
    retry: z.boolean().optional(),
    empty: z.boolean().optional(),
  }),
});
export type ErrorRule = z.infer<typeof ErrorRule>;

const quantity = z.union([extractor, z.array(extractor)]);

export const Usage = z.strictObject({
  count: extractor.optional(),
  units: extractor.optional(),
  cost: z
    .strictObject({
      from: extractor,
      unit: z.enum(["USD", "CENT", "MICRO_DOLLAR"]).optional(),
      usdPerUnit: z.number().positive().optional(),
    })
    .optional(),
  estimate: z
    .strictObject({ count: quantity.optional(), units: quantity.optional(), max: quantity.optional() })
    .optional(),
});
export type Usage = z.infer<typeof Usage>;

export const Async = z.strictObject({
  start: z.strictObject({
    id: extractor,
    keep: z.record(name, extractor).optional(),
    doneIf: z
      .strictObject({ status: z.array(status).optional(), match: z.record(z.string(), z.unknown()).optional() })
      .optional(),
  }),
  poll: Call.extend({
    everyMs: z.int().min(10).default(2_000),
    factor: z.number().min(1).default(1),
    maxEveryMs: z.int().min(10).optional(),
    status: extractor,
    states: z.strictObject({
      running: z.array(scalar).optional(),
      done: z.array(scalar).min(1),
      failed: z.array(scalar).default([]),
      stopped: z.array(scalar).optional(),
    }),
    keep: z.record(name, extractor).optional(),
    message: extractor.optional(),
    progress: extractor.optional(),
    transient: z.array(z.int()).default([429, 500, 502, 503, 504]),
  }),
  result: Call.extend({
    pages: z
      .strictObject({
        items: extractor,
        cursor: extractor,
        param: z.string(),
        max: z.int().min(1).max(1_000).default(20),
      })
      .optional(),
  }).optional(),
  stop: Call.extend({ ok: z.array(z.int()).default([200, 202, 204, 404, 409]) }).optional(),
  runMs: z.int().min(1_000).max(86_400_000).default(300_000),
});
export type Async = z.infer<typeof Async>;

/** A step as answers have it; here nothing else may stand in it. */
const HintStep = z.strictObject(HintTarget.shape);

export const Example = z.strictObject({
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()).default({}),
  source: z.string().optional(),
  response: z
    .strictObject({
      status: z.int().default(200),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.unknown(),
    })
    .optional(),
  responses: z.array(z.unknown()).optional(),
  expect: z
    .strictObject({
      count: z.int().optional(),
      costMicroDollars: z.int().optional(),
      httpStatus: z.int().optional(),
    })
    .optional(),
});
export type Example = z.infer<typeof Example>;

/** A thing that stays at the provider, and costs per period where it has a price. */
export const Resource = z.strictObject({
  displayName: z.string(),
  description: z.string().optional(),
  /** What of the contract it is nearest to; needed where its name is none of them. */
  type: ResourceType.optional(),
  price: ManifestPrice.optional(),
  verify: Call.extend({ goneIf: z.array(status).optional() }).optional(),
  release: Call.extend({ ok: z.array(status).optional() }).optional(),
  data: z.record(name, extractor).optional(),
});
export type Resource = z.infer<typeof Resource>;

/** `as`: by which of its names the caller gives it, the provider's id unless it says otherwise. */
const resourceRef = z.strictObject({
  resource: Slug,
  id: extractor,
  as: z.enum(["externalId", "identifier"]).default("externalId"),
});
export type ResourceReference = z.infer<typeof resourceRef>;

/** What an endpoint does with resources. */
export const ResourceUse = z.strictObject({
  provisions: z
    .strictObject({
      resource: Slug,
      id: extractor,
      identifier: extractor.optional(),
      data: z.record(name, extractor).optional(),
    })
    .optional(),
  uses: z.array(resourceRef).optional(),
  updates: z.array(resourceRef).optional(),
  releases: z.array(resourceRef).optional(),
});

export const ManifestEndpoint = z.strictObject({
  displayName: z.string().optional(),
  description: z.string().default(""),
  docUrl: webUrl.optional(),
  tags: z.array(z.string()).optional(),
  categories: z.array(categoryPath).optional(),
  notes: z.array(z.string()).optional(),
  asks: z.array(z.string()).default([]),
  hints: z.record(z.string(), z.union([z.string(), HintStep])).optional(),
  enabled: z.boolean().default(true),
  deprecated: z.string().optional(),
  verified: z.boolean().default(true),
  idempotent: z.boolean().default(false),
  overrun: z.enum(["operator", "caller"]).default("operator"),
  request: RequestCall,
  input: z
    .strictObject({
      pathParams: jsonSchema.optional(),
      queryParams: jsonSchema.optional(),
      body: jsonSchema.optional(),
    })
    .default({}),
  output: z
    .strictObject({
      select: z.string().optional(),
      omit: z.array(z.string()).optional(),
      media: z.enum(["auto", "json", "text", "base64"]).default("auto"),
      schema: jsonSchema.optional(),
    })
    .optional(),
  usage: Usage.optional(),
  price: ManifestPrice.optional(),
  async: z.union([Async, z.strictObject({})]).optional(),
  errors: z.array(ErrorRule).default([]),
  http: Http.optional(),
  resources: ResourceUse.optional(),
  examples: z.array(Example).default([]),
});
export type ManifestEndpoint = z.infer<typeof ManifestEndpoint>;

export const Secret = z.strictObject({
  env: z.string().regex(/^[A-Z][A-Z0-9_]*$/, "the name of an environment variable"),
  description: z.string().optional(),
  example: z.string().optional(),
  pattern: z.string().optional(),
  optional: z.boolean().default(false),
});
export type Secret = z.infer<typeof Secret>;

export const Manifest = z.strictObject({
  mkt: z.literal(MANIFEST_VERSION),
  provider: Slug,
  displayName: z.string().optional(),
  description: z.string().optional(),
  url: webUrl.optional(),
  docUrl: webUrl.optional(),
  tags: z.array(z.string()).default([]),
  categories: z.array(categoryPath).default([]),
  notes: z.array(z.string()).default([]),
  markup: ManifestMarkup.optional(),
  secrets: z.record(name, Secret).default({}),
  http: Http.optional(),
  errors: z.array(ErrorRule).default([]),
  price: ManifestPrice.optional(),
  usage: Usage.optional(),
  async: Async.optional(),
  resources: z.record(Slug, Resource).optional(),
  schemas: z.record(name, jsonSchema).default({}),
  source: z
    .strictObject({
      kind: z.enum(["openapi", "utcp", "x402", "manual"]),
      ref: z.string(),
      sha256: z.string().optional(),
    })
    .optional(),
  endpoints: z.record(z.string().regex(/^\//, "a path that begins with /"), ManifestEndpoint),
});
export type Manifest = z.infer<typeof Manifest>;
