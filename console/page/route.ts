import { computed, signal } from "@preact/signals";
import { href } from "./address.ts";
import { say } from "./toasts.ts";

export { href };

/** Where the reader is: the parts of `#/runs/01J…?status=FAILED`. */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

// A ticket is taken before anything is shown, and is no place.
const fragment = signal(location.hash.startsWith("#ticket=") ? "" : location.hash);
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#ticket=")) return refuseTicket();
  fragment.value = location.hash;
});

/** Whoever changed the fragment of an open page may be anybody. docs/console.md, "Signing in" */
function refuseTicket(): void {
  history.replaceState(null, "", fragment.value === "" ? "#/" : fragment.value);
  say("A ticket is only taken when the page is opened. Paste its address into a new tab.", "bad");
}

export const route = computed<Route>(() => readRoute(fragment.value));

function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parts = path.split("/").filter((part) => part !== "");
  return { path: parts.map(decode), query: new URLSearchParams(query) };
}

export function go(address: string): void {
  location.hash = address;
}

/** Changes the query of the screen without a further step in the browser's history. */
export function replaceQuery(change: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = route.value;
  history.replaceState(null, "", href(path, { ...Object.fromEntries(query), ...change }));
  fragment.value = location.hash;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
