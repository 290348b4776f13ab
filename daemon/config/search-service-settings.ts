import { z } from "zod";
import { isLoopback } from "../../shared/loopback.ts";
import type { SearchServiceSettings, ServiceSettings } from "../discovery/services/calls/service-settings.ts";
import { ConfigRefused } from "./config-refused.ts";
import { type GivenSettings, onlyGiven } from "./given-settings.ts";

const DEFAULT_WAIT_MS = 1_000;
/** A small model on the machine takes some seconds for five phrases. */
const DEFAULT_REPHRASE_WAIT_MS = 5_000;
const WaitMs = z.coerce.number().int().min(50).max(30_000);

/** The services that discovery calls besides its own ranking, if any is configured. */
export function searchServiceSettings(given: GivenSettings): SearchServiceSettings | undefined {
  const embeddings = serviceOf(given, "MKT_EMBEDDINGS");
  const rerank = serviceOf(given, "MKT_RERANK");
  const model = serviceOf(given, "MKT_REPHRASE");
  if (embeddings === undefined && rerank === undefined && model === undefined) return undefined;
  const waitMs = given.number("MKT_DISCOVER_WAIT_MS", WaitMs) ?? DEFAULT_WAIT_MS;
  const rephraseWaitMs = given.number("MKT_REPHRASE_WAIT_MS", WaitMs) ?? DEFAULT_REPHRASE_WAIT_MS;
  const rephrase = model && { ...model, waitMs: rephraseWaitMs };
  return { ...onlyGiven({ embeddings, rerank, rephrase }), waitMs };
}

function serviceOf(given: GivenSettings, prefix: string): ServiceSettings | undefined {
  const [url, model, key] = ["URL", "MODEL", "KEY"].map((name) => given.text(`${prefix}_${name}`));
  if (url === undefined && model === undefined && key === undefined) return undefined;
  if (url === undefined || model === undefined) {
    throw new ConfigRefused(`${prefix}_URL and ${prefix}_MODEL are needed together, and ${prefix}_KEY only with them`);
  }
  return { url: urlOf(url, `${prefix}_URL`, key !== undefined), model, ...(key !== undefined && { key }) };
}

/** The message does not quote the text, which may contain a key that belongs into its own setting. */
function urlOf(text: string, name: string, hasKey: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === "http:" && (!hasKey || isLoopback(url.hostname));
  if (url === undefined || (url.protocol !== "https:" && !isPlain)) {
    throw new ConfigRefused(`${name} takes an https address; http on this machine, or where no key is sent`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigRefused(
      `${name} must not hold a name or a password: ${name.replace("_URL", "_KEY")} takes the key`,
    );
  }
  return url.href;
}
