import { signal } from "@preact/signals";

/** The time by which ages are shown; it moves on twice a minute. */
export const now = signal(Date.now());

setInterval(() => (now.value = Date.now()), 30_000);
