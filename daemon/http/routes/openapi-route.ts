import { operations } from "../../../shared/contract/index.ts";
import { toOpenApiDocument } from "../../../shared/openapi.ts";
import { FixedDocument } from "../answers/fixed-document.ts";
import { reply, type Route, route } from "./route.ts";

/** The interface's version, which is not the package's. docs/contract.md, "Versioning". */
const CONTRACT_VERSION = "0.1.0";

/** The contract as an OpenAPI document, from the same list as the routes. Built at the first request. */
export function openApiRoute(): Route {
  let document: FixedDocument<Record<string, unknown>> | undefined;
  return route(operations.getOpenApiDocument, () => {
    document ??= new FixedDocument(
      "application/json",
      toOpenApiDocument(operations, { version: CONTRACT_VERSION, servers: [] }) as unknown as Record<string, unknown>,
    );
    return reply(200, document);
  });
}
