import { ApiError } from "../../shared/errors.ts";

/**
 * A price that cannot be applied: to a manifest when it is loaded, or to an input before a run starts. The message says
 * what is missing and what to do. The catalog makes a load error of it; before a run it is answered with 400
 * (docs/contract.md, "Starting a run").
 */
export class PriceError extends ApiError {
  constructor(message: string) {
    super("invalidInput", message);
  }
}
