import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

function textsIn(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return files.map((path) => readFileSync(path, "latin1")).join("\n");
}

test("the path of an address is in no answer and nowhere in the data folder, also when its creation can be repeated", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });
  const create = async () =>
    await daemon.request(
      "POST",
      "/v1/webhooks",
      { url: "https://hooks.example/in/capability123" },
      { "idempotency-key": "k1" },
    );

  const made = await create();
  const repeated = await create();

  expect(made).toMatchObject({ status: 201, body: { url: "https://hooks.example/…" } });
  expect(repeated).toMatchObject({
    status: 201,
    body: { webhookId: made.body.webhookId, url: "https://hooks.example/…" },
  });
  expect(repeated.body).not.toHaveProperty("secret");
  for (const path of ["/v1/webhooks", `/v1/webhooks/${made.body.webhookId}`]) {
    expect((await daemon.request("GET", path)).text).not.toContain("capability123");
  }
  expect(textsIn(home.dataDir)).toContain(made.body.webhookId);
  expect(textsIn(home.dataDir)).not.toContain("capability123");
});
