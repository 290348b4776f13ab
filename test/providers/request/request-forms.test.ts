import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toMultipart } from "../../../daemon/providers/request/multipart-body.ts";
import type { FakeCall } from "../../support/fake-provider.ts";
import { type OneEndpointParts, serveOneEndpoint } from "../../support/one-endpoint.ts";

const any = {};

/** An endpoint that takes whatever the query parameters of `properties` are. */
function queryEndpoint(properties: object, request: object = {}): OneEndpointParts {
  return { request, endpoint: { input: { queryParams: { properties } } } };
}

function bodyEndpoint(properties: object, request: object = {}, required: readonly string[] = []): OneEndpointParts {
  return { request: { method: "POST", ...request }, endpoint: { input: { body: { properties, required } } } };
}

/** A form as a standard parser reads it. */
async function formOf({ bytes, headers }: Pick<FakeCall, "bytes" | "headers">): Promise<FormData> {
  const type = headers["content-type"] ?? "";
  return await new Response(Uint8Array.from(bytes), { headers: { "content-type": type } }).formData();
}

describe("a query parameter with a style", () => {
  const color = { R: 100, G: 200 };
  const list = ["a b", "c,d", "e|f"];
  test.each([
    ["repeat", list, "v=a%20b&v=c%2Cd&v=e%7Cf"],
    ["brackets", list, "v%5B%5D=a%20b&v%5B%5D=c%2Cd&v%5B%5D=e%7Cf"],
    ["comma", list, "v=a%20b,c%2Cd,e%7Cf"],
    ["pipes", list, "v=a%20b%7Cc%2Cd%7Ce%7Cf"],
    ["spaces", list, "v=a%20b%20c%2Cd%20e%7Cf"],
    ["tabs", list, "v=a%20b%09c%2Cd%09e%7Cf"],
    ["json", ["a", 1], "v=%5B%22a%22%2C1%5D"],
    ["flat", list, "v=a%20b&v=c%2Cd&v=e%7Cf"],
    ["comma", color, "v=R,100,G,200"],
    ["pipes", color, "v=R%7C100%7CG%7C200"],
    ["brackets", color, "v%5BR%5D=100&v%5BG%5D=200"],
    ["repeat", color, "v%5BR%5D=100&v%5BG%5D=200"],
    ["flat", color, "R=100&G=200"],
    ["json", color, "v=%7B%22R%22%3A100%2C%22G%22%3A200%7D"],
    ["comma", { tags: ["a", "b"] }, "v=tags,%5B%22a%22%2C%22b%22%5D"],
    ["flat", { tags: ["a", "b"], none: null }, "tags=a&tags=b"],
    ["comma", "a,b", "v=a%2Cb"],
    ["json", "a", "v=%22a%22"],
    ["comma", [], ""],
    ["comma", [null, 1, null], "v=1"],
  ])("%s sends %j as %s", async (style, value, query) => {
    await using served = await serveOneEndpoint(queryEndpoint({ v: any }, { styles: { v: style } }));

    const call = await served.send({ v: value });

    expect(call.url).toBe(query === "" ? "/it" : `/it?${query}`);
  });

  test("goes over the arrays of its provider, and the others follow these", async () => {
    const parts = queryEndpoint({ v: any, w: any }, { styles: { v: "pipes" } });
    await using served = await serveOneEndpoint({ ...parts, http: { query: { arrays: "comma" } } });

    const call = await served.send({ v: [1, 2], w: [3, 4] });

    expect(call.url).toBe("/it?v=1%7C2&w=3,4");
  });

  test.each([
    ["of the key", { appid: "mine" }],
    ["of a fixed parameter", { source: "mine" }],
    ["of another parameter", { w: 1 }],
  ])("that is flat cannot bring a second value under the name %s", async (_, v) => {
    const parts = queryEndpoint({ v: any, w: any }, { styles: { v: "flat" }, queryParams: { source: "fixed" } });
    const auth = { type: "apiKey", in: "query", name: "appid", value: "the-key" };
    await using served = await serveOneEndpoint({ ...parts, http: { auth } });

    await expect(served.send({ v, w: 2 })).rejects.toThrow("is the name of another field of this call");
    const call = await served.send({ v: { R: 1 }, w: 2 });

    expect(call.url).toBe("/it?source=fixed&R=1&w=2&appid=the-key");
  });

  test("may have any name, also one of every object", async () => {
    const properties = { toString: any, "filter[tag]": any, "a.b": any };
    const styles = { toString: "comma", "filter[tag]": "pipes", "a.b": "comma" };
    await using served = await serveOneEndpoint(queryEndpoint(properties, { styles }));

    const call = await served.send({ toString: [1, 2], "filter[tag]": ["x", "y"], "a.b": [3] });

    expect(call.url).toBe("/it?toString=1,2&filter%5Btag%5D=x%7Cy&a.b=3");
  });

  test("of a form is spelled alike", async () => {
    const request = { encoding: "form", styles: { list: "spaces", near: "brackets", raw: "json" } };
    await using served = await serveOneEndpoint(bodyEndpoint({ list: any, near: any, raw: any, plain: any }, request));

    const call = await served.send({ list: ["a", "b c"], near: { lat: 1 }, raw: { x: [1] }, plain: ["p", "q"] });

    expect([...new URLSearchParams(call.text)]).toEqual([
      ["list", "a b c"],
      ["near[lat]", "1"],
      ["raw", '{"x":[1]}'],
      ["plain", "p"],
      ["plain", "q"],
    ]);
  });
});

