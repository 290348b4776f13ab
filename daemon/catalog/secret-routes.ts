import type { AdminSecret } from "../../shared/contract/admin.ts";
import { operations } from "../../shared/contract/index.ts";
import { ApiError } from "../../shared/errors.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { MIN_SECRET_CHARACTERS } from "../redaction/redact.ts";
import type { Catalog } from "./catalog.ts";
import type { SecretStore } from "./grants/secret-store.ts";

export interface SecretRoutesParts {
  readonly secrets: SecretStore;
  readonly catalog: Pick<Catalog, "providers" | "standing">;
}

/**
 * The secrets that the operator stores for providers' files. A value can be set but never read back.
 * docs/contract.md, "Admin routes".
 */
export function secretRoutes({ secrets, catalog }: SecretRoutesParts): Route[] {
  const describe = (name: string): AdminSecret => ({
    name,
    overridden: secrets.isOverridden(name),
    ...(isShort(secrets.values()[name]) && { notRedacted: true as const }),
    providers: catalog
      .providers()
      .filter((provider) => Object.values(provider.secrets).some(({ env }) => env === name))
      .map(({ provider }) => ({ provider, needsGrant: !catalog.standing(provider).granted })),
  });
  return [
    route(operations.listSecrets, () => reply(200, { items: Object.keys(secrets.values()).sort().map(describe) })),
    route(operations.putSecret, async ({ params, body }) => {
      await secrets.put(params.name, body.value);
      return reply(200, describe(params.name));
    }),
    route(operations.deleteSecret, async ({ params }) => {
      if (await secrets.remove(params.name)) return reply(204, undefined);
      throw new ApiError("notFound", `No secret ${params.name} is stored; GET /v1/admin/secrets lists all`);
    }),
  ];
}

function isShort(value: string | undefined): boolean {
  return value !== undefined && value.length < MIN_SECRET_CHARACTERS;
}
