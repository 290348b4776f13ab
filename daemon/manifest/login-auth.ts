import type { Auth } from "./manifest.ts";

/** The login of a person at a provider: OAuth 2, authorization code. docs/manifest.md, "Logins". */
export type LoginAuth = Extract<Auth, { type: "oauth2" }>;

/** The login among the kinds of an endpoint's auth; a file has at most one. */
export function findLogin(auths: readonly Auth[]): LoginAuth | undefined {
  return auths.find((auth): auth is LoginAuth => auth.type === "oauth2");
}

/** The members of an auth that are addresses beside `baseUrl`: where credentials are sent, or typed by a person. */
export function addressesOf(auth: Auth): readonly (readonly [member: string, url: string])[] {
  if (auth.type === "clientCredentials") return [["tokenUrl", auth.tokenUrl]];
  if (auth.type !== "oauth2") return [];
  const { authorizationUrl, tokenUrl, refreshUrl, revocationUrl } = auth;
  const all = { authorizationUrl, tokenUrl, refreshUrl, revocationUrl };
  return Object.entries(all).flatMap(([member, url]) => (url === undefined ? [] : [[member, url] as const]));
}
