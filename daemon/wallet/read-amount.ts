import { ApiError } from "../../shared/errors.ts";
import { type MicroDollars, parseDollars } from "../../shared/micro-dollars.ts";
import { errorText } from "../../shared/error-text.ts";

/** Dollars of a request as micro-dollars; 400 that names the member where they are no amount. */
export function readAmount(member: string, dollars: number): MicroDollars {
  try {
    return parseDollars(dollars);
  } catch (cause) {
    const reason = errorText(cause);
    throw new ApiError("invalidInput", `${member}: ${reason}`, { cause });
  }
}
