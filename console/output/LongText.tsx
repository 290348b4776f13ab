import { useState } from "preact/hooks";
import { countText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";

const MORE = 20_000;

/** A text of any length: its beginning, and more of it when asked, so that a cell of megabytes costs nothing. */
export function LongText({ text, first = 160 }: { readonly text: string; readonly first?: number }) {
  const [most, setMost] = useState(first);
  const rest = text.length - most;
  return (
    <>
      <bdi>{inertText(text.slice(0, most))}</bdi>
      {rest > 0 && (
        <>
          {"… "}
          <button type="button" class="more" onClick={() => setMost(most === first ? MORE : most + MORE)}>
            show more ({countText(rest)} characters)
          </button>
        </>
      )}
    </>
  );
}
