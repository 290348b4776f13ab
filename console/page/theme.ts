import { effect, signal } from "@preact/signals";

const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const STORED = "mkt.theme";
const stored = localStorage.getItem(STORED);

export const theme = signal<Theme>(themes.find((one) => one === stored) ?? "system");

/** Keeps the page in the chosen theme from now on. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    localStorage.setItem(STORED, theme.value);
  });
}

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
}
