import { Screen } from "../parts/Screen.tsx";
import { Tabs } from "../parts/Tabs.tsx";
import { go, href } from "../page/route.ts";
import { may } from "../service/rights.ts";
import type { ScreenProps } from "../shell/screen-entry.ts";
import { KeyList } from "./KeyList.tsx";
import { NewKey } from "./NewKey.tsx";
import { People } from "./People.tsx";

const TABS = [
  { id: "list", name: "Keys and sessions", isOpen: () => may("listApiKeys") },
  { id: "people", name: "People and workspaces", isOpen: () => true },
] as const;

/** `#/keys/<tab>`: who may speak for the workspace. `#/keys/new` makes a key. */
export function KeysScreen({ route: { path, query } }: ScreenProps) {
  if (path[1] === "new" && may("createApiKey")) return <NewKey />;
  const open = TABS.filter(({ isOpen }) => isOpen());
  const chosen = (open.find(({ id }) => id === path[1]) ?? open[0])?.id ?? "people";
  return (
    <Screen
      title="Keys and people"
      name="Keys and people"
      lead="Who speaks for the workspace, and what each may do and spend."
      actions={
        may("createApiKey") && (
          <a class="button primary" href="#/keys/new">
            New key
          </a>
        )
      }
    >
      <Tabs label="Keys and people" tabs={open} chosen={chosen} onChoose={(id) => go(href(["keys", id]))}>
        {chosen === "people" ? (
          <People />
        ) : (
          <KeyList cursor={query.get("cursor") ?? undefined} isRevoked={query.get("status") === "REVOKED"} />
        )}
      </Tabs>
    </Screen>
  );
}
