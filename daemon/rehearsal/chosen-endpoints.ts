import { ApiError } from "../../shared/errors.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";

/** When `--endpoint` names nothing of what was asked for. */
export function noSuchEndpoint(endpoint: string): ApiError {
  return new ApiError("notFound", `There is no endpoint ${endpoint} in these files; write it as its file does`);
}

/** Whether `--endpoint` means this one: a public path, its slash left out, or with its provider before it. */
export function isChosen({ provider, path }: Pick<CatalogEntry, "provider" | "path">, endpoint: string): boolean {
  return [path, path.slice(1), `${provider.provider}${path}`].includes(endpoint);
}
