import { ApiError } from "../../shared/errors.ts";
import { type MicroDollars, parseDollars } from "../../shared/micro-dollars.ts";
import { errorText } from "../../shared/error-text.ts";

/**
 * Converts dollars of a request to micro-dollars; throws a 400 that names the member if they are not a valid amount.
 */
export function readAmount(member: string, dollars: number): MicroDollars {
  try {
    return parseDollars(dollars);
  } catch (cause) {
    const reason = errorText(cause);
    throw new ApiError("invalidInput", `${member}: ${reason}`, { cause });
  }
}
