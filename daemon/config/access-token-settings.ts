import { isLoopback } from "../../shared/loopback.ts";
import type { JwtSettings } from "../identity/jwt/jwt-settings.ts";
import { ConfigRefused } from "./config-refused.ts";
import type { GivenSettings } from "./given-settings.ts";

const NAMES = ["MKT_JWT_ISSUER", "MKT_JWT_AUDIENCE", "MKT_JWT_JWKS_URL"] as const;

/** The identity provider whose access tokens are accepted: all three of its settings are given, or none. */
export function accessTokenSettings(given: GivenSettings): JwtSettings | undefined {
  const [issuer, audience, jwksUrl] = NAMES.map((name) => given.text(name));
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return undefined;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) {
    const missing = NAMES.filter((name) => given.text(name) === undefined).join(" and ");
    throw new ConfigRefused(`Access tokens need ${NAMES.join(", ")}: ${missing} is not set`);
  }
  return {
    issuer,
    audience,
    jwksUrl: keySetUrlOf(jwksUrl),
    organisationClaim: given.text("MKT_JWT_ORG_CLAIM") ?? "org_id",
    metadataClaims: given.list("MKT_JWT_METADATA_CLAIMS"),
  };
}

function keySetUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) return url.href;
  throw new ConfigRefused(`MKT_JWT_JWKS_URL takes an https address, or http on this machine, got "${text}"`);
}
