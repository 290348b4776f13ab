import { createHmac } from "node:crypto";
import { exportSPKI, importJWK, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type IdentityProvider, newSigningKey, startIdentityProvider } from "../support/identity-provider.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { request } from "../support/request.ts";

const hourMs = 3_600_000;

async function setUp() {
  const provider = await startIdentityProvider();
  const daemon = await startTestDaemon({ environment: provider.environment });
  return {
    provider,
    daemon,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

async function whoami({ url }: TestDaemon, token: string) {
  return await request(`${url}/v1/auth/whoami`, "GET", { key: token });
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** A token whose header and signature are made by hand. */
function handMade(header: object, claims: object, sign: (input: string) => string): string {
  const input = `${base64url(header)}.${base64url(claims)}`;
  return `${input}.${sign(input)}`;
}

function goodClaims({ issuer, audience }: IdentityProvider) {
  return { iss: issuer, aud: audience, sub: "ada", exp: Math.floor(Date.now() / 1_000) + 300 };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("an access token of the identity provider lets its user in", () => {
  test.each(["RS256", "ES256", "EdDSA"])("signed with %s", async (algorithm) => {
    await using world = await setUp();
    await world.provider.rotate(algorithm);

    const answer = await whoami(world.daemon, await world.provider.token({ email: "ada@example.com" }));

    expect(answer.status).toBe(200);
    expect(answer.body.user).toMatchObject({ username: "ada@example.com", email: "ada@example.com" });
  });

  test.each(["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"])("that says it is %s", async (typ) => {
    await using world = await setUp();

    expect((await whoami(world.daemon, await world.provider.token({}, { typ }))).status).toBe(200);
  });

  test("when this service is one of several in its audience", async () => {
    await using world = await setUp();
    const { provider } = world;

    expect((await whoami(world.daemon, await provider.token({ aud: ["other", provider.audience] }))).status).toBe(200);
  });

  test("up to half a minute after its end and before its beginning, for clocks that differ", async () => {
    await using world = await setUp();
    const now = Math.floor(Date.now() / 1_000);

    const ended = await whoami(world.daemon, await world.provider.token({ exp: now - 20 }));
    const toBegin = await whoami(world.daemon, await world.provider.token({ nbf: now + 20 }));

    expect([ended.status, toBegin.status]).toEqual([200, 200]);
  });
});

describe("an attack gets the 401 of an unknown key, byte for byte:", () => {
  const attacks: Record<string, (provider: IdentityProvider) => Promise<string> | string> = {
    "alg none": (provider) => handMade({ alg: "none", typ: "JWT" }, goodClaims(provider), () => ""),
    "alg none in other letters": (provider) => handMade({ alg: "nOnE", typ: "JWT" }, goodClaims(provider), () => ""),
    "HS256 with the public key as its secret": async (provider) => {
      const { kid, jwk } = provider.key;
      const spki = await exportSPKI(
        (await importJWK(jwk, "ES256", { extractable: true })) as Parameters<typeof exportSPKI>[0],
      );
      return handMade({ alg: "HS256", typ: "JWT", kid }, goodClaims(provider), (input) =>
        createHmac("sha256", spki).update(input).digest("base64url"),
      );
    },
    "HS256 with the public key's JSON as its secret": (provider) =>
      handMade({ alg: "HS256", typ: "JWT", kid: provider.key.kid }, goodClaims(provider), (input) =>
        createHmac("sha256", JSON.stringify(provider.key.jwk)).update(input).digest("base64url"),
      ),
    "another audience": (provider) => provider.token({ aud: "https://other.example" }),
    "no audience": (provider) => provider.token({ aud: undefined as never }),
    "another issuer": (provider) => provider.token({ iss: "https://evil.example" }),
    "the issuer with a slash behind it": (provider) => provider.token({ iss: `${provider.issuer}/` }),
    "no issuer": (provider) => provider.token({ iss: undefined as never }),
    "a token that has ended": (provider) => provider.token({ exp: Math.floor(Date.now() / 1_000) - 61 }),
    "a token that has not begun": (provider) => provider.token({ nbf: Math.floor(Date.now() / 1_000) + 61 }),
    "no end": (provider) => provider.token({ exp: undefined as never }),
    "an end that is no number": (provider) => provider.token({ exp: "never" as never }),
    "no subject": (provider) => provider.token({ sub: undefined as never }),
    "an empty subject": (provider) => provider.token({ sub: "" }),
    "a subject of 256 characters": (provider) => provider.token({ sub: "x".repeat(256) }),
    "a type of something else": (provider) => provider.token({}, { typ: "logout+jwt" }),
    "no type": (provider) => provider.token({}, { typ: undefined }),
    "a key id that is a path": (provider) => provider.token({}, { kid: "../../dev/null" }),
    "a key id that is an address": (provider) => provider.token({}, { kid: provider.canaryUrl }),
    "a key of somebody else under the provider's key id": async (provider) =>
      await provider.token({}, { kid: provider.key.kid }, await newSigningKey()),
    "jku, to a key set of the attacker's": async (provider) => {
      const own = await newSigningKey();
      return await provider.token({}, { jku: provider.canaryUrl }, own);
    },
    "x5u, to a certificate of the attacker's": async (provider) =>
      await provider.token({}, { x5u: provider.canaryUrl }, await newSigningKey()),
    "jwk, the attacker's key in the header": async (provider) => {
      const own = await newSigningKey();
      return await provider.token({}, { jwk: own.jwk, kid: provider.key.kid }, own);
    },
    "an extension that must be understood": async (provider) =>
      await new SignJWT({ sub: "ada", iss: provider.issuer, aud: provider.audience, exp: 9_999_999_999 })
        .setProtectedHeader({
          alg: "ES256",
          kid: provider.key.kid,
          typ: "JWT",
          crit: ["urn:example:power"],
          "urn:example:power": true,
        })
        .sign(provider.key.privateKey, { crit: { "urn:example:power": true } }),
    "claims changed after signing": async (provider) => {
      const [header = "", claims = "", signature = ""] = (await provider.token()).split(".");
      const changed = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), sub: "somebody-else" };
      return `${header}.${base64url(changed)}.${signature}`;
    },
    "the signature left out": async (provider) => (await provider.token()).replace(/[^.]+$/, ""),
    "five parts, as an encrypted one": async (provider) => `${await provider.token()}.x.y`,
    "claims that are no JSON": (provider) =>
      handMade({ alg: "ES256", typ: "JWT", kid: provider.key.kid }, [1], () => "AAAA"),
    "a token that is too large": (provider) => provider.token({ padding: "x".repeat(10_000) }),
  };

  let world: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    world = await setUp();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  test.each(Object.entries(attacks))("%s", async (_, attack) => {
    const unknown = await whoami(world.daemon, "mkt_live_nonsense");

    const answer = await whoami(world.daemon, await attack(world.provider));

    expect(answer.status).toBe(401);
    expect(answer.text).toBe(unknown.text);
    expect(world.provider.strayRequests).toBe(0);
  });

  test("the same user's good token is taken meanwhile", async () => {
    expect((await whoami(world.daemon, await world.provider.token())).status).toBe(200);
  });

  test("an algorithm that is not on the list, with a key of the provider's", async () => {
    await using other = await setUp();
    await other.provider.rotate("PS256");

    expect((await whoami(other.daemon, await other.provider.token())).status).toBe(401);
  });

  test("a token beyond what a request's head may have is refused before anything looks at it", async () => {
    const answer = await whoami(world.daemon, await world.provider.token({ padding: "x".repeat(20_000) }));

    expect(answer.status).toBe(431);
  });

  test("1,000 unknown key ids make the keys be read twice at most", async () => {
    await whoami(world.daemon, await world.provider.token());
    const own = await newSigningKey();
    const tokens = await Promise.all(
      Array.from({ length: 1_000 }, async (_, n) => await world.provider.token({}, { kid: `unknown-${n}` }, own)),
    );

    const statuses: number[] = [];
    for (let at = 0; at < tokens.length; at += 50) {
      const answers = await Promise.all(tokens.slice(at, at + 50).map((token) => whoami(world.daemon, token)));
      statuses.push(...answers.map(({ status }) => status));
    }

    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(world.provider.fetches).toBeLessThanOrEqual(2);
    expect(world.provider.strayRequests).toBe(0);
  });
});

describe("the provider's keys", () => {
  test("that were rotated are taken once a minute has gone by", async () => {
    await using world = await setUp();
    vi.useFakeTimers({ toFake: ["Date"] });
    const old = await world.provider.token();
    expect((await whoami(world.daemon, old)).status).toBe(200);
    await world.provider.rotate();
    const rotated = await world.provider.token();

    const atOnce = await whoami(world.daemon, rotated);
    vi.setSystemTime(Date.now() + 61_000);
    const later = await whoami(world.daemon, rotated);
    const withOldKey = await whoami(world.daemon, old);

    expect([atOnce.status, later.status, withOldKey.status]).toEqual([401, 200, 401]);
  });

  test("that cannot be read make a 503 with Retry-After, and keys of this service go on", async () => {
    await using world = await setUp();
    world.provider.answerWith((_request, response) => response.writeHead(500).end());

    const answer = await whoami(world.daemon, await world.provider.token());

    expect(answer).toMatchObject({ status: 503, body: { code: 503, message: expect.stringContaining("keys") } });
    expect(answer.headers.get("retry-after")).toBe("5");
    expect((await whoami(world.daemon, world.daemon.key)).status).toBe(200);
  });

  test("are asked for again only after a few seconds while there are none", async () => {
    await using world = await setUp();
    world.provider.answerWith((_request, response) => response.writeHead(500).end());
    vi.useFakeTimers({ toFake: ["Date"] });
    const token = await world.provider.token();
    for (let n = 0; n < 10; n += 1) await whoami(world.daemon, token);
    const whileBroken = world.provider.fetches;

    world.provider.answerWith(undefined);
    vi.setSystemTime(Date.now() + 6_000);
    const after = await whoami(world.daemon, token);

    expect(whileBroken).toBe(1);
    expect(after.status).toBe(200);
  });

  test("that were read last serve for an hour while the provider is away, and not longer", async () => {
    await using world = await setUp();
    vi.useFakeTimers({ toFake: ["Date"] });
    const now = Date.now();
    const token = await world.provider.token({ exp: Math.floor(now / 1_000) + 3 * 3_600 });
    expect((await whoami(world.daemon, token)).status).toBe(200);
    world.provider.answerWith((asked) => asked.destroy());

    vi.setSystemTime(now + hourMs / 2);
    const soon = await whoami(world.daemon, token);
    vi.setSystemTime(now + hourMs + 11 * 60_000);
    const late = await whoami(world.daemon, token);

    expect([soon.status, late.status]).toEqual([200, 503]);
  });

  test.each<[string, (provider: IdentityProvider) => Parameters<IdentityProvider["answerWith"]>[0]]>([
    ["a redirect", (provider) => (_, response) => response.writeHead(302, { location: provider.canaryUrl }).end()],
    ["no JSON", () => (_, response) => response.end("<html>")],
    ["JSON that is no key set", () => (_, response) => response.end("[]")],
    ["a megabyte", () => (_, response) => response.end(JSON.stringify({ keys: [], padding: "x".repeat(1_048_576) }))],
  ])("are not taken from %s", async (_, answerOf) => {
    await using world = await setUp();
    world.provider.answerWith(answerOf(world.provider));

    expect((await whoami(world.daemon, await world.provider.token())).status).toBe(503);
    expect(world.provider.strayRequests).toBe(0);
  });
});

test("without an identity provider a token is a key that nobody knows", async () => {
  await using provider = await startIdentityProvider();
  await using daemon = await startTestDaemon();

  const answer = await whoami(daemon, await provider.token());

  expect(answer.text).toBe((await whoami(daemon, "nonsense")).text);
  expect(provider.fetches).toBe(0);
});
