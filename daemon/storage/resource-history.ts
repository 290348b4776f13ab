import type { WorkspaceId } from "../base/ids.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";
import type { DamagedResource, ResourceFilter, ResourcePage, ResourcePlace } from "../ledger/stores/resource-store.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import {
  endedFactsOf,
  type EndedQuestion,
  type EndedResource,
  endedResources,
  fitsFilter,
  fitsQuestion,
} from "./ended-resource.ts";
import type { HistoryLines } from "./history-lines.ts";
import type { HistoryPart } from "./history-part.ts";
import { mergeNewestFirst, type MergeSource } from "./merge-newest-first.ts";
import { mayReadAgain, newestFirst, takeFirst, untilStill } from "./reading.ts";
import { countBelow } from "./sorted.ts";
import { JournalCorrupt } from "./storage-errors.ts";

/** Lines that are read at once where many resources are looked at. */
const LINES_AT_ONCE = 128;
/** Records in memory that are looked at before yielding to other sources. */
const RECORDS_AT_ONCE = 256;
/** With more in a row that are left out, a page may have fewer resources than requested. */
const MAX_LEFT_OUT = 100;

/** A resource in a list: its record, or the line that has it. */
interface Listed<Where> {
  /** Its id, the order of lists. */
  readonly seq: string;
  readonly record?: ResourceRecord;
  readonly where?: Where;
}

type Lines<Where> = Pick<HistoryLines<Where>, "parts" | "readLine" | "readLines" | "endedBefore">;

/**
 * Resources of every state: those that live are given by whoever asks, since they are in memory, those that have ended are in
 * the parts of the journal. A resource that ends while it is looked for is in both for a while, and is told of once.
 */
