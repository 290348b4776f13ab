/** Outlines on a square of 16, drawn with the colour of the text. */
const OUTLINES = {
  home: "M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z",
  discover: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.8 10.8 14 14",
  runs: "M3 3.5h10M3 8h10M3 12.5h6",
  spend: "M3 13.5V9m3.3 4.5v-7m3.4 7V4.5M13 13.5v-6",
  catalog: "M2.5 4.5 8 2l5.5 2.5L8 7zM2.5 8 8 10.5 13.5 8M2.5 11.5 8 14l5.5-2.5",
  keys: "M9.5 9a3.2 3.2 0 1 0-2.6-1.3L2.5 12v1.5H5V12h1.5v-1.5z",
  controls: "M3 4.5h5m3 0h2M3 11.5h2m3 0h5M9.5 3v3M6.5 10v3",
  wallet: "M2.5 4.5h10v8h-10zM2.5 4.5l7-2v2M10.5 8.5h.01",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  close: "m4 4 8 8m0-8-8 8",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1m0 11v1M1.5 8h1m11 0h1M3.4 3.4l.7.7m7.8 7.8.7.7m0-9.2-.7.7m-7.8 7.8-.7.7",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  system: "M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",
  out: "M6.5 2.5h-4v11h4M10 5l3 3-3 3m3-3H6",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  download: "M8 2.5v8m0 0L5 7.7m3 2.8 3-2.8M2.5 13.5h11",
  next: "m6 3.5 4.5 4.5L6 12.5",
  stop: "M4 4h8v8H4z",
  play: "M5 3.5v9l7-4.5z",
  plus: "M8 3v10M3 8h10",
  alert: "M8 2 14.5 13.5h-13zM8 6.5v3m0 2h.01",
} as const;

export type IconName = keyof typeof OUTLINES;

/** A picture beside a word that says the same: hidden from readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={OUTLINES[name]} />
    </svg>
  );
}
