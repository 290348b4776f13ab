import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { Connection, Connections, ConnectionTarget } from "./sending/connections.ts";
import type { Redactor } from "../redaction/redact.ts";
import { RequestError } from "../manifest/request-error.ts";

/** The address of a built-in provider, and the token that it accepts. */
export interface BuiltinOrigin {
  readonly url: string;
  readonly token: string;
}

/** The actual address of an endpoint. */
export interface ProviderHome {
  readonly baseUrl: string;
  readonly connection: Connection;
  /** Present for built-in providers: the only credential that they receive. */
  readonly builtinToken?: string;
}

const BUILTIN = "builtin:";

export interface ProviderHomesParts {
  readonly connections: Connections;
  readonly builtinOrigin: (name: string) => Promise<BuiltinOrigin>;
  readonly redactor: Redactor;
}

/** Resolves an endpoint's base address to a connection; starts built-in providers on first use. */
export class ProviderHomes {
  readonly #parts: ProviderHomesParts;

  constructor(parts: ProviderHomesParts) {
    this.#parts = parts;
  }

  /** Rejects with RequestError when a built-in provider cannot be started; at once for all others. */
  of(entry: Pick<CatalogEntry, "http" | "provider">): ProviderHome | Promise<ProviderHome> {
    const { baseUrl, allowPrivateNetwork } = entry.http;
    const target = { provider: entry.provider.provider, version: entry.provider, allowPrivateNetwork };
    if (!baseUrl.startsWith(BUILTIN)) return { baseUrl, connection: this.#parts.connections.to(target) };
    return this.#ofBuiltin(baseUrl, target);
  }

  async #ofBuiltin(baseUrl: string, target: ConnectionTarget): Promise<ProviderHome> {
    const { connections, redactor } = this.#parts;
    const { url, token } = await this.#start(baseUrl.slice(BUILTIN.length));
    redactor.remember(token);
    const connection = connections.to({ ...target, builtinHost: new URL(url).host });
    return { baseUrl: url, connection, builtinToken: token };
  }

  async #start(name: string): Promise<BuiltinOrigin> {
    try {
      return await this.#parts.builtinOrigin(name);
    } catch (cause) {
      throw new RequestError(`the built-in provider ${name} could not be started`, { cause });
    }
  }
}
