import { signal } from "@preact/signals";

/** The first parts of the addresses that the reader may go to: a link to another one would lead nowhere. */
export const openScreens = signal<ReadonlySet<string>>(new Set());
