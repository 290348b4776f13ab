import { type FakeCall, type FakeProvider, startFakeProvider } from "./fake-provider.ts";
import type { Answer } from "./request.ts";
import { startTestDaemon, type TestDaemon } from "./start-daemon.ts";

/** A real daemon that serves one endpoint, `/it` of the provider `vendor`, and a real upstream that it calls. */
export interface OneEndpoint extends AsyncDisposable {
  readonly vendor: FakeProvider;
  readonly daemon: TestDaemon;
  /** Runs the endpoint and gives the daemon's answer. */
  run(input?: unknown): Promise<Answer>;
  /** Runs the endpoint, which must succeed, and gives what the upstream got. */
  send(input?: unknown): Promise<FakeCall>;
}

export interface OneEndpointParts {
  readonly request?: object;
  /** Further members of the endpoint. */
  readonly endpoint?: object;
  /** Of the provider, beside its address. */
  readonly http?: object;
  /** Further members of the file. */
  readonly file?: object;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * What nothing else is scripted for is answered 200 with `{"ok": true}`. The parts may be made of the upstream's address.
 */
export async function serveOneEndpoint(
  given: OneEndpointParts | ((upstream: string) => OneEndpointParts),
): Promise<OneEndpoint> {
  const vendor = await startFakeProvider();
  const parts = typeof given === "function" ? given(vendor.url) : given;
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
    vendor.on(`${method} /*`, { json: { ok: true } });
  }
  const manifest = {
    http: { baseUrl: vendor.url, allowPrivateNetwork: true, retry: { backoffMs: 1 }, ...parts.http },
    endpoints: {
      "/it": { request: { method: "GET", ...parts.request }, price: { type: "FREE" }, ...parts.endpoint },
    },
    ...parts.file,
  };
  const { environment } = parts;
  const daemon = await startTestDaemon({ manifests: { vendor: manifest }, ...(environment && { environment }) });
  const run = async (input?: unknown) =>
    await daemon.request("POST", "/v1/run", { provider: "vendor", endpoint: "/it", input });
  return {
    vendor,
    daemon,
    run,
    async send(input) {
      const before = vendor.calls.length;
      const answer = await run(input);
      const call = vendor.calls[before];
      if (answer.status !== 200 || call === undefined) throw new Error(`not sent: ${JSON.stringify(answer.body)}`);
      return call;
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}
