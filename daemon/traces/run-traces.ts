import { type HrTime, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import type { RunId } from "../base/ids.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import { type RunSteps, spansOf, type TracedSpan } from "./run-spans.ts";

export interface RunTracesOptions {
  /** Of the collector, for traces. */
  readonly url: string;
  readonly service: string;
  readonly version: string;
  /** Tells which of several daemons it was. */
  readonly instance: string;
}

interface Steps extends RunSteps {
  gates?: RunSteps["gates"];
  readonly commits: RunSteps["commits"][number][];
}

/** Runs whose steps are kept at most; of others only what their records say is traced. */
const MOST_OPEN = 50_000;
const FLAG_SAMPLED = 1;
/** With its repeats; also what the end of the daemon waits for a collector. */
const SEND_MS = 3_000;

/**
 * Sends the spans of each run to a collector when the run has ended, in batches and in the background: a collector that is slow or away
 * costs spans, and never a run.
 */
export class RunTraces implements AsyncDisposable {
  readonly #processor: BatchSpanProcessor;
  readonly #resource: Resource;
  readonly #version: string;
  readonly #open = new Map<RunId, Steps>();

  constructor({ url, service, version, instance }: RunTracesOptions) {
    this.#version = version;
    this.#resource = resourceFromAttributes({
      "service.name": service,
      "service.version": version,
      "service.instance.id": instance,
    });
    this.#processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: SEND_MS }) });
  }

  /** A request passed the gates that no money is needed for, and became a run. */
  admitted(runId: RunId, sinceMs: number): void {
    this.#stepsOf(runId).gates = { fromMs: sinceMs, toMs: Date.now() };
  }

  /** Lines became durable with one write, which took `ms`. */
  committed(lines: readonly Line[], ms: number): void {
    const toMs = Date.now();
    for (const line of lines) {
      if (!("run" in line) || typeof line.run !== "string" || !line.t.startsWith("run.")) continue;
      const runId = line.run as RunId;
      const steps = this.#stepsOf(runId);
      steps.commits.push({ fromMs: toMs - ms, toMs, line: line.t });
      if (line.t !== "run.done") continue;
      this.#open.delete(runId);
      for (const span of spansOf(line.rec, steps)) this.#processor.onEnd(this.#readable(span));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processor.shutdown().catch(() => undefined);
  }

  #stepsOf(runId: RunId): Steps {
    const known = this.#open.get(runId);
    if (known !== undefined) return known;
    const steps: Steps = { commits: [] };
    this.#open.set(runId, steps);
    // A request that was refused after it got the id of a run has no end.
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return steps;
  }

  #readable(span: TracedSpan): ReadableSpan {
    const { traceId, spanId, parentId, name, kind, attributes, hasFailed, fromMs, toMs } = span;
    const context = (id: string) => ({ traceId, spanId: id, traceFlags: FLAG_SAMPLED });
    return {
      name,
      kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
      spanContext: () => context(spanId),
      ...(parentId !== undefined && { parentSpanContext: context(parentId) }),
      startTime: hrTime(fromMs),
      endTime: hrTime(toMs),
      duration: hrTime(toMs - fromMs),
      status: { code: hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
      attributes: { ...attributes },
      links: [],
      events: [],
      ended: true,
      resource: this.#resource,
      instrumentationScope: { name: "mkt", version: this.#version },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  }
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
