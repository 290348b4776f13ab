import { createHttpProvider, type HttpProviderParts } from "../../daemon/providers/http-provider.ts";
import { createRedactor } from "../../daemon/redaction/redact.ts";

export interface OpenProviderOptions extends Partial<Omit<HttpProviderParts, "secretsOf">> {
  readonly secrets?: Readonly<Record<string, string>>;
}

/** The HTTP provider that may call the given private hosts, with the given secrets for whatever provider asks. */
export function openHttpProvider(
  hosts: readonly string[],
  { secrets = {}, ...parts }: OpenProviderOptions = {},
): ReturnType<typeof createHttpProvider> & AsyncDisposable {
  const provider = createHttpProvider({
    secretsOf: () => secrets,
    builtinOrigin: () => Promise.reject(new Error("no built-in provider here")),
    allowPrivateHosts: new Set(hosts),
    privateHostsGranted: () => [],
    redactor: createRedactor(() => Object.values(secrets)),
    random: () => 0,
    ...parts,
  });
  return Object.assign(provider, { [Symbol.asyncDispose]: async () => await provider.close() });
}
