import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from "jose";
import { errorText } from "../../../shared/error-text.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { readProviderDocument } from "./provider-document.ts";

/** The minimum time between reads of the keys that tokens with an unknown key id cause. docs/security.md, T16. */
const REFRESH_MS = 60_000;
/** The time after which withdrawn keys are forgotten, as long as the provider can be reached. */
const MAX_AGE_MS = 600_000;
/** The time that the last keys remain valid while the provider cannot be reached. */
const MAX_STALE_MS = 3_600_000;
/** Between attempts while there are no keys at all. */
const RETRY_MS = 5_000;
const TIMEOUT_MS = 5_000;

/** The provider's keys cannot be read, so that no token can be checked. */
export class KeysUnreadable extends Error {
  override readonly name = "KeysUnreadable";
}

export interface KeySetParts {
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
}

/**
 * The public keys of the identity provider, only from the address in the setting: keys that a token names (`jku`,
 * `x5u`, `jwk`) are ignored, and `kid` only selects among the keys of this set. The key function rejects with
 * `KeysUnreadable` when there are none, and with an error of jose for a token that matches none of them.
 */
export function createKeySet({ url, clock, logger }: KeySetParts): JWTVerifyGetKey {
  let last: { readonly text: string; readonly atMs: number } | undefined;
  let failed: { readonly error: KeysUnreadable; readonly atMs: number } | undefined;

  const fetchKeySet: FetchImplementation = async (address, options) => {
    if (failed !== undefined && clock.now() < failed.atMs + RETRY_MS) throw failed.error;
    try {
      last = { text: await readKeySet(address, options), atMs: clock.now() };
      failed = undefined;
    } catch (cause) {
      const why = errorText(cause);
      logger.warn({ why }, "the identity provider's keys cannot be read");
      if (last === undefined || clock.now() > last.atMs + MAX_STALE_MS) {
        failed = { error: new KeysUnreadable(why, { cause }), atMs: clock.now() };
        throw failed.error;
      }
    }
    return new Response(last.text);
  };
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: REFRESH_MS,
    cacheMaxAge: MAX_AGE_MS,
    [customFetch]: fetchKeySet,
  });
}

/** The text of a key set; rejects when it cannot be read, and when it is none. */
async function readKeySet(address: string, options: Parameters<FetchImplementation>[1]): Promise<string> {
  const text = await readProviderDocument(address, options);
  const keySet: unknown = JSON.parse(text);
  if (typeof keySet === "object" && keySet !== null && "keys" in keySet && Array.isArray(keySet.keys)) return text;
  throw new Error("it is not a JSON Web Key Set");
}
