import { EnvHttpProxyAgent, request as send } from "undici";
import { ProxyError } from "./proxy-error.ts";
import type { NamedProxy } from "./proxy.ts";
import { CUT_SHORT, readHeaders, type Transport } from "./transport.ts";

/**
 * Sends through a proxy: https through a tunnel (CONNECT), http as a proxy request; but directly to `directHosts`,
 * which are written as in NO_PROXY. One connection for each request. Rejects with {@link ProxyError} when the proxy
 * fails.
 */
export function proxyTransport(proxy: NamedProxy, directHosts: string): Transport {
  return async (request) => {
    const address = addressOf(proxy);
    const options = { httpProxy: proxy.url, httpsProxy: proxy.url, noProxy: directHosts, proxyTunnel: false };
    const dispatcher = new EnvHttpProxyAgent(options);
    try {
      const { statusCode, headers, body } = await send(request.url, {
        dispatcher,
        method: request.method as "GET",
        headers: request.headers,
        body: request.body ?? null,
        signal: request.signal ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return { status: statusCode, headers: readHeaders(headers), body: wholeBody(body, dispatcher, request.signal) };
    } catch (error) {
      await dispatcher.destroy();
      throw request.signal?.aborted ? request.signal.reason : toProxyError(error, address, proxy);
    }
  };
}

function addressOf({ url, from }: NamedProxy): URL {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url);
  throw new ProxyError(`${from} must be the address of a proxy, such as http://proxy.example:3128`, { from });
}

/** The error, converted to an error of the proxy if it is one. The proxy's user name and password are left out. */
function toProxyError(cause: unknown, address: URL, { from }: NamedProxy): unknown {
  if (!(cause instanceof Error)) return cause;
  const name = `the proxy ${address.protocol}//${address.host} (${from})`;
  const [, status] = /Proxy response \((\d+)\)/.exec(cause.message) ?? [];
  if (status !== undefined) {
    return new ProxyError(`${name} refused the connection with ${status}`, { from, status: Number(status), cause });
  }
  if (!isAbout(cause, address)) return cause;
  return new ProxyError(`${name} cannot be reached: ${cause.message || String(codeOf(cause))}`, { from, cause });
}

/** Whether a failed connection was to this address, according to the details that Node and undici add. */
function isAbout(error: Error, { hostname, port, protocol }: URL): boolean {
  const wantedPort = port || (protocol === "https:" ? "443" : "80");
  const { port: failedPort, hostname: failedHost, errors } = error as NodeError;
  if (failedHost !== undefined) return failedHost === hostname;
  if (failedPort !== undefined) return String(failedPort) === wantedPort;
  if (errors !== undefined)
    return errors.some((one) => isAbout(one, new URL(`${protocol}//${hostname}:${wantedPort}`)));
  return error.message.includes(`${hostname}:${wantedPort}`);
}

interface NodeError extends Error {
  port?: number;
  hostname?: string;
  errors?: readonly Error[];
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : error.name;
}

async function* wholeBody(
  body: AsyncIterable<Uint8Array>,
  dispatcher: EnvHttpProxyAgent,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw signal?.aborted ? signal.reason : new Error(CUT_SHORT, { cause });
  } finally {
    await dispatcher.destroy();
  }
}
