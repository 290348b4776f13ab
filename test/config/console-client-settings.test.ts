import { describe, expect, test } from "vitest";
import { ConfigRefused } from "../../daemon/config/config-refused.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";

const provider = {
  MKT_JWT_ISSUER: "https://id.example",
  MKT_JWT_AUDIENCE: "mkt",
  MKT_JWT_JWKS_URL: "https://id.example/jwks.json",
};

function clientOf(environment: Readonly<Record<string, string>>) {
  return parseDaemonConfig({}, { environment, bundledCatalogDir, version: "0.1.0" }).consoleClient;
}

describe("the console's client of the identity provider", () => {
  test("is absent unless it is set, and asks for openid", () => {
    expect(clientOf(provider)).toBeUndefined();
    expect(clientOf({ ...provider, MKT_CONSOLE_CLIENT_ID: "web" })).toEqual({ clientId: "web", scope: "openid" });
    expect(clientOf({ ...provider, MKT_CONSOLE_CLIENT_ID: "web", MKT_CONSOLE_SCOPE: "openid mkt" })).toEqual({
      clientId: "web",
      scope: "openid mkt",
    });
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["without the provider", { MKT_CONSOLE_CLIENT_ID: "web" }, "set MKT_JWT_ISSUER"],
    ["as a scope alone", { ...provider, MKT_CONSOLE_SCOPE: "openid" }, "MKT_CONSOLE_CLIENT_ID, which is not set"],
    [
      "of a provider on the open wire",
      { ...provider, MKT_JWT_ISSUER: "http://id.example", MKT_CONSOLE_CLIENT_ID: "web" },
      "takes an https address",
    ],
    [
      "of a provider without an address",
      { ...provider, MKT_JWT_ISSUER: "accounts", MKT_CONSOLE_CLIENT_ID: "web" },
      "takes an https address",
    ],
  ])("is refused %s", (_, environment, says) => {
    expect(() => clientOf(environment)).toThrow(ConfigRefused);
    expect(() => clientOf(environment)).toThrow(says);
  });
});
