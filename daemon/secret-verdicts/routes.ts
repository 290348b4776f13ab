import { operations } from "../../shared/contract/index.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { SecretVerdicts } from "./secret-verdicts.ts";

export interface SecretVerdictRoutesParts {
  readonly secretVerdicts: SecretVerdicts;
  readonly catalog: Pick<Catalog, "providers">;
}

/** Whether providers' secrets work. docs/contract.md, "Verdicts on secrets". */
export function secretVerdictRoutes({ secretVerdicts, catalog }: SecretVerdictRoutesParts): Route[] {
  return [
    route(operations.listSecretVerdicts, async () => {
      await secretVerdicts.settled();
      const all = await Promise.all(catalog.providers().map(async (provider) => await secretVerdicts.of(provider)));
      return reply(200, { items: all.filter((verdict) => verdict !== undefined) });
    }),
    route(operations.testSecrets, async ({ params, signal }) =>
      reply(200, await secretVerdicts.test(params.provider, { signal })),
    ),
  ];
}
