import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** A signing key of the provider, or of somebody else. */
export interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: KeyPair["privateKey"];
  /** The public half, as a key set has it. */
  readonly jwk: JWK;
}

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** What a daemon needs to accept this provider's tokens. */
  readonly environment: Readonly<Record<string, string>>;
  /** Signs with what is published now. */
  readonly key: SigningKey;
  /** How often the key set was asked for. */
  readonly fetches: number;
  /** How often anything else was asked for. */
  readonly strayRequests: number;
  /** An address at this server that no daemon has a reason to ask for. */
  readonly canaryUrl: string;
  /** Answers the key set from now on; undefined: as usual. */
  answerWith(answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined): void;
  /** Publishes a new key in place of the old ones. */
  rotate(algorithm?: string): Promise<SigningKey>;
  /** A valid access token, with the given changes; `undefined` removes a claim. */
  token(claims?: JWTPayload, header?: Readonly<Record<string, unknown>>, key?: SigningKey): Promise<string>;
}

const AUDIENCE = "https://mkt.example";

export async function newSigningKey(algorithm = "ES256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const kid = `key-${Math.random().toString(36).slice(2)}`;
  return { kid, algorithm, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" } };
}

/** An identity provider on a free port of this machine: a key set over HTTP, and tokens that fit it. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let key = await newSigningKey();
  let fetches = 0;
  let strayRequests = 0;
  let answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => {
    if (request.url !== "/jwks.json") {
      strayRequests += 1;
      response.writeHead(404).end();
      return;
    }
    fetches += 1;
    if (answer !== undefined) return answer(request, response);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: [key.jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const jwksUrl = `${issuer}/jwks.json`;
  return {
    issuer,
    audience: AUDIENCE,
    jwksUrl,
    environment: { MKT_JWT_ISSUER: issuer, MKT_JWT_AUDIENCE: AUDIENCE, MKT_JWT_JWKS_URL: jwksUrl },
    canaryUrl: `${issuer}/canary.json`,
    get key() {
      return key;
    },
    get fetches() {
      return fetches;
    },
    get strayRequests() {
      return strayRequests;
    },
    answerWith(next) {
      answer = next;
    },
    async rotate(algorithm) {
      key = await newSigningKey(algorithm);
      return key;
    },
    async token(claims = {}, header = {}, signingKey = key) {
      const now = Math.floor(Date.now() / 1_000);
      const all = { iss: issuer, aud: AUDIENCE, sub: "ada", iat: now, exp: now + 300, ...claims };
      const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      return await new SignJWT(given)
        .setProtectedHeader({ alg: signingKey.algorithm, kid: signingKey.kid, typ: "at+jwt", ...header })
        .sign(signingKey.privateKey);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
