import { ApiError } from "../../shared/errors.ts";

/**
 * A price that cannot be applied: to a manifest at load, or to an input before a run. The message says what is missing
 * and what to do. The catalog turns it into a load error; before a run it is answered with 400 (docs/contract.md,
 * "Starting a run").
 */
export class PriceError extends ApiError {
  constructor(message: string) {
    super("invalidInput", message);
  }
}
