import type { MarketQuoter, Provider, ResourceKeeper, SecretVerifier, ToolLister } from "./protocol/provider.ts";

type Everything = Provider & ResourceKeeper & ToolLister & MarketQuoter & SecretVerifier;

export interface LateProvider extends Everything, AsyncDisposable {
  /** Creates it before the first call. Rejects as `make` does; the next call tries again. */
  load(): Promise<void>;
}

/** A provider that is created by `load` or by the first call: nothing before a start needs it. */
export function lateProvider(make: () => Promise<Everything>): LateProvider {
  let made: Promise<Everything> | undefined;
  /** From then on, a call takes no turn to find it. */
  let ready: Everything | undefined;
  const provider = () =>
    (made ??= make().then(
      (one) => (ready = one),
      (error: unknown) => {
        // The cause may have been temporary: a cached failure would fail every later run.
        made = undefined;
        throw error;
      },
    ));
  return {
    load: async () => void (await provider()),
    start: async (request, options) => await (ready ?? (await provider())).start(request, options),
    poll: async (request, job, options) => await (ready ?? (await provider())).poll(request, job, options),
    stop: async (request, job, options) => (await provider()).stop(request, job, options),
    verify: async (kind, resource, options) => (await provider()).verify(kind, resource, options),
    giveBack: async (kind, resource, options) => (await provider()).giveBack(kind, resource, options),
    quoteAtMarket: async (request, options) => (await provider()).quoteAtMarket(request, options),
    verifySecrets: async (check, options) => (await provider()).verifySecrets(check, options),
    listTools: async (entry, options) => (await provider()).listTools(entry, options),
    close: async () => (await made?.catch(() => undefined))?.close(),
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
