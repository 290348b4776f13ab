import { ApiError } from "../../../shared/errors.ts";
import { MAX_HOPS } from "../../manifest/parts/market-endpoint.ts";

const MARKET_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** In which the hops of a run are told beside the header, because a gateway may take headers out. */
const HOPS_TAG = "mkt-hops";

/**
 * Ids of the markets that a request came through, as its header and its tag say: the longer of both. Throws ApiError
 * `invalidInput` for what is no list of ids. docs/markets.md, "No loops"
 */
export function readHops(header: string | undefined, tags: Readonly<Record<string, string>> = {}): readonly string[] {
  const [told, tagged] = [split(header ?? ""), split(Object.hasOwn(tags, HOPS_TAG) ? (tags[HOPS_TAG] ?? "") : "")];
  return told.length >= tagged.length ? told : tagged;
}

function split(text: string): readonly string[] {
  const ids = text.split(" ").filter((id) => id !== "");
  if (ids.every((id) => MARKET_ID.test(id))) return ids;
  throw new ApiError("invalidInput", "X-Mkt-Hops: must be ids of markets, separated by blanks");
}

/** Throws ApiError `loopDetected` for a request that came through this daemon before, or through too many. */
export function refuseLoop(hops: readonly string[], ownId: string): void {
  if (hops.includes(ownId)) {
    throw new ApiError(
      "loopDetected",
      "This run came through this market before: two markets have this endpoint from each other. " +
        "Remove it from one of them (mkt catalog list shows which providers are markets)",
    );
  }
  if (hops.length >= MAX_HOPS) {
    throw new ApiError(
      "loopDetected",
      `This run came through ${hops.length} markets, and at most ${MAX_HOPS} are allowed: add the market that has the provider itself`,
    );
  }
}
