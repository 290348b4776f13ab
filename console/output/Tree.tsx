import { useState } from "preact/hooks";
import { countText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { Cell } from "./Cell.tsx";

const PAGE = 100;
const OPEN_DEPTH = 2;

interface TreeProps {
  readonly name: string;
  readonly value: unknown;
  readonly depth?: number;
}

/** A value as its members, opened and closed one by one; what is closed is not drawn. */
export function Tree({ name, value, depth = 0 }: TreeProps) {
  const isBranch = typeof value === "object" && value !== null;
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && !(Array.isArray(value) && value.length > 20));
  if (!isBranch) {
    return (
      <li>
        <span class="member">{inertText(name)}</span> <Cell value={value} />
      </li>
    );
  }
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  return (
    <li>
      <button type="button" class="branch" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="member">{inertText(name)}</span>
        <span class="muted">{Array.isArray(value) ? `[${countText(size)}]` : `{${countText(size)}}`}</span>
      </button>
      {isOpen && <Members value={value} depth={depth + 1} />}
    </li>
  );
}

function Members({ value, depth }: { readonly value: object; readonly depth: number }) {
  const [most, setMost] = useState(PAGE);
  const entries = Object.entries(value);
  return (
    <ul class="tree">
      {entries.slice(0, most).map(([name, member]) => (
        <Tree key={name} name={name} value={member} depth={depth} />
      ))}
      {entries.length > most && (
        <li>
          <button type="button" class="more" onClick={() => setMost(most + PAGE)}>
            show more ({countText(entries.length - most)} left)
          </button>
        </li>
      )}
    </ul>
  );
}
