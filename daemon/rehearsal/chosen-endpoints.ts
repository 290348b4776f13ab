import { ApiError } from "../../shared/errors.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";

/** The error when `--endpoint` matches nothing that was requested. */
export function noSuchEndpoint(endpoint: string): ApiError {
  return new ApiError("notFound", `There is no endpoint ${endpoint} in these files; write it as its file does`);
}

/** Whether `--endpoint` names this one: a public path, with or without its slash, or preceded by its provider. */
export function isChosen({ provider, path }: Pick<CatalogEntry, "provider" | "path">, endpoint: string): boolean {
  return [path, path.slice(1), `${provider.provider}${path}`].includes(endpoint);
}
