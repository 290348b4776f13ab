import type { Transport } from "../../shared/client/transport.ts";

/**
 * Tells each request when its answer begins, as `POST http://…/v1/run: 200 (request 01J…) in 12 ms`. Headers and bodies are
 * left out: keys and secrets are in them.
 */
export function tracedTransport(transport: Transport, tell: (line: string) => Promise<void>): Transport {
  return async (request) => {
    const startedAt = performance.now();
    const told = (outcome: string) =>
      tell(`${request.method} ${request.url}: ${outcome} in ${Math.round(performance.now() - startedAt)} ms`);
    try {
      const answer = await transport(request);
      const requestId = answer.headers["x-request-id"];
      await told(`${answer.status}${requestId === undefined ? "" : ` (request ${requestId})`}`);
      return answer;
    } catch (error) {
      await told("no answer");
      throw error;
    }
  };
}
