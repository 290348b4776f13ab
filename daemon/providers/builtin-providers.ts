import { randomBytes } from "node:crypto";
import type { Atlas } from "../atlas/atlas-server.ts";

export interface BuiltinProviders extends AsyncDisposable {
  /** The address and token of a built-in provider; started on first use. Rejects for an unknown name. */
  origin(name: string): Promise<{ readonly url: string; readonly token: string }>;
  close(): Promise<void>;
}

export interface BuiltinOptions {
  /** The maximum number of connections of each. */
  readonly maxConnections?: number;
}

/** The providers that are part of this package: `atlas`, which a manifest names as `builtin:atlas`. */
export function createBuiltinProviders(options: BuiltinOptions = {}): BuiltinProviders {
  const token = randomBytes(32).toString("base64url");
  let atlas: Promise<Atlas> | undefined;
  let isClosed = false;

  async function start(): Promise<Atlas> {
    // Its tables and its astronomy are loaded on first use, not with the daemon.
    const { startAtlas } = await import("../atlas/atlas-server.ts");
    return await startAtlas({ token, ...options });
  }

  return {
    async origin(name) {
      if (name !== "atlas") throw new Error(`there is no built-in provider "${name}"`);
      // Nobody would close one that a call starts now.
      if (isClosed) throw new Error("the built-in providers are closed");
      atlas ??= start().catch((error: unknown) => {
        atlas = undefined;
        throw error;
      });
      return { url: (await atlas).url, token };
    },
    async close() {
      isClosed = true;
      await (await atlas?.catch(() => undefined))?.close();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
