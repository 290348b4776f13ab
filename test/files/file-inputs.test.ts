import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";

/** One endpoint for each way in which providers take a file. */
function filesManifest(baseUrl: string): object {
  const endpoint = (request: object, properties: object, required: readonly string[] = []) => ({
    description: "Takes a file.",
    request: { method: "POST", path: "/take", ...request },
    input: { body: { required, properties } },
    price: { type: "PER_CALL", amount: 0.001 },
  });
  const file = { type: "string", format: "binary" };
  return {
    displayName: "Files",
    http: { baseUrl, allowPrivateNetwork: true },
    endpoints: {
      "/form": endpoint(
        { encoding: "multipart" },
        {
          image: { ...file, contentMediaType: "image/png" },
          more: { type: "array", items: file },
          title: { type: "string" },
        },
        ["image"],
      ),
      "/raw": endpoint(
        { encoding: "bytes", bodyField: "data" },
        { data: { type: "string", contentEncoding: "base64" } },
      ),
      "/json": endpoint({}, { data: { type: "string", format: "byte" }, account: { type: "string" } }),
    },
  };
}

let upstream: FakeProvider;
let daemon: TestDaemon;
let folder: ReturnType<typeof tempDir>;
beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("POST /take", { json: { ok: true } });
  daemon = await startTestDaemon({ manifests: { files: filesManifest(upstream.url) } });
  folder = tempDir();
  writeFileSync(join(folder.path, "photo.JPG"), bytes);
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** Every byte, and no valid UTF-8. */
const bytes = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, index) => index)), randomBytes(5_000)]);

const at = (name: string) => join(folder.path, name);
const mkt = async (words: readonly string[]) =>
  await runMkt(words, { env: { MKT_API_KEY: daemon.key, MKT_API_URL: daemon.url } });
const lastCall = () => upstream.calls.at(-1) ?? expect.fail("nothing came");
const formOf = async () =>
  await new Response(lastCall().bytes, {
    headers: { "content-type": lastCall().headers["content-type"] ?? "" },
  }).formData();

describe("field=@path gives a file", () => {
  test("to a form, with its name and media type, byte for byte", async () => {
    const { exitCode } = await mkt(["run", "files/form", `image=@${at("photo.JPG")}`, "title=@home"]);

    const form = await formOf();
    const image = form.get("image") as File;
    expect(exitCode).toBe(0);
    expect([image.name, image.type]).toEqual(["photo.JPG", "image/jpeg"]);
    expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);
    expect(form.get("title")).toBe("@home");
  });

  test("to a list of files, one for each word", async () => {
    writeFileSync(at("a.bin"), "a");
    await mkt([
      "run",
      "files/form",
      `image=@${at("a.bin")}`,
      `more=@${at("photo.JPG")}`,
      `--body`,
      `more=@${at("a.bin")}`,
    ]);

    const more = (await formOf()).getAll("more") as File[];
    expect(more.map(({ name, size }) => [name, size])).toEqual([
      ["photo.JPG", bytes.length],
      ["a.bin", 1],
    ]);
  });

  test("as the whole body", async () => {
    await mkt(["run", "files/raw", `data=@${at("photo.JPG")}`]);

    expect(lastCall().bytes.equals(bytes)).toBe(true);
    expect(lastCall().headers["content-type"]).toBe("application/octet-stream");
  });

  test("as base64 in JSON; a field that is no file keeps its text", async () => {
    await mkt(["run", "files/json", `data=@${at("photo.JPG")}`, "account=@alice"]);

    expect(lastCall().json).toEqual({ data: bytes.toString("base64"), account: "@alice" });
  });

  test("from standard input with @-", async () => {
    await runMkt(["run", "files/json", "data=@-"], {
      env: { MKT_API_KEY: daemon.key, MKT_API_URL: daemon.url },
      stdin: "of a pipe",
    });

    expect(lastCall().json).toEqual({ data: Buffer.from("of a pipe").toString("base64") });
  });

  test.each([
    ["absent.png", "does not exist"],
    ["folder", "is a folder; name one file"],
    ["", "names no file"],
    ["huge.bin", "has more than the 12500000 bytes that a run can take"],
  ])("%s is refused before anything is sent", async (name, message) => {
    mkdirSync(at("folder"), { recursive: true });
    if (name === "huge.bin") writeFileSync(at(name), Buffer.alloc(12_500_001));
    const before = upstream.calls.length;

    const { exitCode, stderr } = await mkt(["run", "files/raw", `data=@${name === "" ? "" : at(name)}`]);

    expect(exitCode).toBe(name === "" ? 2 : 5);
    expect(stderr).toContain(message);
    expect(upstream.calls).toHaveLength(before);
  });

  test("that is larger than the service takes is refused with the setting's name", async () => {
    writeFileSync(at("large.bin"), Buffer.alloc(2_000_000));

    const { exitCode, stderr } = await mkt(["run", "files/raw", `data=@${at("large.bin")}`]);

    expect(exitCode).toBe(5);
    expect(stderr).toContain("at most 1048576 bytes, which its operator sets with MKT_MAX_BODY_BYTES");
  });

  test("is not read for the rows of a batch: their files are base64", async () => {
    writeFileSync(at("rows.csv"), `data\n@${at("photo.JPG")}\n`);
    const before = upstream.calls.length;

    const { stderr } = await mkt(["batch", "files/json", at("rows.csv")]);

    expect(stderr).toContain('Input "data" is a file, and none is read here: give its bytes in base64');
    expect(upstream.calls).toHaveLength(before);
  });
});

test("inspect says which inputs are files", async () => {
  const { stdout } = await runMkt(["inspect", "files/form"], {
    env: { MKT_API_KEY: daemon.key, MKT_API_URL: daemon.url },
    tty: true,
  });

  expect(stdout).toContain("file, as @path or in base64");
  expect(stdout).toContain("image=@<path>");
});

test("over HTTP a file is base64, with a name and a type where a form takes them", async () => {
  const image = { base64: bytes.toString("base64"), filename: "../../x\r\ny.png", contentType: "image/png" };
  const { status } = await daemon.request("POST", "/v1/run", {
    provider: "files",
    endpoint: "/form",
    input: { image },
  });

  expect(status).toBe(200);
  expect(lastCall().text).toContain('filename="../../x%0D%0Ay.png"');
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(
    createHash("sha256")
      .update(Buffer.from(await ((await formOf()).get("image") as File).arrayBuffer()))
      .digest("hex"),
  );
});
