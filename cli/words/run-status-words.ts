import type { RunListItem } from "../../shared/contract/runs.ts";

/** Whether a run delivered data: a provider's error is an answer, and no data. */
export function isDelivered({ status, providerResponse }: RunStanding): boolean {
  return status === "COMPLETED" && isSuccess(providerResponse?.httpStatus ?? 200);
}

/** How a run stands in a word or two: its status, or what the provider answered where that is an error. */
export function statusWords(run: RunStanding): string {
  const { status, providerResponse, approval } = run;
  if (status === "READY" && approval?.status === "WAITING") return "WAITS FOR APPROVAL";
  if (status !== "COMPLETED" || isDelivered(run)) return status;
  return `ANSWERED ${providerResponse?.httpStatus}`;
}

type RunStanding = Pick<RunListItem, "providerResponse" | "approval"> & { readonly status: string };

function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}
