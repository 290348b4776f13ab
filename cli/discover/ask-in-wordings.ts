import type { Client } from "../../shared/client/client.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { DiscoverRequest, DiscoverResponse } from "../../shared/contract/discovery.ts";
import type { z } from "zod";
import { type BusyOptions, READ_AGAIN_WITHIN_MS, retryWhenBusy } from "../connection/retry-when-busy.ts";

type DiscoverBody = z.input<typeof DiscoverRequest>;

export interface AskedInWordings {
  readonly found: DiscoverResponse;
  /** The service does not know rephrasings: it has looked for the query alone. */
  readonly isQueryAlone: boolean;
}

/**
 * A discovery, with the rephrasings of the body if the service takes them. An older or another service ignores members that
 * it does not know, or refuses them: then the query is asked alone. Repeated while the service is overloaded.
 */
export async function askInWordings(
  client: Pick<Client, "discover">,
  { also, ...body }: DiscoverBody,
  { signal, onBusy }: Pick<BusyOptions, "signal" | "onBusy"> = {},
): Promise<AskedInWordings> {
  const busy = { withinMs: READ_AGAIN_WITHIN_MS, signal, onBusy };
  const discover = async (asked: DiscoverBody) =>
    await retryWhenBusy(async () => await client.discover({ body: asked }, { signal }), busy);
  if (also === undefined || also.length === 0) return { found: await discover(body), isQueryAlone: false };
  try {
    const found = await discover({ ...body, also });
    return { found, isQueryAlone: found.also === undefined };
  } catch (error) {
    if (!mayNotKnowAlso(error)) throw error;
    return { found: await discover(body), isQueryAlone: true };
  }
}

/** Refused as a bad request, and not for a mistake in the rephrasings, which a service that knows them names first. */
function mayNotKnowAlso(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 400 && !/^also\b/.test(error.message);
}

export const QUERY_ALONE_WORDS =
  "This service does not take rephrasings: only the query itself was asked. Ask once for each wording.";
