import { expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { startStandIn } from "../cli/stand-in-service.ts";

test.each([
  [301, "https://market.example.org/v1/auth/whoami", "mkt login --api-url https://market.example.org"],
  [302, "https://market.example.org/mkt/v1/auth/whoami", "mkt login --api-url https://market.example.org/mkt"],
  [308, "/mkt/v1/auth/whoami", "mkt whoami --api-url SAME/mkt"],
])(
  "a redirect (%i) to %s is not followed, and at another host the key is asked for anew",
  async (status, location, next) => {
    await using service = await startStandIn({
      "GET /v1/auth/whoami": { status, headers: { location }, text: "<html>moved</html>" },
    });

    const { exitCode, stderr } = await runMkt(["whoami"], { env: service.env });

    expect(exitCode).toBe(9);
    expect(stderr).toContain(`${service.url} sends requests on to `);
    expect(stderr).toContain(`next: ${next.replace("SAME", service.url)}\n`);
    expect(service.requests).toHaveLength(1);
  },
);

test("of a profile, the log-in at the new address is named, since its key goes nowhere else", async () => {
  using home = mktHome();
  await using service = await startStandIn({
    "GET /v1/auth/whoami": { status: 301, headers: { location: "https://new.example.org/v1/auth/whoami" }, text: "" },
  });
  const env = home.environment;
  await runMkt(["profile", "add", "prod", "--api-url", service.url, "--key-stdin", "--use"], { env, stdin: "k1" });

  const { stderr } = await runMkt(["whoami"], { env });

  expect(stderr).toContain("next: mkt login prod --api-url https://new.example.org\n");
});

test("a redirect to a log-in page of something else is told, with no address to use", async () => {
  await using service = await startStandIn({
    "GET /v1/auth/whoami": { status: 302, headers: { location: "https://sso.example.org/login?to=x" }, text: "" },
  });

  const { exitCode, stderr } = await runMkt(["whoami"], { env: service.env });

  expect(exitCode).toBe(9);
  expect(stderr).toContain("sends requests on to https://sso.example.org/login (302)");
  expect(stderr).not.toContain("--api-url https://sso");
});
