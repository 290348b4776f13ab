import type { Provider, ResourceKeeper } from "./provider.ts";

/** A provider that is made with the first call to it: a start needs nothing of what calls providers. */
export function lateProvider(make: () => Promise<Provider & ResourceKeeper>): Provider & ResourceKeeper {
  let made: Promise<Provider & ResourceKeeper> | undefined;
  const provider = () => (made ??= make());
  return {
    start: async (request, options) => (await provider()).start(request, options),
    poll: async (request, job, options) => (await provider()).poll(request, job, options),
    stop: async (request, job, options) => (await provider()).stop(request, job, options),
    verify: async (kind, resource, options) => (await provider()).verify(kind, resource, options),
    giveBack: async (kind, resource, options) => (await provider()).giveBack(kind, resource, options),
    close: async () => (await made)?.close(),
  };
}
