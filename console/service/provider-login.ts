import type { ConsoleSignIn } from "../../shared/contract/console.ts";

/** What the page needs to know of the identity provider. */
export interface ProviderWay {
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly scope: string;
  readonly audience?: string | undefined;
  readonly tellsIssuer?: boolean | undefined;
}

/** Undefined where people sign in with a ticket alone. */
export function providerOf(way: ConsoleSignIn): ProviderWay | undefined {
  const { kind, issuer, clientId, authorizationEndpoint, tokenEndpoint, scope = "openid", ...rest } = way;
  if (kind !== "oidc" || issuer === undefined || clientId === undefined) return undefined;
  if (authorizationEndpoint === undefined || tokenEndpoint === undefined) return undefined;
  return { ...rest, issuer, clientId, authorizationEndpoint, tokenEndpoint, scope };
}

/** What the tab remembers until the provider answers; used once. */
interface Started {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly way: ProviderWay;
  /** Where the reader was. */
  readonly place: string;
}

const STARTED = "mkt.sign-in";
/** Of what a provider says when it refuses. */
const MOST_SAID = 300;

/** Leaves for the identity provider: authorization code with PKCE. RFC 7636; OpenID Connect Core, 3.1. */
export async function beginLogin(way: ProviderWay): Promise<void> {
  // Browsers have it for https and for this machine alone.
  if (!isSecureContext) throw new Error("Signing in at the identity provider needs https. Open the console by https.");
  const started = { state: randomText(), nonce: randomText(), verifier: randomText(), way, place: location.hash };
  sessionStorage.setItem(STARTED, JSON.stringify(started satisfies Started));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(started.verifier));
  const address = new URL(way.authorizationEndpoint);
  const asked = {
    response_type: "code",
    client_id: way.clientId,
    redirect_uri: ownAddress(),
    scope: way.scope,
    state: started.state,
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: "S256",
    ...(asksForIdToken(way) && { nonce: started.nonce }),
    ...(way.audience !== undefined && { audience: way.audience }),
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  location.assign(address);
}

/**
 * The access token for the answer that came back in the query, and where the reader was. Refuses an answer that this tab did
 * not ask for, or that is of another provider: nobody is signed in by a link. docs/security.md, T36
 */
export async function finishLogin(query: URLSearchParams): Promise<{ readonly token: string; readonly place: string }> {
  const started = takeStarted();
  if (started === undefined || query.get("state") !== started.state) {
    throw new Error("This sign-in was not begun in this tab. Begin it again here.");
  }
  const { way, place } = started;
  const issuer = query.get("iss");
  // RFC 9207: the answer of another provider is not for this one.
  if (issuer === null ? way.tellsIssuer === true : issuer !== way.issuer) {
    throw new Error("Another identity provider answered than the one that was asked. Tell the operator.");
  }
  const refused = query.get("error_description") ?? query.get("error");
  if (refused !== null) throw new Error(`The identity provider refused: ${refused.slice(0, MOST_SAID)}`);
  const answer = await askForToken(started, query.get("code") ?? "");
  checkIdToken(answer.id_token, started);
  return { token: answer.access_token, place };
}

/** Removed before it is used, so that an answer counts once. */
function takeStarted(): Started | undefined {
  const text = sessionStorage.getItem(STARTED);
  sessionStorage.removeItem(STARTED);
  return text === null ? undefined : (JSON.parse(text) as Started);
}

interface TokenAnswer {
  readonly access_token: string;
  readonly id_token?: unknown;
}

async function askForToken({ way, verifier }: Started, code: string): Promise<TokenAnswer> {
  const answer = await fetch(way.tokenEndpoint, {
    method: "POST",
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    referrerPolicy: "no-referrer",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: way.clientId,
      code,
      redirect_uri: ownAddress(),
      code_verifier: verifier,
    }),
  }).catch(() => {
    const { host } = new URL(way.tokenEndpoint);
    throw new Error(`${host} cannot be asked from here: it is down, or does not allow this page's origin (CORS).`);
  });
  const said = (await answer.json().catch(() => ({}))) as Partial<Record<string, unknown>>;
  const { access_token: token, error, error_description: why = error ?? `HTTP ${answer.status}` } = said;
  if (answer.ok && typeof token === "string" && token !== "")
    return { access_token: token, id_token: said["id_token"] };
  throw new Error(`The identity provider gave no token: ${String(why).slice(0, MOST_SAID)}`);
}

/**
 * That the answer is of this very sign-in. It came from the provider itself, over TLS: its signature says nothing more. OpenID
 * Connect Core, 3.1.3.7.
 */
function checkIdToken(idToken: unknown, { way, nonce }: Started): void {
  if (!asksForIdToken(way)) return;
  const { iss, aud, nonce: told } = claimsOf(idToken) ?? {};
  const isFor = Array.isArray(aud) ? aud.includes(way.clientId) : aud === way.clientId;
  if (iss === way.issuer && isFor && told === nonce) return;
  throw new Error("The identity provider's answer belongs to another sign-in. Begin it again here.");
}

function claimsOf(token: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof token !== "string") return undefined;
  try {
    const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function asksForIdToken({ scope }: ProviderWay): boolean {
  return scope.split(" ").includes("openid");
}

/** The address of this page without what comes along with it: what the provider has to know of the console. */
function ownAddress(): string {
  return location.origin + location.pathname;
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
