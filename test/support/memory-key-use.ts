import type { Clock } from "../../daemon/base/clock.ts";
import { createKeyUse, type KeyUse } from "../../daemon/identity/key-use.ts";
import { memoryDocument } from "./memory-document.ts";

/** When keys were last used, on no disk. */
export function memoryKeyUse(clock: Clock): KeyUse {
  return createKeyUse({ document: memoryDocument({ lastUsed: {} }), clock, logger: { warn: () => {} } });
}
