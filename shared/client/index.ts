/** The exports of `mkt/client`; bin/build/client-declarations.ts generates its types. docs/client.md. */
export { createClient } from "./client.ts";
export { ServiceError, UnreachableError } from "./service-error.ts";
