import { z } from "zod";
import type { ConsoleSignIn } from "../../shared/contract/console.ts";
import { errorText } from "../../shared/error-text.ts";
import { isLoopback } from "../../shared/loopback.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { ConsoleClient } from "../config/console-client-settings.ts";
import type { JwtSettings } from "../identity/jwt/jwt-settings.ts";
import { readProviderDocument } from "../identity/jwt/provider-document.ts";

/** How people sign in to the console. docs/console.md, "Signing in at an identity provider". */
export interface SignInWay {
  /** Never rejects: where the provider cannot be used, a ticket can. */
  read(): Promise<ConsoleSignIn>;
  /** Origins that the page asks after it came back from the provider. */
  origins(): Promise<readonly string[]>;
}

export interface SignInWayParts {
  readonly jwt: Pick<JwtSettings, "issuer" | "audience"> | undefined;
  readonly client: ConsoleClient | undefined;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
}

/** What the provider says is asked again after this. */
const MAX_AGE_MS = 600_000;
/** Between attempts: anybody can make the service ask. */
const RETRY_MS = 5_000;
const TIMEOUT_MS = 5_000;

export function createSignInWay({ jwt, client, clock, logger }: SignInWayParts): SignInWay {
  if (jwt === undefined) return waysOf({ kind: "ticket" });
  if (client === undefined) return waysOf({ kind: "ticket", issuer: jwt.issuer });
  let last: { readonly way: ConsoleSignIn; readonly atMs: number } | undefined;
  let asking: Promise<ConsoleSignIn> | undefined;

  const ask = async (): Promise<ConsoleSignIn> => {
    try {
      const endpoints = await readEndpoints(jwt.issuer);
      const { clientId, scope } = client;
      last = {
        way: { kind: "oidc", issuer: jwt.issuer, clientId, scope, audience: jwt.audience, ...endpoints },
        atMs: clock.now(),
      };
    } catch (error) {
      const problem = `${wellKnown(jwt.issuer)} cannot be used: ${errorText(error)}`;
      logger.warn({ why: problem }, "nobody can sign in to the console at the identity provider");
      // Where it was is where it is, until it says otherwise.
      const way: ConsoleSignIn = last?.way.kind === "oidc" ? last.way : { kind: "ticket", issuer: jwt.issuer, problem };
      last = { way, atMs: clock.now() - MAX_AGE_MS + RETRY_MS };
    }
    return last.way;
  };
  const read = async () => {
    if (last !== undefined && Math.abs(clock.now() - last.atMs) < MAX_AGE_MS) return last.way;
    asking ??= ask().finally(() => (asking = undefined));
    return await asking;
  };
  return { read, origins: async () => originsOf(await read()) };
}

function waysOf(way: ConsoleSignIn): SignInWay {
  return { read: async () => way, origins: async () => [] };
}

function originsOf({ tokenEndpoint }: ConsoleSignIn): readonly string[] {
  return tokenEndpoint === undefined ? [] : [new URL(tokenEndpoint).origin];
}

/** OpenID Connect Discovery 1.0, 4. */
function wellKnown(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

async function readEndpoints(
  issuer: string,
): Promise<Pick<ConsoleSignIn, "authorizationEndpoint" | "tokenEndpoint" | "tellsIssuer">> {
  const text = await readProviderDocument(wellKnown(issuer), { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const parsed = Metadata.safeParse(parsedJson(text));
  if (!parsed.success) {
    const [name = "it"] = parsed.error.issues[0]?.path ?? [];
    throw new Error(`it does not describe a provider (${String(name)})`);
  }
  const { data } = parsed;
  // Exactly: otherwise a code of one provider could be sent to another. RFC 8414, 3.3.
  if (data.issuer !== issuer) throw new Error(`its issuer is "${data.issuer}", and MKT_JWT_ISSUER "${issuer}"`);
  if (data.code_challenge_methods_supported?.includes("S256") === false) {
    throw new Error("the provider does not take PKCE with S256");
  }
  return {
    authorizationEndpoint: endpointOf(data.authorization_endpoint, "authorization_endpoint"),
    tokenEndpoint: endpointOf(data.token_endpoint, "token_endpoint"),
    tellsIssuer: data.authorization_response_iss_parameter_supported ?? false,
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What stands in the policy of the page and in an address bar: nothing but an address, and of nobody on the wire. */
function endpointOf(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url === undefined || !isSafe || url.username !== "" || url.password !== "") {
    throw new Error(`its ${name} is no https address`);
  }
  return url.href;
}
