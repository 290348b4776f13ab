import { signal } from "@preact/signals";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const SHOWN_MS = 6_000;
let last = 0;

export const toasts = signal<readonly Toast[]>([]);

/** Says in a line what became of something; an error stays until it is closed. */
export function say(text: string, tone: Toast["tone"] = "good"): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-3), { id, text, tone }];
  if (tone === "good") setTimeout(() => closeToast(id), SHOWN_MS);
}

export function closeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
