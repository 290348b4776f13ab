import { isLoopback } from "../../shared/loopback.ts";
import type { JwtSettings } from "../identity/jwt/jwt-settings.ts";
import { ConfigRefused } from "./config-refused.ts";
import type { GivenSettings } from "./given-settings.ts";

/** The console as the identity provider knows it: a public client, which has no secret. */
export interface ConsoleClient {
  readonly clientId: string;
  /** Scopes to ask for, divided by blanks. */
  readonly scope: string;
}

/** As whom the console asks the identity provider, if people sign in there. */
export function consoleClientSettings(given: GivenSettings, jwt: JwtSettings | undefined): ConsoleClient | undefined {
  const clientId = given.text("MKT_CONSOLE_CLIENT_ID");
  const scope = given.text("MKT_CONSOLE_SCOPE");
  if (clientId === undefined) {
    if (scope === undefined) return undefined;
    throw new ConfigRefused("MKT_CONSOLE_SCOPE is for MKT_CONSOLE_CLIENT_ID, which is not set");
  }
  if (jwt === undefined) {
    throw new ConfigRefused(
      "MKT_CONSOLE_CLIENT_ID needs the identity provider: set MKT_JWT_ISSUER, MKT_JWT_AUDIENCE and MKT_JWT_JWKS_URL too",
    );
  }
  checkIssuer(jwt.issuer);
  return { clientId, scope: scope ?? "openid" };
}

/** Where a browser is sent with what it may do here, so not over a wire that others read. */
function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) return;
  throw new ConfigRefused(
    `With MKT_CONSOLE_CLIENT_ID, MKT_JWT_ISSUER takes an https address, or http on this machine, got "${issuer}"`,
  );
}
