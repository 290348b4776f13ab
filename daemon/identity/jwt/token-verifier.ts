import { type JWTHeaderParameters, type JWTPayload, jwtVerify } from "jose";
import { ApiError } from "../../../shared/errors.ts";
import { errorText } from "../../../shared/error-text.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { createKeySet, KeysUnreadable } from "./key-set.ts";
import type { JwtSettings } from "./jwt-settings.ts";

/** The claims of a token that the identity provider vouches for. */
export interface TokenClaims {
  readonly issuer: string;
  /** The user; unique for the issuer. */
  readonly subject: string;
  /** Absent when the token names none. */
  readonly organisation?: { readonly id: string; readonly name?: string };
  /** Possible names of the user, the best first. */
  readonly usernames: readonly string[];
  readonly email?: string;
  /** The claims that the operator named, as they are in the token. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** ISO 8601; absent when the token does not say. */
  readonly issuedAt?: string;
  /** ISO 8601. */
  readonly endsAt: string;
}

/** Undefined for anything that is not a valid token; rejects with `unavailable` when it cannot be checked. */
export type VerifyToken = (token: string) => Promise<TokenClaims | undefined>;

/** Fixed here, so that a token cannot choose: no symmetric algorithm, and not `none` (RFC 8725, 3.1 and 3.2). */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
/**
 * A token states its type (RFC 8725, 3.11; RFC 9068, 2.1), so that a token for another purpose, such as a logout, does
 * not authenticate. A token without a type is refused.
 */
const TYPES = new Set(["jwt", "at+jwt"]);
const SKEW_SECONDS = 30;
/** The last date of four digits. */
const END_OF_TIME = "9999-12-31T23:59:59.999Z";
const MAX_TOKEN_CHARACTERS = 12_000;
/** OpenID Connect Core, 2: `sub` has at most 255 characters; organisations have the same limit here. */
const MAX_ID_CHARACTERS = 255;

export interface TokenVerifierParts {
  readonly settings: JwtSettings;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn" | "debug">;
}

/** Whether a text can be a JWT at all: three parts of base64url, not too large. */
function looksLikeToken(text: string): boolean {
  return text.length <= MAX_TOKEN_CHARACTERS && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/**
 * Checks access tokens of one issuer: signature, algorithm, `iss`, `aud`, `exp`, `nbf` and `typ`.
 * docs/security.md, T16.
 *
 * While the provider's keys cannot be read, the answer is 503 and not 401: the token may be valid, and a client
 * discards it after a 401.
 */
export function createTokenVerifier({ settings, clock, logger }: TokenVerifierParts): VerifyToken {
  const keys = createKeySet({ url: settings.jwksUrl, clock, logger });
  return async (token) => {
    if (!looksLikeToken(token)) return undefined;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer: settings.issuer,
        audience: settings.audience,
        requiredClaims: ["exp", "sub"],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(clock.now()),
      });
      return isAccessToken(protectedHeader) ? readClaims(payload, settings) : undefined;
    } catch (error) {
      if (error instanceof KeysUnreadable) {
        throw new ApiError(
          "unavailable",
          "Access tokens cannot be verified now: the identity provider's keys cannot be read; try again in a moment",
          { cause: error, retryAfterSeconds: 5 },
        );
      }
      const why = errorText(error);
      logger.debug({ why }, "an access token was refused");
      return undefined;
    }
  };
}

function isAccessToken({ typ }: JWTHeaderParameters): boolean {
  return typeof typ === "string" && TYPES.has(typ.toLowerCase().replace(/^application\//, ""));
}

function readClaims(
  payload: JWTPayload,
  { issuer, organisationClaim, metadataClaims }: JwtSettings,
): TokenClaims | undefined {
  const subject = idOf(payload.sub);
  if (subject === undefined) return undefined;
  const organisation = idOf(payload[organisationClaim]);
  const organisationName = textOf(payload["org_name"]);
  const email = textOf(payload["email"]);
  return {
    issuer,
    subject,
    ...(organisation !== undefined && {
      organisation: { id: organisation, ...(organisationName !== undefined && { name: organisationName }) },
    }),
    usernames: [payload["preferred_username"], payload["name"], email, subject].flatMap((name) => textOf(name) ?? []),
    ...(email !== undefined && { email }),
    metadata: Object.fromEntries(
      metadataClaims.filter((name) => Object.hasOwn(payload, name)).map((name) => [name, payload[name]]),
    ),
    endsAt: isInstant(payload.exp) ? new Date(payload.exp * 1_000).toISOString() : END_OF_TIME,
    ...(isInstant(payload.iat) && { issuedAt: new Date(payload.iat * 1_000).toISOString() }),
  };
}

function idOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && text.length <= MAX_ID_CHARACTERS ? text : undefined;
}

/** Seconds since the epoch, of years with four digits. */
function isInstant(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 253_402_300_800;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
