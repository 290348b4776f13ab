import { describe, expect, test } from "vitest";
import { runMkt } from "../support/run-cli.ts";
import { type StandIn, startStandIn } from "./stand-in-service.ts";

const secret = { name: "ACME_KEY", overridden: false, providers: [{ provider: "acme", needsGrant: true }] };

async function startService(): Promise<StandIn> {
  return await startStandIn({
    "GET /v1/admin/secrets": { body: { items: [secret] } },
    "PUT /v1/admin/secrets/ACME_KEY": { body: secret },
    "DELETE /v1/admin/secrets/ACME_KEY": { status: 204 },
  });
}

describe("mkt secrets set", () => {
  test("sends what is piped in, without the line break at its end, and prints none of it", async () => {
    await using service = await startService();

    const { exitCode, stdout, stderr } = await runMkt(["secrets", "set", "ACME_KEY"], {
      ...service,
      stdin: "canary-1\n",
    });

    expect(exitCode).toBe(0);
    expect(service.requests.at(-1)).toMatchObject({ method: "PUT", body: { value: "canary-1" } });
    expect(JSON.parse(stdout)).toEqual(secret);
    expect(stdout + stderr).not.toContain("canary");
  });

  test("asks a person, shows nothing of what is typed, and says what to do next", async () => {
    await using service = await startService();
    const { exitCode, stdout, stderr } = await runMkt(["secrets", "set", "ACME_KEY"], {
      ...service,
      stdin: "canary-2\n",
      tty: true,
    });

    expect(exitCode).toBe(0);
    expect(service.requests.at(-1)).toMatchObject({ body: { value: "canary-2" } });
    expect(stderr).toContain("Value of ACME_KEY (not shown): ");
    expect(stdout).toContain("mkt catalog grant acme");
    expect(stdout + stderr).not.toContain("canary");
  });

  test("tells a person that a value is too short to be taken out of answers, and what to do", async () => {
    await using service = await startStandIn({
      "PUT /v1/admin/secrets/ACME_KEY": { body: { ...secret, notRedacted: true } },
    });

    const { stdout } = await runMkt(["secrets", "set", "ACME_KEY"], { ...service, stdin: "12345\n", tty: true });

    expect(stdout.replace(/\s+/g, " ")).toContain(
      "It is too short to be taken out of what providers answer: store one of at least 6 characters.",
    );
  });

  test("sends nothing when nothing came", async () => {
    await using service = await startService();

    const { exitCode, stderr } = await runMkt(["secrets", "set", "ACME_KEY"], { ...service, stdin: "\n" });

    expect(exitCode).toBe(5);
    expect(stderr).toContain("standard input");
    expect(service.requests).toEqual([]);
  });

  test("takes no value on the command line", async () => {
    await using service = await startService();

    const { exitCode } = await runMkt(["secrets", "set", "ACME_KEY", "canary-3"], service);

    expect(exitCode).toBe(2);
    expect(service.requests).toEqual([]);
  });

  test("asks nobody with --no-input at a terminal", async () => {
    await using service = await startService();

    const { exitCode } = await runMkt(["secrets", "set", "ACME_KEY", "--no-input"], { ...service, tty: true });

    expect(exitCode).toBe(2);
    expect(service.requests).toEqual([]);
  });
});

describe("the rest of mkt secrets", () => {
  test("lists names, who asks for them and what they wait for", async () => {
    await using service = await startService();

    const shown = await runMkt(["secrets"], { ...service, tty: true });
    const lines = await runMkt(["secrets", "list"], service);

    expect(shown.stdout).toMatch(/ACME_KEY +acme +yes/);
    expect(shown.stdout).toContain("mkt catalog grant acme");
    expect(JSON.parse(lines.stdout)).toEqual(secret);
  });

  test("removes one", async () => {
    await using service = await startService();

    const { exitCode, stderr } = await runMkt(["secrets", "remove", "ACME_KEY", "--yes"], service);

    expect(exitCode).toBe(0);
    expect(service.requests.at(-1)?.method).toBe("DELETE");
    expect(stderr).toBe("ACME_KEY is no longer stored.\n");
  });
});

describe("mkt keys create", () => {
  const key = { label: "ci", keyPrefix: "mkt_live_abc", key: "mkt_live_secret", scopes: ["runs:*"], status: "ACTIVE" };
  const limits = {
    providers: ["atlas"],
    endpoints: ["atlas/sun"],
    spendLimit: { amount: { value: 5, currency: "USD" }, period: "DAY" },
  };

  test("sends a member's role, allowlists, a spend limit and an end", async () => {
    await using service = await startStandIn({ "POST /v1/api-keys": { status: 201, body: { ...key, ...limits } } });
    const words =
      "keys create --label ci --provider atlas --endpoint atlas/sun --spend-limit $5/day --expires 2030-01-01T00:00:00Z";

    const { exitCode, stdout } = await runMkt(words.split(" "), { ...service, tty: true });

    expect(exitCode).toBe(0);
    expect(service.requests.at(-1)?.body).toEqual({
      label: "ci",
      role: "member",
      ...limits,
      expiresAt: "2030-01-01T00:00:00.000Z",
    });
    expect(stdout).toContain("$5 a day");
  });

  test("takes the end as a span from now", async () => {
    await using service = await startStandIn({ "POST /v1/api-keys": { status: 201, body: key } });

    await runMkt("keys create --label ci --expires 30d".split(" "), service);

    const sent = service.requests.at(-1)?.body as { expiresAt: string } | undefined;
    expect(Math.abs(Date.parse(sent?.expiresAt ?? "") - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);
  });

  test.each(["5", "5/year", "x/day", "/day", "0/day", "5/day/2"])("refuses %s as a spend limit", async (limit) => {
    await using service = await startStandIn({});

    const { exitCode } = await runMkt(["keys", "create", "--label", "ci", "--spend-limit", limit], service);

    expect(exitCode).toBe(2);
    expect(service.requests).toEqual([]);
  });
});

describe("with an access token", () => {
  test("mkt keys create --workspace makes the key in that workspace of the user's own", async () => {
    await using service = await startStandIn({ "POST /v1/api-keys": { status: 201, body: { label: "ci" } } });
    const env = { ...service.env, MKT_API_KEY: "eyJhbGciOiJub25lIn0.e30.x" };

    const { exitCode } = await runMkt("keys create --label ci --workspace acme".split(" "), { env });

    expect(exitCode).toBe(0);
    expect(service.requests.at(-1)?.headers["x-workspace-id"]).toBe("acme");
  });
});
