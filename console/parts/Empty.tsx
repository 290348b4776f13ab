import type { ComponentChildren } from "preact";
import { Copied } from "./Copied.tsx";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** What to type at the command line for it. */
  readonly command?: string;
}

/** A place without anything: what would be here, and what to press or type for it. */
export function Empty({ title, children, command }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
      {command !== undefined && <Copied text={command} />}
    </div>
  );
}
