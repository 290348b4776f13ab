import type { LookupAddress, lookup as systemLookup, LookupOptions } from "node:dns";
import { Resolver } from "node:dns/promises";

/** With its repetition a name takes at most some five seconds. */
const QUESTION_TIMEOUT_MS = 1_500;
const QUESTIONS = 2;

export interface DnsLookupOptions {
  /** Those of the system when absent. */
  readonly servers?: readonly string[];
  /** Of one question to one server, in milliseconds. */
  readonly questionTimeoutMs?: number;
}

/**
 * As `dns.lookup`, by asking the name servers directly. The system's own look-up takes one of two threads that the provider calls
 * of all workspaces look their names up with: a few receivers whose name servers never answer would hold up every run.
 */
export function createDnsLookup(options: DnsLookupOptions = {}): typeof systemLookup {
  const lookUp = (hostname: string, _: LookupOptions, done: LookupDone) => {
    void resolveAll(hostname, options).then(
      (addresses) => done(null, addresses),
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
  return lookUp as unknown as typeof systemLookup;
}

type LookupDone = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Addresses of both families; rejects, with a code that `dns.lookup` has too, when there is none of either. */
async function resolveAll(
  hostname: string,
  { servers, questionTimeoutMs = QUESTION_TIMEOUT_MS }: DnsLookupOptions,
): Promise<LookupAddress[]> {
  // A new one each time: it reads the settings of the system, which change with the network.
  const resolver = new Resolver({ timeout: questionTimeoutMs, tries: QUESTIONS });
  if (servers !== undefined) resolver.setServers(servers);
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
  if (found.length > 0) return found;
  const codes = [four, six].map((answer) => (answer.status === "rejected" ? codeOf(answer.reason) : "ENODATA"));
  const isUnknown = codes.every((code) => code === "ENOTFOUND" || code === "ENODATA" || code === "EBADNAME");
  const code = isUnknown ? "ENOTFOUND" : "EAI_AGAIN";
  throw Object.assign(new Error(`${hostname} could not be looked up`), { code });
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === "rejected" ? [] : answer.value.map((address) => ({ address, family }));
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
