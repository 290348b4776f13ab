import { errorText } from "../../../shared/error-text.ts";
import type { Clock } from "../../base/clock.ts";
import { AtlasError } from "../basics/atlas-error.ts";
import type { AtlasTables } from "../tables/atlas-tables.ts";
import { createNonceSource, decodeJobId, encodeJobId } from "./job-id.ts";
import { parseInput } from "../basics/parse-input.ts";
import type { ReportKind } from "./report-kind.ts";
import type { Slices } from "../basics/slices.ts";

const MAX_UNFINISHED = 256;
const MAX_KEPT = 200;

/** A job as callers see it. `progress` is a whole number of percent. */
export interface JobView {
  readonly id: string;
  readonly kind: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly progress: number;
  readonly message?: string;
}

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly stopping: AbortController;
  /** Settles when the job has ended, successfully or not; never rejects. */
  over: Promise<void>;
  state: JobView["state"];
  progress: number;
  message?: string;
  result?: unknown;
}

/**
 * Reports under way and lately finished.
 *
 * | asked about an id    | known          | not known (atlas was restarted, or it was long ago) |
 * |----------------------|----------------|------------------------------------------------------|
 * | get                  | its state      | taken up again from the input that the id carries     |
 * | result               | waits for it   | taken up again and waited for                         |
 * | stop                 | stopped        | noted as stopped, nothing is computed                 |
 */
export class Jobs {
  private readonly jobs = new Map<string, Job>();
  private readonly newNonce = createNonceSource();

  constructor(
    private readonly kinds: Readonly<Record<string, ReportKind>>,
    private readonly context: { clock: Clock; tables: AtlasTables; slices: Slices },
  ) {}

  /**
   * Starts a job; with an idempotency key that was used for the same input, returns that job. 422 for invalid input.
   */
  async start(kind: string, input: unknown, idempotencyKey: string | undefined): Promise<JobView> {
    const settled = parseInput(this.getKind(kind).input(this.context.clock), input);
    const id = encodeJobId({ kind, input: settled, nonce: this.newNonce(idempotencyKey) });
    return view(this.jobs.get(id) ?? (await this.takeUp(id, kind, settled)));
  }

  /** 404 for an invalid job id. */
  async get(id: string): Promise<JobView> {
    return view(await this.find(id));
  }

  /** The report, after waiting for it if necessary; 409 for a job that was stopped, 500 for one that failed. */
  async result(id: string): Promise<unknown> {
    const job = await this.find(id);
    await job.over;
    if (job.state === "done") return job.result;
    throw new AtlasError(job.state === "stopped" ? 409 : 500, job.message ?? `The job is ${job.state}.`);
  }

  /** Stops a running job; 409 when it had ended already. */
  async stop(id: string): Promise<JobView> {
    const known = this.jobs.get(id);
    if (known !== undefined && known.state !== "running") {
      throw new AtlasError(409, `The job is ${known.state} already; there is nothing to stop.`);
    }
    const job = known ?? this.keep(newJob(id, this.read(id).kind));
    markStopped(job);
    return view(job);
  }

  private async find(id: string): Promise<Job> {
    const known = this.jobs.get(id);
    if (known !== undefined) return known;
    const { kind, input } = this.read(id);
    return this.takeUp(id, kind, input);
  }

  private read(id: string): { kind: string; input: unknown } {
    const content = decodeJobId(id);
    const kind = content === undefined ? undefined : this.findKind(content.kind);
    const parsed = kind?.input(this.context.clock).safeParse(content?.input);
    if (content === undefined || parsed?.success !== true) {
      throw new AtlasError(404, "There is no such job. Send the id that the start of the job answered with.");
    }
    return { kind: content.kind, input: parsed.data };
  }

  private findKind(name: string): ReportKind | undefined {
    return Object.hasOwn(this.kinds, name) ? this.kinds[name] : undefined;
  }

  private getKind(name: string): ReportKind {
    const kind = this.findKind(name);
    if (kind === undefined) throw new AtlasError(404, `There is no report "${name}".`);
    return kind;
  }

  private async takeUp(id: string, kindName: string, input: unknown): Promise<Job> {
    const work = await this.getKind(kindName).prepare(input, this.context.tables);
    const meanwhile = this.jobs.get(id); // prepare() waits: the same id may have been taken up by another request
    if (meanwhile !== undefined) return meanwhile;
    this.makeRoom();
    const job = this.keep(newJob(id, kindName));
    job.over = this.context.slices
      .run(work, {
        signal: job.stopping.signal,
        onProgress: (percent) => {
          job.progress = Math.floor(percent);
        },
      })
      .then(
        (result) => {
          if (job.state === "running") Object.assign(job, { state: "done", progress: 100, result });
        },
        (error: unknown) => {
          const message = errorText(error);
          if (job.state === "running") Object.assign(job, { state: "failed", message });
        },
      );
    return job;
  }

  private keep(job: Job): Job {
    this.jobs.set(job.id, job);
    return job;
  }

  /** Forgets the oldest finished jobs: a later request computes them again. */
  private makeRoom(): void {
    const finished = [...this.jobs.values()].filter((job) => job.state !== "running");
    if (this.jobs.size - finished.length >= MAX_UNFINISHED) {
      throw new AtlasError(429, `${MAX_UNFINISHED} reports are being made already. Try again in a few seconds.`);
    }
    for (const job of finished.slice(0, Math.max(0, finished.length - MAX_KEPT))) this.jobs.delete(job.id);
  }
}

function newJob(id: string, kind: string): Job {
  return { id, kind, stopping: new AbortController(), over: Promise.resolve(), state: "running", progress: 0 };
}

function markStopped(job: Job): void {
  job.state = "stopped";
  job.message = "The job was stopped.";
  job.stopping.abort();
}

function view({ id, kind, state, progress, message }: Job): JobView {
  return { id, kind, state, progress, ...(message === undefined ? {} : { message }) };
}
