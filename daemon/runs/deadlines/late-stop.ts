import type { Logger } from "../../base/logger.ts";
import type { RunId } from "../../base/ids.ts";
import { linkSignals } from "../../../shared/linked-signal.ts";
import type { Provider, ProviderJob, ProviderRequest } from "../../providers/protocol/provider.ts";

/** How long a provider may take to answer a stop. */
export const STOP_TIMEOUT_MS = 10_000;

/** Nobody needs a job past its deadline. Telling the provider is a courtesy, and nothing waits for it; never rejects. */
export async function stopLateJob(
  { provider, logger }: { readonly provider: Provider; readonly logger: Logger },
  {
    runId,
    request,
    job,
  }: { readonly runId: RunId; readonly request: () => ProviderRequest; readonly job: ProviderJob },
): Promise<void> {
  const { signal, release } = linkSignals([], STOP_TIMEOUT_MS);
  try {
    await provider.stop(request(), job, { signal });
  } catch (error) {
    logger.warn({ err: error, runId }, "a late job could not be stopped");
  } finally {
    release();
  }
}
