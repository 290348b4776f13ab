import { describe, expect, test } from "vitest";
import { startAtlas } from "../../daemon/atlas/atlas-server.ts";
import { openAtlas } from "../support/open-atlas.ts";

describe("who may ask", () => {
  test("a request without a token is refused", async () => {
    await using atlas = await openAtlas();

    const response = await fetch(`${atlas.url}/time/now`);

    expect(response.status).toBe(401);
  });

  test("a request with another token is refused, also when asking for a job", async () => {
    await using atlas = await openAtlas();

    const response = await fetch(`${atlas.url}/jobs/abc`, { headers: { authorization: "Bearer another" } });

    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: { message: expect.stringContaining("token") } });
  });

  test("it listens on loopback only", async () => {
    await using atlas = await startAtlas({ token: "t" });

    expect(atlas.url).toBe(`http://127.0.0.1:${atlas.port}`);
  });
});

describe("requests that cannot be answered", () => {
  test("an unknown path is not found", async () => {
    await using atlas = await openAtlas();

    const reply = await atlas.get("/populations");

    expect(reply.status).toBe(404);
    expect(reply.body.error.message).toContain("/populations");
  });

  test("a path asked with the wrong method says which is right", async () => {
    await using atlas = await openAtlas();

    const reply = await atlas.get("/distance");

    expect(reply.status).toBe(405);
    expect(reply.body.error.message).toContain("POST");
  });

  test("a body that is not JSON is refused", async () => {
    await using atlas = await startAtlas({ token: "t" });

    const response = await fetch(`${atlas.url}/text/sort`, {
      method: "POST",
      headers: { authorization: "Bearer t" },
      body: "{items",
    });

    expect(response.status).toBe(400);
  });

  test("a body above a mebibyte is refused", async () => {
    await using atlas = await openAtlas();

    const reply = await atlas.post("/text/sort", { items: ["x".repeat(1_100_000)] });

    expect(reply.status).toBe(413);
  });

  test("a parameter out of range is named, and so is one that does not exist", async () => {
    await using atlas = await openAtlas();

    const reply = await atlas.get("/countries", { limit: 0, colour: "red" });

    expect(reply.status).toBe(422);
    expect(reply.body.error.message).toContain("limit");
    expect(reply.body.error.message).toContain("colour");
  });

  test("a path segment that is not URL-encoded is refused", async () => {
    await using atlas = await openAtlas();

    const reply = await atlas.get("/country/%E0%A4%A");

    expect(reply.status).toBe(400);
  });
});

describe("answers on demand", () => {
  test.each([200, 201, 302, 400, 401, 402, 404, 409, 429, 500, 503, 599])("answers %i when asked to", async (code) => {
    await using atlas = await startAtlas({ token: "t" });

    const response = await fetch(`${atlas.url}/status/${code}`, {
      headers: { authorization: "Bearer t" },
      redirect: "manual",
    });

    expect(response.status).toBe(code);
    expect(await response.json()).toBeTypeOf("object");
  });

  test.each([204, 205, 304])("answers %i without a body", async (code) => {
    await using atlas = await openAtlas();

    const reply = await atlas.get(`/status/${code}`);

    expect(reply).toMatchObject({ status: code, text: "", body: undefined });
  });

  test("an error has a message", async () => {
    await using atlas = await openAtlas();

    const reply = await atlas.get("/status/404");

    expect(reply.body.error.message).toContain("404");
  });

  test("a delay is kept", async () => {
    await using atlas = await openAtlas();
    const startedMs = performance.now();

    const reply = await atlas.get("/status/200", { delayMs: 200 });

    expect(reply.status).toBe(200);
    expect(performance.now() - startedMs).toBeGreaterThan(190);
  });

  test("statuses that HTTP does not have are refused", async () => {
    await using atlas = await openAtlas();

    const reply = await atlas.get("/status/600");

    expect(reply.status).toBe(422);
  });
});

test("closing ends requests that wait and jobs that run", async () => {
  const atlas = await openAtlas();
  const waiting = atlas.get("/status/200", { delayMs: 10_000 }).catch((error: unknown) => error);
  await atlas.post("/reports/time-zones", { fromYear: 1900, toYear: 2100 });

  await atlas.close();

  expect(await waiting).toBeInstanceOf(Error);
  await expect(fetch(atlas.url)).rejects.toThrow("fetch failed");
});

test("closing twice is the same as closing once", async () => {
  const atlas = await openAtlas();

  await atlas.close();

  await expect(atlas.close()).resolves.toBeUndefined();
});
