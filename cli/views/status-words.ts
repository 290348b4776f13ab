import type { RunListItem } from "../../shared/contract/runs.ts";

/** How a run ended, with the provider's status where that is not success. */
export function statusWords({ status, providerResponse }: Pick<RunListItem, "status" | "providerResponse">): string {
  const httpStatus = providerResponse?.httpStatus ?? 200;
  return httpStatus >= 200 && httpStatus < 300 ? status : `${status} ${httpStatus}`;
}
