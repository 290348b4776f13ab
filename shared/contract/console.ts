import { z } from "zod";
import { closedObject } from "./closed-object.ts";
import { DateTime } from "./common.ts";

/** What opens the console in a browser. docs/console.md, "Signing in". */
export const ConsoleTicket = z
  .object({
    ticket: z.string().meta({ description: "Opens the console once. It is shown only here." }),
    expiresAt: DateTime,
    path: z.string().meta({
      description:
        "Where a browser goes with it, relative to the address of the service. The ticket is in the fragment, which browsers do not send.",
    }),
  })
  .meta({ id: "ConsoleTicket" });
export type ConsoleTicket = z.infer<typeof ConsoleTicket>;

export const OpenConsoleSessionRequest = closedObject({
  ticket: z.string().max(200),
}).meta({ id: "OpenConsoleSessionRequest" });

export const ConsoleSession = z
  .object({
    key: z.string().meta({ description: "The key of the session, shown once. Sent as any API key." }),
    keyId: z.string(),
    label: z.string().meta({ description: "Names the session among the keys of the workspace." }),
    expiresAt: DateTime,
    workspaceId: z.string().min(1),
  })
  .meta({ id: "ConsoleSession" });
export type ConsoleSession = z.infer<typeof ConsoleSession>;

/** How a browser that has no session signs in. */
export const ConsoleSignIn = z
  .object({
    kind: z.string().meta({
      "x-known-values": ["ticket", "oidc"],
      description:
        "ticket: `mkt console` opens it. oidc: also at the identity provider (authorization code with PKCE).",
    }),
    issuer: z.string().optional().meta({ description: "The identity provider whose access tokens are accepted." }),
    clientId: z.string().optional(),
    authorizationEndpoint: z.string().optional(),
    tokenEndpoint: z.string().optional(),
    scope: z.string().optional(),
    audience: z.string().optional().meta({ description: "The API that the access token has to be for." }),
    tellsIssuer: z
      .boolean()
      .optional()
      .meta({ description: "Each answer of the provider says whose it is (RFC 9207)." }),
    problem: z.string().optional().meta({ description: "Why the identity provider that is set cannot be used now." }),
  })
  .meta({ id: "ConsoleSignIn" });
export type ConsoleSignIn = z.infer<typeof ConsoleSignIn>;
