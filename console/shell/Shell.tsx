import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/Icon.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Screen } from "../parts/Screen.tsx";
import { openScreens } from "../page/open-screens.ts";
import { route } from "../page/route.ts";
import { inertText } from "../words/inert-text.ts";
import { nextTheme, theme } from "../page/theme.ts";
import { liveState } from "../service/live.ts";
import { caller } from "../service/rights.ts";
import { signOut } from "../service/sign-in.ts";
import type { ScreenEntry } from "./screen-entry.ts";

/** The frame: where one can go, who one is, and the screen. On a narrow one the navigation is behind a button. */
export function Shell({ screens }: { readonly screens: readonly ScreenEntry[] }) {
  const open = screens.filter((screen) => screen.isOpen());
  const ids = open.map(({ id }) => id).join(" ");
  // In front of the screen's own effects, and not while it is drawn.
  useLayoutEffect(() => void (openScreens.value = new Set(ids.split(" "))), [ids]);
  const { path } = route.value;
  const shown = path.length === 0 ? open[0] : open.find(({ id }) => id === path[0]);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const address = path.join("/");
  useEffect(() => setMenuOpen(false), [address]);

  return (
    <div
      class={isMenuOpen ? "shell menu-open" : "shell"}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isMenuOpen) return;
        setMenuOpen(false);
        button.current?.focus();
      }}
    >
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="bar">
        <button
          ref={button}
          type="button"
          class="button quiet icon-only menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name={isMenuOpen ? "close" : "menu"} />
          <span class="unseen">Menu</span>
        </button>
        <Brand />
      </header>
      <aside id="navigation" class="side">
        <Brand />
        <nav aria-label="Screens">
          <ul>
            {open.map(({ id, name, icon }) => (
              <li key={id}>
                <a href={`#/${id}`} aria-current={id === shown?.id ? "page" : undefined}>
                  <Icon name={icon} />
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Who />
      </aside>
      <main id="main" tabIndex={-1}>
        {shown === undefined ? <Nowhere /> : <shown.view key={shown.id} route={route.value} />}
      </main>
    </div>
  );
}

function Brand() {
  return (
    <a class="brand" href="#/" aria-label="mkt console, home">
      <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
        <rect width="16" height="16" rx="4" />
        <path d="M4 11.5v-7l4 4 4-4v7" />
      </svg>
      <span>mkt</span>
    </a>
  );
}

const LIVE_WORDS = {
  off: "Not live: reload to see what is new",
  connecting: "Connecting …",
  live: "Live",
  waiting: "Cut off: connecting again",
} as const;

/** Who the page speaks as, whether it is live, the theme, and the way out. */
function Who() {
  const { user, workspace, credential } = caller.value ?? {};
  const state = liveState.value;
  return (
    <div class="who">
      <p class={`live ${state}`} role="status">
        <i aria-hidden="true" />
        {LIVE_WORDS[state]}
      </p>
      <p class="who-name" title={inertText(workspace?.workspaceId ?? "")}>
        <strong>{inertText(workspace?.name ?? "No workspace")}</strong>
        <span class="muted">{inertText(credential?.label ?? user?.username ?? "")}</span>
      </p>
      <div class="who-actions">
        <button type="button" class="button quiet" onClick={nextTheme}>
          <Icon name={theme.value === "light" ? "sun" : theme.value === "dark" ? "moon" : "system"} />
          <span class="unseen">Theme: </span>
          {THEME_WORDS[theme.value]}
        </button>
        <button type="button" class="button quiet" onClick={() => void signOut()}>
          <Icon name="out" />
          Sign out
        </button>
      </div>
    </div>
  );
}

const THEME_WORDS = { system: "System", light: "Light", dark: "Dark" } as const;

function Nowhere() {
  return (
    <Screen title="Nothing here" name="Nothing here">
      <Empty title="This address names no screen that your key may see.">
        <p>
          <a href="#/">Go to the first screen</a>, or ask who manages the workspace for a key that may do more.
        </p>
      </Empty>
    </Screen>
  );
}
