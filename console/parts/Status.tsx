import { statusText, type Tone, toneOf } from "../words/statuses.ts";

/** How something stands: a mark with its word. */
export function Status({ status, tone = toneOf(status) }: { readonly status: string; readonly tone?: Tone }) {
  return (
    <span class={`status ${tone}`}>
      <i aria-hidden="true" />
      {statusText(status)}
    </span>
  );
}
