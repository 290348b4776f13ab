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
  ])
  .meta({ id: "ManifestAuth" });
export type Auth = z.infer<typeof Auth>;
