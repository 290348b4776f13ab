import type { Clock } from "../../daemon/clock.ts";
import { startAtlas } from "../../daemon/atlas/atlas-server.ts";

const TOKEN = "token-of-a-test";

/** An answer of atlas: its status and its JSON, undefined when it had no body. */
export interface AtlasReply {
  readonly status: number;
  // Tests look into answers freely; what they find is what they check.
  readonly body: any;
}

/** A running atlas with a client that knows its token. */
export interface OpenAtlas extends AsyncDisposable {
  readonly url: string;
  get(path: string, query?: Readonly<Record<string, string | number | readonly string[]>>): Promise<AtlasReply>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<AtlasReply>;
  delete(path: string): Promise<AtlasReply>;
  close(): Promise<void>;
}

/** Starts atlas on a free port. */
export async function openAtlas({ clock }: { clock?: Clock } = {}): Promise<OpenAtlas> {
  const atlas = await startAtlas({ token: TOKEN, ...(clock === undefined ? {} : { clock }) });
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<AtlasReply> => {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(atlas.url + path, { ...init, method, headers });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  return {
    url: atlas.url,
    get: (path, query = {}) => send("GET", path + toSearch(query)),
    post: (path, body, headers = {}) =>
      send("POST", path, { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } }),
    delete: (path) => send("DELETE", path),
    close: () => atlas.close(),
    [Symbol.asyncDispose]: () => atlas.close(),
  };
}

function toSearch(query: Readonly<Record<string, string | number | readonly string[]>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of typeof value === "object" ? value : [value]) search.append(name, String(item));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}
