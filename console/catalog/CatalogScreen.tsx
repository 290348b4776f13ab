import type { ComponentType } from "preact";
import { Screen } from "../parts/Screen.tsx";
import { Tabs } from "../parts/Tabs.tsx";
import { go, href } from "../page/route.ts";
import { isOperator } from "../service/rights.ts";
import type { ScreenProps } from "../shell/screen-entry.ts";
import { ImportDocument } from "./ImportDocument.tsx";
import { Problems } from "./Problems.tsx";
import { Provider } from "./Provider.tsx";
import { ProviderList } from "./ProviderList.tsx";
import { SecretsAndGrants } from "./SecretsAndGrants.tsx";

interface CatalogTab {
  readonly id: string;
  readonly name: string;
  readonly view: ComponentType<{ readonly query: URLSearchParams }>;
}

/** The first is for everybody, the others for operators: they are about files and secrets of the daemon. */
const TABS: readonly CatalogTab[] = [
  { id: "providers", name: "Providers", view: ProviderList },
  { id: "setup", name: "Secrets and grants", view: SecretsAndGrants },
  { id: "problems", name: "Problems in files", view: Problems },
  { id: "import", name: "Import", view: ImportDocument },
];

/** `#/catalog/<tab>`, and `#/catalog/providers/<slug>` for one provider. */
export function CatalogScreen({ route: { path, query } }: ScreenProps) {
  const [, tab, provider] = path;
  if (tab === "providers" && provider !== undefined) return <Provider key={provider} slug={provider} query={query} />;
  const open = isOperator.value ? TABS : TABS.slice(0, 1);
  const chosen = open.find(({ id }) => id === tab) ?? open[0];
  const view = chosen !== undefined && <chosen.view key={chosen.id} query={query} />;
  return (
    <Screen title="Catalog" name="Catalog" lead="Where data comes from, how it does, and what it still needs.">
      {open.length === 1 ? (
        view
      ) : (
        <Tabs
          label="Views of the catalog"
          tabs={open}
          chosen={chosen?.id ?? ""}
          onChoose={(id) => go(href(["catalog", id]))}
        >
          {view}
        </Tabs>
      )}
    </Screen>
  );
}