export class ResourceHistory<Where> {
  readonly #lines: Lines<Where>;
  #sorted: { readonly of: readonly ResourceRecord[]; readonly highestFirst: readonly ResourceRecord[] } = {
    of: [],
    highestFirst: [],
  };

  constructor(lines: Lines<Where>) {
    this.#lines = lines;
  }

  /** Of one that does not live. */
  findEnded(workspaceId: WorkspaceId, resourceId: string): Promise<ResourceRecord | undefined> {
    return untilStill(async () => {
      // Before the parts are asked: when the last old index is made again meanwhile, these are given up.
      const earlier = this.#earlier();
      const isMeant = (one: ResourceRecord) => one.resourceId === resourceId && one.workspaceId === workspaceId;
      for (const part of newestFirst(this.#lines.parts())) {
        const [low, high] = part.endedIds ?? [];
        if (low === undefined || high === undefined || resourceId < low || resourceId > high) continue;
        const found = await part.findEndedResource(workspaceId, resourceId);
        if (found === undefined) continue;
        const record = recordIn(await this.#lines.readLine(found.where), resourceId);
        return isMeant(record) ? record : undefined;
      }
      return earlier.find(isMeant);
    });
  }

  /**
   * `live` gives those of the workspace that live now. One whose line is damaged is left out, as clients know no other way to be
   * told of it; reading it has told the log.
   */
  async list(
    live: () => readonly ResourceRecord[],
    workspaceId: WorkspaceId,
    filter: ResourceFilter,
    { limit, after }: ResourcePlace,
  ): Promise<ResourcePage> {
    const items: ResourceRecord[] = [];
    let next = after;
    let leftOut = 0;
    do {
      const wanted = limit - items.length;
      const page = await this.#page(live, workspaceId, filter, { limit: wanted, after: next });
      items.push(...page.items);
      next = page.next;
      leftOut += wanted - page.items.length;
    } while (next !== undefined && items.length < limit && leftOut < MAX_LEFT_OUT);
    return next === undefined ? { items } : { items, next };
  }

  #page(
    live: () => readonly ResourceRecord[],
    workspaceId: WorkspaceId,
    filter: ResourceFilter,
    { limit, after }: ResourcePlace,
  ): Promise<ResourcePage> {
    return untilStill(async () => {
      // Before the parts are asked: one that ends from now on is listed as it lives, and not again.
      const known = live().filter((resource) => fitsFilter(resource, filter));
      const blocks = this.#merged(workspaceId, known, { before: after, question: filter });
      const { found, hasMore } = await takeFirst(blocks, limit);
      // An index is not trusted with whom a resource is shown to: its record says whose it is.
      const isMeant = (one: ResourceRecord) => one.workspaceId === workspaceId && fitsFilter(one, filter);
      const items = (await this.#recordsOf(found)).flatMap((one) => ("damaged" in one || !isMeant(one) ? [] : [one]));
      const last = found.at(-1);
      return hasMore && last !== undefined ? { items, next: last.seq } : { items };
    });
  }

  /** Those that have ended; one that ends meanwhile may or may not be among them. */
  async *scanEnded(
    workspaceId: WorkspaceId,
    question: EndedQuestion,
  ): AsyncGenerator<ResourceRecord | DamagedResource> {
    let before: string | undefined;
    for (let failures = 0; ;) {
      try {
        for await (const block of this.#merged(workspaceId, [], { before, question })) {
          for (let from = 0; from < block.length; from += LINES_AT_ONCE) {
            const some = block.slice(from, from + LINES_AT_ONCE);
            const records = await this.#recordsOf(some);
            [before, failures] = [some.at(-1)?.seq ?? before, 0];
            yield* records.filter((one) => "damaged" in one || one.workspaceId === workspaceId);
          }
        }
        return;
      } catch (error) {
        failures += 1;
        // A segment was rewritten: from the last one on, the rest is looked for where it is now.
        if (!mayReadAgain(error, failures)) throw error;
      }
    }
  }

  /** In blocks, the highest id first, each id once. */
  #merged(
    workspaceId: WorkspaceId,
    live: readonly ResourceRecord[],
    { before, question }: { readonly before: string | undefined; readonly question: EndedQuestion },
  ): AsyncGenerator<readonly Listed<Where>[]> {
    const sources: MergeSource<Listed<Where>>[] = [listedRecords(highestFirst(live), before)];
    if (mayHaveEnded(question)) {
      const isWanted = (resource: ResourceRecord) =>
        resource.workspaceId === workspaceId && fitsQuestion(endedFactsOf(resource), question);
      const parts = this.#lines.parts().filter((part) => mayHave(part, before, question));
      sources.push(
        listedRecords(this.#earlier(), before, isWanted),
        ...parts.map((part) => listedOf(part, workspaceId, { before, question })),
      );
    }
    return mergeNewestFirst(sources);
  }

  /** Those that had ended before an upgrade, in the order of lists. They are sorted once: there may be very many. */
  #earlier(): readonly ResourceRecord[] {
    const all = this.#lines.endedBefore?.() ?? [];
    if (this.#sorted.of !== all) this.#sorted = { of: all, highestFirst: highestFirst(all) };
    return this.#sorted.highestFirst;
  }

  async #recordsOf(listed: readonly Listed<Where>[]): Promise<readonly (ResourceRecord | DamagedResource)[]> {
    const places = listed.flatMap(({ where }) => where ?? []);
    const read = places.length > 1 ? ((await this.#lines.readLines?.(places)) ?? []) : [];
    const lines = new Map(read.map(({ where, line }) => [where, line]));
    const records: (ResourceRecord | DamagedResource)[] = [];
    for (const { seq, record, where } of listed) {
      if (record !== undefined) records.push(record);
      else if (where !== undefined) records.push(await this.#read(seq, where, lines.get(where)));
    }
    return records;
  }

  async #read(resourceId: string, where: Where, line?: Line): Promise<ResourceRecord | DamagedResource> {
    try {
      return recordIn(line ?? (await this.#lines.readLine(where)), resourceId);
    } catch (error) {
      if (!(error instanceof JournalCorrupt)) throw error;
      return { resourceId, damaged: error };
    }
  }
}

/** Only what has ended may be asked for where it has ended. */
function mayHaveEnded({ state }: EndedQuestion): boolean {
  return state === undefined || state === "RELEASED" || state === "PROVISION_FAILED";
}

function mayHave(
  { endedIds, newestRentedAt }: HistoryPart<unknown>,
  before: string | undefined,
  { rentedSince }: EndedQuestion,
): boolean {
  if (endedIds === undefined || (before !== undefined && endedIds[0] >= before)) return false;
  return rentedSince === undefined || (newestRentedAt !== "" && newestRentedAt >= rentedSince);
}

function listedOf<Where>(
  part: HistoryPart<Where>,
  workspaceId: WorkspaceId,
  { before, question }: { readonly before: string | undefined; readonly question: EndedQuestion },
): MergeSource<Listed<Where>> {
  return {
    newest: part.endedIds?.[1] ?? "",
    async *open() {
      for await (const block of part.endedBlocks(workspaceId, before, question)) {
        const fitting = block.filter((entry) => fitsQuestion(entry, question));
        if (fitting.length > 0) yield fitting.map(listedEnded);
      }
    },
  };
}

function listedEnded<Where>({ resourceId, where }: EndedResource<Where>): Listed<Where> {
  return { seq: resourceId, where };
}

function highestFirst(records: readonly ResourceRecord[]): readonly ResourceRecord[] {
  return [...records].sort((one, other) => (one.resourceId < other.resourceId ? 1 : -1));
}

/** Of records in the order of lists; how many are looked at depends on how many are asked for. */
function listedRecords<Where>(
  sorted: readonly ResourceRecord[],
  before: string | undefined,
  isWanted: (resource: ResourceRecord) => boolean = () => true,
): MergeSource<Listed<Where>> {
  const first = before === undefined ? 0 : countBelow(sorted, ({ resourceId }) => resourceId >= before);
  return {
    newest: sorted[first]?.resourceId ?? "",
    async *open() {
      for (let from = first; from < sorted.length; from += RECORDS_AT_ONCE) {
        const some = sorted.slice(from, from + RECORDS_AT_ONCE).filter(isWanted);
        if (some.length > 0) yield some.map((record) => ({ seq: record.resourceId, record }));
      }
    },
  };
}

function recordIn(line: Line, resourceId: string): ResourceRecord {
  const found = endedResources(line).find((resource) => resource.resourceId === resourceId);
  if (found === undefined) throw new Error(`an index names a line as the end of resource ${resourceId}, and it is not`);
  return found;
}