describe("a path parameter that is", () => {
  const pathEndpoint = (styles: object): OneEndpointParts => ({
    request: { path: "/v1/{v}/end", styles },
    endpoint: { input: { pathParams: { required: ["v"], properties: { v: any } } } },
  });

  test.each([
    ["a list", {}, ["a/b", 2], "/v1/a%2Fb,2/end"],
    ["an object", {}, { R: 100, G: 200 }, "/v1/R,100,G,200/end"],
    ["an object of pairs", { v: "pairs" }, { "a=b": "x y", G: 200 }, "/v1/a%3Db=x%20y,G=200/end"],
    ["a list with the style pairs", { v: "pairs" }, [1, 2], "/v1/1,2/end"],
  ])("%s stays in its one segment", async (_, styles, value, path) => {
    await using served = await serveOneEndpoint(pathEndpoint(styles));

    const call = await served.send({ v: value });

    expect(call.url).toBe(path);
  });

  test.each([[["a", ".."]], [[]], [{}], [[["a"]]], [{ a: { b: 1 } }], [["a\nb"]], [["", "b"]]])(
    "%j is refused before anything is held, and the provider not called (docs/security.md, T7)",
    async (value) => {
      await using served = await serveOneEndpoint(pathEndpoint({}));

      const answer = await served.run({ v: value });

      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain("pathParams.v");
      expect(served.vendor.calls).toEqual([]);
    },
  );
});

describe("a header parameter", () => {
  const properties = {
    "X-Request-Id": { type: "string" },
    "Accept-Language": { type: "string", default: "en" },
    "x.tags": { type: "array", items: { type: "string" } },
    q: { type: "string" },
  };
  const headers = Object.fromEntries(
    ["X-Request-Id", "Accept-Language", "x.tags"].map((name) => [name, `\${input.queryParams.${name}}`]),
  );

  test("is sent in its header and not in the query", async () => {
    await using served = await serveOneEndpoint(queryEndpoint(properties, { headers }));

    const call = await served.send({ "X-Request-Id": "r 1", "x.tags": ["a", "b"], q: "rain" });

    expect(call.url).toBe("/it?q=rain");
    expect(call.headers).toMatchObject({ "x-request-id": "r 1", "accept-language": "en", "x.tags": "a,b" });
  });

  test("that is not given leaves no header", async () => {
    await using served = await serveOneEndpoint(queryEndpoint(properties, { headers }));

    const call = await served.send({});

    expect(Object.keys(call.headers)).not.toContain("x-request-id");
    expect(call.url).toBe("/it");
  });

  test("that is required is asked for, and no line break gets into it (docs/security.md, T8)", async () => {
    const input = { queryParams: { properties, required: ["X-Request-Id"] } };
    await using served = await serveOneEndpoint({ request: { headers }, endpoint: { input } });

    const missing = await served.run({});
    const broken = await served.run({ "X-Request-Id": "a\r\nx-evil: 1" });

    expect(missing).toMatchObject({ status: 400, body: { message: "queryParams.X-Request-Id is required" } });
    expect(broken.status).toBe(400);
    expect(served.vendor.calls).toEqual([]);
  });

  test.each([
    ["comma", "R,100,G,200"],
    ["pairs", "R=100,G=200"],
    ["json", '{"R":100,"G":200}'],
  ])("that is an object goes by its style %s", async (style, text) => {
    const request = { headers: { "X-Color": "${input.queryParams.color}" }, styles: { color: style } };
    await using served = await serveOneEndpoint(queryEndpoint({ color: any }, request));

    const call = await served.send({ color: { R: 100, G: 200 } });

    expect(call.headers["x-color"]).toBe(text);
    expect(call.url).toBe("/it");
  });

  test("in the middle of other text stays a parameter of the query too", async () => {
    const request = { headers: { "X-Trace": "id=${input.queryParams.q}" } };
    await using served = await serveOneEndpoint(queryEndpoint(properties, request));

    const call = await served.send({ q: "rain" });

    expect(call.headers["x-trace"]).toBe("id=rain");
    expect(call.url).toContain("q=rain");
  });
});

