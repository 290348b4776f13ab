import type { GivenValue } from "./coerce-value.ts";

/** Where a value goes in the provider's request. */
export type InputPlace = "pathParams" | "queryParams" | "body";

/** A value that was given for a field; its place is looked up in the endpoint's schema unless it is given. */
export interface NamedValue {
  readonly name: string;
  readonly given: GivenValue;
  readonly place?: InputPlace | undefined;
}
