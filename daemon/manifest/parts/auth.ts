import { z } from "zod";
import { template, webUrl } from "./values.ts";

export const Auth = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("none") }),
    z.strictObject({
      type: z.literal("bearer"),
      token: template.describe('Sent as "Authorization: Bearer …"; such as "${secret.token}".'),
    }),
    z.strictObject({
      type: z.literal("basic"),
      username: template.describe("A template, or a name that everybody may know."),
      password: template.describe('Such as "${secret.password}"; empty where the provider wants none.'),
    }),
    z.strictObject({
      type: z.literal("apiKey"),
      in: z.enum(["header", "query", "cookie", "body"]).describe("Where it goes."),
      name: z.string().min(1).describe("Name of the header, parameter, cookie or field."),
      value: template.describe('Such as "${secret.key}" or "Token ${secret.key}".'),
    }),
    z.strictObject({
      type: z.literal("clientCredentials"),
      tokenUrl: webUrl.describe("Where access tokens are got; OAuth 2, client credentials."),
      clientId: template.describe('Such as "${secret.clientId}".'),
      clientSecret: template.describe('Such as "${secret.clientSecret}".'),
      scope: z.string().optional().describe("Scopes, separated by blanks."),
      style: z.enum(["basic", "body"]).default("basic").describe("How the id and the secret are sent."),
    }),
    z.strictObject({
      type: z.literal("oauth2"),
      flow: z
        .literal("authorizationCode")
        .describe("A person logs in at the provider once, with `mkt connect`; OAuth 2 with PKCE."),
      authorizationUrl: webUrl.describe("Where the person logs in."),
      tokenUrl: webUrl.describe("Where the code of the login becomes tokens."),
      refreshUrl: webUrl.optional().describe("Where tokens are renewed, if not at tokenUrl."),
      revocationUrl: webUrl.optional().describe("Where tokens are revoked when the connection is removed; RFC 7009."),
      issuer: webUrl.optional().describe("The issuer, which the answer to a login must then name; RFC 9207."),
      clientId: template.describe('Such as "${secret.clientId}"; may be a literal.'),
      clientSecret: template
        .optional()
        .describe('Such as "${secret.clientSecret}"; left out for a public client, which has none.'),
      scope: z.string().optional().describe("Scopes, separated by blanks."),
      parameters: z
        .record(z.string().regex(/^[A-Za-z0-9_.-]{1,60}$/, "the name of a parameter"), z.string())
        .optional()
        .describe("Further parameters of the login's address, such as access_type: offline."),
      style: z.enum(["basic", "body"]).default("basic").describe("How the id and the secret are sent."),
    }),
  ])
  .meta({ id: "ManifestAuth" });
export type Auth = z.infer<typeof Auth>;