describe("a field that is the whole body", () => {
  test.each([
    ["a list", [{ id: 1 }, { id: 2 }], '[{"id":1},{"id":2}]'],
    ["a number", 5, "5"],
    ["a text", "plain", '"plain"'],
    ["nothing", null, "null"],
  ])("may be %s of JSON", async (_, value, text) => {
    await using served = await serveOneEndpoint(bodyEndpoint({ items: any }, { bodyField: "items" }));

    const call = await served.send({ body: { items: value } });

    expect(call.text).toBe(text);
    expect(call.headers["content-type"]).toBe("application/json");
  });

  test("may be text, with the content type of the card", async () => {
    const request = { bodyField: "xml", encoding: "text", headers: { "Content-Type": "application/xml" } };
    await using served = await serveOneEndpoint(bodyEndpoint({ xml: { type: "string" } }, request, ["xml"]));

    const call = await served.send({ xml: "<a>é</a>" });

    expect(call.text).toBe("<a>é</a>");
    expect(call.headers["content-type"]).toBe("application/xml");
  });

  test("is plain text in UTF-8 where the card says nothing else", async () => {
    const request = { bodyField: "text", encoding: "text" };
    await using served = await serveOneEndpoint(bodyEndpoint({ text: any }, request));

    const call = await served.send({ text: "snow ☃" });

    expect(call.text).toBe("snow ☃");
    expect(call.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  test("may be bytes, given as base64", async () => {
    const request = { bodyField: "image", encoding: "bytes", method: "PUT" };
    await using served = await serveOneEndpoint(bodyEndpoint({ image: { type: "string" } }, request, ["image"]));
    const bytes = Buffer.from([0, 255, 13, 10, 128]);

    const call = await served.send({ image: bytes.toString("base64") });
    const refused = await served.run({ image: "no base64!" });

    expect(call.bytes.equals(bytes)).toBe(true);
    expect(call.headers["content-type"]).toBe("application/octet-stream");
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.message).toBe("body.image is sent as bytes and must be base64 text");
    expect(served.vendor.calls).toHaveLength(1);
  });

  test("that is left out sends no body", async () => {
    await using served = await serveOneEndpoint(bodyEndpoint({ items: any }, { bodyField: "items" }));

    const call = await served.send({});

    expect(call.bytes).toHaveLength(0);
    expect(call.headers).not.toHaveProperty("content-type");
  });
});

describe("a multipart form", () => {
  const image = Buffer.from([0x89, 0x50, 0, 13, 10, 0x2d, 0x2d]);
  const file = { type: "string", format: "binary", description: "The picture" };

  test("has text, files and JSON as a standard parser reads them", async () => {
    const properties = {
      title: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      meta: { type: "object" },
      picture: { ...file, contentMediaType: "image/png" },
      pages: { type: "array", items: { type: "string", contentEncoding: "base64" } },
    };
    await using served = await serveOneEndpoint(bodyEndpoint(properties, { encoding: "multipart" }));

    const call = await served.send({
      title: "Café",
      tags: ["a", "b"],
      meta: { deep: [1] },
      picture: image.toString("base64"),
      pages: [{ base64: "YQ==", filename: "a.txt", contentType: "text/plain" }, "Yg=="],
    });

    const form = await formOf(call);
    const picture = form.get("picture") as File;
    const pages = form.getAll("pages") as File[];
    expect(form.get("title")).toBe("Café");
    expect(form.getAll("tags")).toEqual(["a", "b"]);
    expect(form.get("meta")).toBe('{"deep":[1]}');
    expect(call.text).toContain('name="meta"\r\nContent-Type: application/json\r\n');
    expect(picture).toMatchObject({ name: "picture", type: "image/png" });
    expect(Buffer.from(await picture.arrayBuffer()).equals(image)).toBe(true);
    expect(pages.map(({ name, type }) => [name, type])).toEqual([
      ["a.txt", "text/plain"],
      ["pages", "application/octet-stream"],
    ]);
    expect(await Promise.all(pages.map((page) => page.text()))).toEqual(["a", "b"]);
  });

  test("spells its fields by style", async () => {
    const request = { encoding: "multipart", styles: { meta: "brackets", list: "comma" } };
    await using served = await serveOneEndpoint(bodyEndpoint({ meta: any, list: any }, request));

    const form = await formOf(await served.send({ meta: { a: 1 }, list: [1, 2] }));

    expect([...form]).toEqual([
      ["meta[a]", "1"],
      ["list", "1,2"],
    ]);
  });

  test("takes a shared schema for a file, and says in inspect how one is given", async () => {
    const parts = bodyEndpoint({ picture: { $ref: "#/schemas/Picture" } }, { encoding: "multipart" });
    await using served = await serveOneEndpoint({ ...parts, file: { schemas: { Picture: file } } });

    const form = await formOf(await served.send({ picture: { base64: "YQ==", filename: "a.png" } }));
    const shown = await served.daemon.client.inspectEndpoint({ body: { provider: "vendor", endpoint: "/it" } });

    expect(form.get("picture")).toMatchObject({ name: "a.png" });
    expect(shown.input?.bodyType).toBe("multipart");
    expect(JSON.stringify(shown.input?.body)).toContain("The file with its name and its media type.");
  });

  test.each([
    ["no base64", { picture: "?" }, "body.picture is sent as bytes and must be base64 text"],
    [
      "a line break in its media type",
      { picture: { base64: "YQ==", contentType: "a/b\r\nx: y" } },
      "body.picture.contentType is not a media type such as image/png",
    ],
    [
      "line breaks between the parts of its media type",
      { picture: { base64: "YQ==", contentType: "a/b\r\n\r\n;x=y" } },
      "body.picture.contentType is not a media type such as image/png",
    ],
  ])("with %s is refused before anything is held", async (_, input, message) => {
    await using served = await serveOneEndpoint(bodyEndpoint({ picture: file }, { encoding: "multipart" }));

    const answer = await served.run(input);

    expect(answer).toMatchObject({ status: 400, body: { message } });
    expect(served.vendor.calls).toEqual([]);
  });

  test("sends the same bytes when the call is repeated", async () => {
    const request = { encoding: "multipart", idempotency: { header: "Idempotency-Key" } };
    await using served = await serveOneEndpoint(bodyEndpoint({ picture: file }, request));
    served.vendor.on("POST /it", { status: 503 }, { json: {} });

    await served.send({ picture: "YQ==" });
    const [first, second] = served.vendor.calls;

    expect(served.vendor.calls).toHaveLength(2);
    expect(second?.headers["content-type"]).toBe(first?.headers["content-type"]);
    expect(second?.text).toBe(first?.text);
  });

  test("is read as it was meant, whatever names and texts are in it", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (name, filename, content) => {
        const { content: bytes, contentType } = toMultipart([
          { name, content },
          { name: "file", content, filename, contentType: "text/plain" },
        ]);

        const form = await formOf({ bytes, headers: { "content-type": contentType } });

        const values = [...form.values()];
        expect(values).toHaveLength(2);
        expect(values[0]).toBe(content);
        expect(await new Response(values[1]).text()).toBe(content);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a body where none is usual", () => {
  test.each(["GET", "DELETE"])("is sent with %s when the encoding says so", async (method) => {
    await using served = await serveOneEndpoint(bodyEndpoint({ ids: any }, { method, encoding: "json" }));

    const call = await served.send({ ids: [1, 2] });

    expect(call).toMatchObject({ method, text: '{"ids":[1,2]}' });
    expect(call.headers["content-type"]).toBe("application/json");
  });
});
