import type { Clock } from "../../daemon/base/clock.ts";
import { startAtlas } from "../../daemon/atlas/atlas-server.ts";
import { type Answer, request, type RequestOptions } from "./request.ts";

const TOKEN = "token-of-a-test";

/** A running atlas with a client that knows its token. */
export interface OpenAtlas extends AsyncDisposable {
  readonly url: string;
  get(path: string, query?: Readonly<Record<string, string | number | readonly string[]>>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts atlas on a free port. */
export async function openAtlas({ clock }: { clock?: Clock } = {}): Promise<OpenAtlas> {
  const atlas = await startAtlas({ token: TOKEN, ...(clock === undefined ? {} : { clock }) });
  const send = async (method: string, path: string, options: RequestOptions = {}) =>
    await request(atlas.url + path, method, { key: TOKEN, ...options });
  return {
    url: atlas.url,
    get: (path, query = {}) => send("GET", path + toSearch(query)),
    post: (path, body, headers) => send("POST", path, { body, headers }),
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
