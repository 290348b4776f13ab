import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface ScreenProps {
  readonly title: ComponentChildren;
  /** The title in the browser's own list of tabs. */
  readonly name: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A screen: its heading takes the focus when it opens, so that keys and readers go on from there. */
export function Screen({ title, name, lead, actions, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // With the screen, not after it is painted: a key that is pressed at once must not go elsewhere.
  useLayoutEffect(() => {
    document.title = `${name} · mkt`;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [name]);
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, aside, children }: SectionProps) {
  return (
    <section class="section" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
