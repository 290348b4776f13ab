import type { FileFacts, Files, OpenFile } from "../../daemon/storage/files.ts";

/** Numbers from 0 to below 1, the same ones for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

const PAGE_BYTES = 256;

interface FileNode {
  bytes: Buffer;
  /** What is certain to survive a power loss. */
  durable: Buffer;
}

type Node = FileNode | "directory";

/** One change of names in one directory: whole or not at all. */
interface NameChange {
  readonly directory: string;
  readonly names: readonly (readonly [path: string, node: Node | undefined])[];
}

/**
 * A disk in memory that knows what was flushed. A power loss keeps what was, and of the rest any part: single pages of
 * files, changes of names in order or out of it. Just enough of a file system for `Files`.
 */
export class SimulatedDisk {
  #nodes = new Map<string, Node>([["/", "directory"]]);
  #durableNodes = new Map<string, Node>([["/", "directory"]]);
  #pending: NameChange[] = [];
  readonly #flushes: boolean;

  /** `flushes: false` makes a disk that says that it flushed, and did not. */
  constructor({ flushes = true }: { readonly flushes?: boolean } = {}) {
    this.#flushes = flushes;
  }

  /** Files that are never at fault; see `faultyFiles`. */
  readonly files: Files = {
    create: async (path) => {
      if (this.#nodes.has(path)) throw fileError("EEXIST", path);
      const node: FileNode = { bytes: Buffer.alloc(0), durable: Buffer.alloc(0) };
      this.#change(path, [[path, node]]);
      return this.#open(node);
    },
    openForChange: async (path) => this.#open(this.#file(path)),
    openForReading: async (path) => this.#open(this.#file(path)),
    readFile: async (path) => Buffer.from(this.#file(path).bytes),
    list: async (path) => {
      this.#directory(path);
      const prefix = path === "/" ? path : `${path}/`;
      return [...this.#nodes.keys()]
        .filter((name) => name !== "/" && name.startsWith(prefix) && !name.slice(prefix.length).includes("/"))
        .map((name) => name.slice(prefix.length))
        .sort();
    },
    stat: async (path): Promise<FileFacts> => {
      const node = this.#nodes.get(path);
      if (node === undefined) throw fileError("ENOENT", path);
      return node === "directory"
        ? { size: 0, isDirectory: true, mode: 0o700 }
        : { size: node.bytes.length, isDirectory: false, mode: 0o600 };
    },
    hasEntry: async (path) => this.#nodes.has(path),
    lookAt: async (path) => {
      const node = this.#nodes.get(path);
      if (node === undefined) throw fileError("ENOENT", path);
      const isDirectory = node === "directory";
      return { owner: process.geteuid?.() ?? 0, mode: isDirectory ? 0o700 : 0o600, isLink: false, isDirectory };
    },
    realPath: async (path) => path,
    makeDirectory: async (path) => {
      if (this.#nodes.has(path)) throw fileError("EEXIST", path);
      this.#change(path, [[path, "directory"]]);
    },
    link: async (existing, name) => {
      const node = this.#file(existing);
      if (this.#nodes.has(name)) throw fileError("EEXIST", name);
      this.#change(name, [[name, node]]);
    },
    rename: async (from, to) => {
      const node = this.#file(from);
      // As POSIX has it: onto another name of the same file it does nothing.
      if (this.#nodes.get(to) === node) return;
      this.#change(to, [
        [to, node],
        [from, undefined],
      ]);
    },
    unlink: async (path) => {
      this.#file(path);
      this.#change(path, [[path, undefined]]);
    },
    syncDirectory: async (path) => {
      this.#directory(path);
      if (!this.#flushes) return;
      const [synced, rest] = [[] as NameChange[], [] as NameChange[]];
      for (const change of this.#pending) (change.directory === path ? synced : rest).push(change);
      this.#pending = rest;
      applyChanges(this.#durableNodes, synced);
    },
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
  };

  /** The power goes and comes back. */
  losePower(random: () => number): void {
    applyChanges(this.#durableNodes, survivors(this.#pending, random));
    this.#pending = [];
    this.#nodes = new Map([...this.#durableNodes].filter(([path]) => this.#hasDurableParents(path)));
    this.#durableNodes = new Map(this.#nodes);
    for (const node of new Set(this.#nodes.values())) {
      if (node === "directory") continue;
      node.bytes = tornContent(node, random);
      node.durable = node.bytes;
    }
  }

  /** Another disk with the same content, all of it flushed. */
  copy(): SimulatedDisk {
    const disk = new SimulatedDisk();
    for (const [path, node] of this.#nodes) {
      const copied: Node =
        node === "directory" ? node : { bytes: Buffer.from(node.bytes), durable: Buffer.from(node.bytes) };
      disk.#nodes.set(path, copied);
      disk.#durableNodes.set(path, copied);
    }
    return disk;
  }

  /** Changes a file behind everybody's back. */
  replace(path: string, bytes: Buffer): void {
    const node = this.#file(path);
    node.bytes = Buffer.from(bytes);
    node.durable = node.bytes;
  }

  #open(node: FileNode): OpenFile {
    const flush = async () => {
      if (this.#flushes) node.durable = Buffer.from(node.bytes);
    };
    return {
      async write(bytes, position) {
        const grown = Buffer.alloc(Math.max(node.bytes.length, position + bytes.length));
        node.bytes.copy(grown);
        grown.set(bytes, position);
        node.bytes = grown;
        return bytes.length;
      },
      read: async (into, position) => node.bytes.copy(into, 0, Math.min(position, node.bytes.length)),
      datasync: flush,
      sync: flush,
      async truncate(length) {
        node.bytes = Buffer.from(node.bytes.subarray(0, length));
      },
      close: async () => undefined,
    };
  }

  #change(path: string, names: NameChange["names"]): void {
    const change: NameChange = { directory: parentOf(path), names };
    this.#directory(change.directory);
    applyChanges(this.#nodes, [change]);
    this.#pending.push(change);
  }

  #file(path: string): FileNode {
    const node = this.#nodes.get(path);
    if (node === undefined) throw fileError("ENOENT", path);
    if (node === "directory") throw fileError("EISDIR", path);
    return node;
  }

  #directory(path: string): void {
    const node = this.#nodes.get(path);
    if (node === undefined) throw fileError("ENOENT", path);
    if (node !== "directory") throw fileError("ENOTDIR", path);
  }

  #hasDurableParents(path: string): boolean {
    if (path === "/") return true;
    const parent = parentOf(path);
    return this.#durableNodes.get(parent) === "directory" && this.#hasDurableParents(parent);
  }
}

function applyChanges(nodes: Map<string, Node>, changes: readonly NameChange[]): void {
  for (const [path, node] of changes.flatMap((change) => change.names)) {
    if (node === undefined) nodes.delete(path);
    else nodes.set(path, node);
  }
}

/** A journaling file system keeps a beginning of the changes; another one any of them. */
function survivors(pending: readonly NameChange[], random: () => number): NameChange[] {
  if (random() < 0.5) return pending.slice(0, Math.floor(random() * (pending.length + 1)));
  return pending.filter(() => random() < 0.5);
}

function tornContent({ bytes, durable }: FileNode, random: () => number): Buffer {
  if (bytes.equals(durable)) return durable;
  const size = random() < 0.5 ? bytes.length : durable.length;
  const torn = Buffer.alloc(size);
  for (let page = 0; page < size; page += PAGE_BYTES) {
    const source = random() < 0.5 ? bytes : durable;
    torn.set(source.subarray(page, Math.min(page + PAGE_BYTES, size)), page);
  }
  return torn;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Without a trace, like those of `fs/promises`: there are tens of thousands of them. */
function fileError(code: string, path: string): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return Object.assign(new Error(`${code}: ${path}`), { code });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
