import { describe, expect, test } from "vitest";
import { ConfigRefused } from "../../daemon/config/config-refused.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";

const all = {
  MKT_JWT_ISSUER: "https://id.example",
  MKT_JWT_AUDIENCE: "mkt",
  MKT_JWT_JWKS_URL: "https://id.example/jwks.json",
};

function jwtOf(environment: Readonly<Record<string, string>>) {
  return parseDaemonConfig({}, { environment, bundledCatalogDir, version: "0.1.0" }).jwt;
}

describe("the settings of the identity provider", () => {
  test("are three, and the organisation's claim is org_id unless it is named", () => {
    const settings = { issuer: "https://id.example", audience: "mkt", jwksUrl: "https://id.example/jwks.json" };

    expect(jwtOf(all)).toEqual({ ...settings, organisationClaim: "org_id", metadataClaims: [] });
    expect(jwtOf({ ...all, MKT_JWT_ORG_CLAIM: "tenant" })).toEqual({
      ...settings,
      organisationClaim: "tenant",
      metadataClaims: [],
    });
  });

  test("may all be left out", () => {
    expect(jwtOf({})).toBeUndefined();
    expect(jwtOf({ MKT_JWT_ISSUER: "", MKT_JWT_AUDIENCE: "", MKT_JWT_JWKS_URL: "" })).toBeUndefined();
  });

  test.each(Object.keys(all))("are refused without %s, which is named", (name) => {
    const others = Object.fromEntries(Object.entries(all).filter(([other]) => other !== name));

    expect(() => jwtOf(others)).toThrow(ConfigRefused);
    expect(() => jwtOf(others)).toThrow(`${name} is not set`);
  });

  test.each(["http://127.0.0.1:9/jwks", "http://localhost/jwks", "http://[::1]:9/jwks"])("take keys from %s", (url) => {
    expect(jwtOf({ ...all, MKT_JWT_JWKS_URL: url })?.jwksUrl).toBe(url);
  });

  test.each(["http://id.example/jwks", "file:///etc/passwd", "id.example/jwks", "http://127.0.0.1.id.example/jwks"])(
    "take no keys from %s",
    (url) => {
      expect(() => jwtOf({ ...all, MKT_JWT_JWKS_URL: url })).toThrow(ConfigRefused);
    },
  );
});
