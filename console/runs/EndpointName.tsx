import type { RunListItem } from "../../shared/contract/runs.ts";
import { Inert } from "../parts/Inert.tsx";

/** `atlas/sun`; where a line is too short for it, it goes on after the provider. */
export function EndpointName({ of }: { readonly of: Pick<RunListItem, "provider" | "endpoint"> }) {
  return (
    <span>
      <Inert text={of.provider} most={60} />
      <wbr />
      <Inert text={of.endpoint} most={90} />
    </span>
  );
}
