import { createReadStream } from "node:fs";
import { open, truncate } from "node:fs/promises";
import { isRecord } from "../../../shared/is-record.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import type { RowResult } from "../row-result.ts";
import { appendTo, closeFlushed } from "./appended-file.ts";
import { DoneRows, type Results } from "./results.ts";

const NEWLINE = 0x0a;

/** Results as lines of JSON in a file; what an interrupted batch left of a line is cut off. */
export async function openJsonlResults(path: string): Promise<Results> {
  const { done, wholeBytes } = await readDone(path);
  if (wholeBytes !== undefined) await truncate(path, wholeBytes);
  const file = await open(path, "a");
  const append = appendTo({ file, path });
  return {
    done,
    lostItsReader: false,
    async write(result: RowResult) {
      await append(`${JSON.stringify(result)}\n`);
    },
    close: () => closeFlushed({ file, path }),
  };
}

async function readDone(path: string): Promise<{ done: DoneRows; wholeBytes: number | undefined }> {
  const done = new DoneRows();
  let wholeBytes = 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
        takeLine(done, bytes.toString("utf8", 0, end));
        wholeBytes += end + 1;
        bytes = bytes.subarray(end + 1);
      }
      rest = bytes;
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { done, wholeBytes: undefined };
    throw error;
  }
  return { done, wholeBytes };
}

function takeLine(done: DoneRows, line: string): void {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return;
  }
  if (!isRecord(value) || typeof value["index"] !== "number") return;
  const cost = typeof value["cost"] === "number" ? value["cost"] : 0;
  done.add(value["index"], { cost, isDelivered: value["error"] === undefined });
}
