/**
 *   away       no connection, or it broke; 5xx
 *   slow       no whole answer in time
 *   busy       429
 *   refused    401, 403: the key
 *   rejected   another 4xx: what was asked, not who asked or when
 *   nonsense   a redirect, or an answer that is not what the protocol says
 *   resting    not asked at all, because it failed before
 *   unready    what is needed beside its answer is not there yet
 */
export type FailureKind = "away" | "slow" | "busy" | "refused" | "rejected" | "nonsense" | "resting" | "unready";

/**
 * A service returned nothing usable. The message may be shown to anyone: it contains no address and nothing of the
 * answer, and so cannot contain the key.
 */
export class ServiceFailed extends Error {
  override readonly name = "ServiceFailed";
  readonly kind: FailureKind;
  /** The delay that the service requested before the next call, in milliseconds from now. */
  readonly retryAfterMs?: number;

  constructor(kind: FailureKind, message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}
