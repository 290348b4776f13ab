import { z } from "zod";
import { headerName, template, webUrl } from "./values.ts";
import { Auth } from "./auth.ts";

/**
 * The maximum of `maxResponseBytes`: an answer is held completely, as bytes, as text and as values, and written to the
 * disk.
 */
export const MAX_RESPONSE_BYTES = 64 * 1_024 * 1_024;

const attempts = z.int().min(1).max(10);
const retryOn = z.array(z.union([z.int().min(400).max(599), z.literal("network")]));
const waitMs = z.int().min(0);

/** The retry settings in a file; missing ones come from the provider, then from the defaults of `Retry`. */
const RetryGiven = z.strictObject({
  attempts: attempts.optional().describe("Maximum number of calls, including the first. Default 3."),
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
  unsafe: z.boolean().optional().describe("Retried even if it may have been executed."),
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

/** The format of lists in a query or a form, for fields without a style of their own. */
export const ArrayStyle = z.enum(["repeat", "comma", "brackets"]);
export type ArrayStyle = z.infer<typeof ArrayStyle>;

/**
 * The rate limit of a provider. `requests` in any `perMs` (both are required together), `concurrency` at once, and what
 * the vendor itself reports in `headers`: how many calls remain, and when the count resets.
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
        "Base address of the provider: its origin, and the start of all paths. https; http only with allowPrivateNetwork.",
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
      "When a call is retried. Only a call that was certainly not executed is, unless the endpoint is idempotent.",
    ),
    rateLimit: RateLimit.optional().describe(
      "The provider's rate limit: the daemon waits before the provider has to refuse.",
    ),
    allowHosts: z
      .array(z.string())
      .optional()
      .describe(
        "Further hosts (host or host:port) that addresses from responses may lead to. Credentials are never sent there.",
      ),
    allowPrivateNetwork: z
      .boolean()
      .optional()
      .describe("Private addresses and plain http may be called, if the operator names or grants the host."),
    maxResponseBytes: z
      .int()
      .min(1)
      .max(MAX_RESPONSE_BYTES)
      .optional()
      .describe("Longer answers are given up. 10 MiB when left out, at most 64 MiB."),
    traceparent: z
      .boolean()
      .optional()
      .describe("Calls carry the trace of their run (W3C traceparent), when the daemon records traces."),
    query: z
      .strictObject({
        arrays: ArrayStyle.optional().describe("Lists as a=1&a=2, a=1,2 or a[]=1&a[]=2; repeat when left out."),
      })
      .optional()
      .describe("How values are spelled in a query or a form."),
  })
  .meta({ id: "ManifestHttp" });
export type Http = z.infer<typeof Http>;
