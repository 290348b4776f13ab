import { LongText } from "./LongText.tsx";

/** A value in a place for one line. */
export function Cell({ value }: { readonly value: unknown }) {
  switch (typeof value) {
    case "string":
      return <LongText text={value} first={120} />;
    case "number":
    case "boolean":
      return <span class="literal">{String(value)}</span>;
    case "undefined":
      return null;
    default:
      return value === null ? <span class="muted">null</span> : <LongText text={JSON.stringify(value)} first={80} />;
  }
}
