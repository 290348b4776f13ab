import type { RunListItem } from "../../shared/contract/runs.ts";
import { Status } from "../parts/Status.tsx";

/** How a run stands. One whose provider answered with an error is complete, and has nothing to show for it. */
export function RunStatus({ run }: { readonly run: Pick<RunListItem, "status" | "approval" | "providerResponse"> }) {
  if (run.approval?.status === "WAITING") return <Status status="WAITING" />;
  return <Status status={run.status} {...(run.providerResponse?.error !== undefined && { tone: "warn" as const })} />;
}
