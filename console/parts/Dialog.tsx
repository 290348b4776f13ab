import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./Icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Pressing beside it does nothing: what it shows is shown once. */
  readonly stays?: boolean;
  readonly children: ComponentChildren;
}

/** A question in front of the screen. The browser keeps the focus in it, closes it with Escape, and gives the focus back. */
export function Dialog({ title, onClose, stays = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // A text that is marked up to beyond the panel ends in a click beside it.
  const isPressedBeside = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // What asked may be gone by now: a row that was decided about elsewhere, or by the answer itself.
      queueMicrotask(() => document.activeElement === document.body && document.getElementById("main")?.focus());
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      onPointerDown={(event) => {
        isPressedBeside.current = event.target === element.current;
      }}
      onClick={(event) => !stays && isPressedBeside.current && event.target === element.current && onClose()}
    >
      <div class="dialog">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="button quiet icon-only" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
