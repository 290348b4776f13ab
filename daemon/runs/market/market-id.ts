import { z } from "zod";

export const MarketDocument = z.strictObject({ id: z.string().exactOptional() });

export interface MarketFile {
  readonly data: z.infer<typeof MarketDocument>;
  update(change: (data: z.infer<typeof MarketDocument>) => void): Promise<void>;
}

/** By which other markets know this daemon: of its data folder, made when it is first needed, and then the same for ever. */
export class MarketId {
  readonly #file: MarketFile;
  readonly #newId: () => string;
  #made: Promise<string> | undefined;

  constructor(file: MarketFile, newId: () => string) {
    this.#file = file;
    this.#newId = newId;
  }

  /** Resolves when the id is on the disk. */
  async get(): Promise<string> {
    const { id } = this.#file.data;
    if (id !== undefined) return id;
    this.#made ??= this.#make().finally(() => (this.#made = undefined));
    return await this.#made;
  }

  async #make(): Promise<string> {
    await this.#file.update((data) => {
      data.id ??= this.#newId();
    });
    return this.#file.data.id ?? "";
  }
}
