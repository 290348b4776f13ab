import type { ComponentChildren } from "preact";
import { may, type Right } from "../service/rights.ts";
import { Copied } from "./Copied.tsx";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** What to type at the command line for it. */
  readonly command?: string;
  /** What both need: whoever may not do it reads the title alone. */
  readonly right?: Right;
}

/** A place without anything: what would be here, and what to press or type for it. */
export function Empty({ title, children, command, right }: EmptyProps) {
  const isOffered = right === undefined || may(right);
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {isOffered && children}
      {isOffered && command !== undefined && <Copied text={command} />}
    </div>
  );
}
