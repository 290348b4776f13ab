import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly name: string }[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  readonly children: ComponentChildren;
}

/** Views of the same thing, one at a time; the arrow keys go from one to the next. */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const row = list.current;
    if (row === null) return;
    const sizes = new ResizeObserver(() => showChosen(row));
    sizes.observe(row);
    return () => sizes.disconnect();
  }, [chosen]);
  const step = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = (at + by + tabs.length) % tabs.length;
    onChoose(tabs[next]?.id ?? chosen);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={step}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}

/** Moves the row alone: `scrollIntoView` would move the page too. */
function showChosen(row: HTMLElement): void {
  const chosen = row.querySelector("[aria-selected=true]")?.getBoundingClientRect();
  if (chosen === undefined) return;
  const { left, right } = row.getBoundingClientRect();
  row.scrollLeft += Math.max(0, chosen.right - right) - Math.max(0, left - chosen.left);
}
