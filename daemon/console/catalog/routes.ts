import { operations } from "../../../shared/contract/index.ts";
import { reply, type Route, route } from "../../http/routes/route.ts";
import type { CatalogViewParts } from "./catalog-parts.ts";
import type { DocumentImports } from "./document-imports.ts";
import { listProviders } from "./list-providers.ts";
import { showHistory, showProvider } from "./show-provider.ts";

export interface CatalogViewRoutesParts extends CatalogViewParts {
  readonly imports: DocumentImports;
}

/** The catalog as people look after it. docs/contract.md, "Catalog views". */
export function catalogViewRoutes(parts: CatalogViewRoutesParts): Route[] {
  return [
    route(operations.listCatalogProviders, async ({ caller, query, pause }) =>
      reply(200, await listProviders(parts, caller, query, pause)),
    ),
    route(operations.getCatalogProvider, async ({ caller, params, query }) =>
      reply(200, await showProvider(parts, caller, params.provider, query)),
    ),
    route(operations.getCatalogHistory, ({ caller, params, query }) =>
      reply(200, showHistory(parts, caller, params.provider, query.endpoint)),
    ),
    route(operations.previewImport, async ({ body }) => reply(200, await parts.imports.preview(body))),
    route(operations.importDocument, async ({ body }) => reply(201, await parts.imports.write(body))),
  ];
}
