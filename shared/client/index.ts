/** What programs import as `mkt/client`; its types are made by bin/build/client-declarations.ts. docs/client.md. */
export { createClient } from "./client.ts";
export { ServiceError, UnreachableError } from "./service-error.ts";
