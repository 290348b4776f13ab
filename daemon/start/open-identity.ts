import type { Clock } from "../base/clock.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { Authenticate } from "../http/callers/access.ts";
import { createAuthenticate } from "../identity/authenticate.ts";
import { createIdentityService, type IdentityService } from "../identity/identity-service.ts";
import { createSignIn } from "../identity/jwt/sign-in.ts";
import { createKeyUse, KeyUseDocument } from "../identity/key-use.ts";
import type { Logger } from "../base/logger.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";
import type { Store } from "../storage/store.ts";

export interface OpenIdentityParts {
  readonly config: Pick<DaemonConfig, "jwt">;
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly opened: OpenParts;
  readonly documents: DocumentStore;
}

export interface OpenIdentity {
  readonly identity: IdentityService;
  readonly authenticate: Authenticate;
}

/** Opens authentication: keys of this service and, if an identity provider is configured, its access tokens. */
export async function openIdentity(parts: OpenIdentityParts): Promise<OpenIdentity> {
  const { store, clock, newId, logger, opened, documents } = parts;
  const document = await documents.open("key-use.json", KeyUseDocument, { lastUsed: {} });
  const keyUse = opened.use(createKeyUse({ document, clock, logger }));
  const tokens = await openTokens(parts);
  const issuer = parts.config.jwt?.issuer;
  return {
    identity: createIdentityService({ store, clock, newId, keyUse, issuer }),
    authenticate: createAuthenticate({ store, clock, keyUse, issuer, ...(tokens !== undefined && { tokens }) }),
  };
}

async function openTokens({ config, store, clock, logger }: OpenIdentityParts) {
  if (config.jwt === undefined) return undefined;
  // Loaded only if needed: most daemons have no identity provider.
  const { createTokenVerifier } = await import("../identity/jwt/token-verifier.ts");
  const verify = createTokenVerifier({ settings: config.jwt, clock, logger });
  return { verify, signIn: createSignIn({ store, clock }) };
}
