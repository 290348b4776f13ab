import { fstatSync, writeSync } from "node:fs";

/** Where the daemon writes text. */
export interface WordSink {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Standard output or error that survives a full disk: if the stream is a file, a failed write would end the whole
 * process. Lines that do not fit are dropped, and their number is written when there is space again.
 */
export function outlastingFullDisk(stream: NodeJS.WriteStream & { readonly fd: number }): WordSink {
  return fstatSync(stream.fd).isFile() ? fileSink(stream.fd) : stream;
}

function fileSink(fd: number): WordSink {
  let dropped = 0;
  return {
    write(text) {
      try {
        if (dropped > 0)
          writeWhole(fd, `\nmkt daemon: ${dropped} log lines are missing here, because the disk was full\n`);
        dropped = 0;
        writeWhole(fd, text);
      } catch {
        dropped += 1;
      }
    },
  };
}

function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}
