import type { DocumentPath } from "../../manifest/document-path.ts";
import type { Http, Manifest, ManifestEndpoint, Usage } from "../../manifest/manifest.ts";

export interface DeclaredPlace {
  readonly path: DocumentPath;
  readonly resource: string;
}

/** Where the parts of a merged endpoint are in the file: at the endpoint itself, or at its provider. */
export class EndpointPlaces {
  readonly #path: string;
  readonly #endpoint: ManifestEndpoint;
  readonly #manifest: Manifest;

  constructor(path: string, endpoint: ManifestEndpoint, manifest: Manifest) {
    this.#path = path;
    this.#endpoint = endpoint;
    this.#manifest = manifest;
  }

  own(...rest: DocumentPath): DocumentPath {
    return ["endpoints", this.#path, ...rest];
  }

  http(member: keyof Http): DocumentPath {
    return this.#endpoint.http?.[member] !== undefined ? this.own("http", member) : ["http", member];
  }

  header(name: string): DocumentPath {
    const isOwn = this.#endpoint.http?.headers?.[name] !== undefined;
    return isOwn ? this.own("http", "headers", name) : ["http", "headers", name];
  }

  auth(index: number): DocumentPath {
    const auth = this.#endpoint.http?.auth ?? this.#manifest.http?.auth;
    return Array.isArray(auth) ? [...this.http("auth"), index] : this.http("auth");
  }

  usage(member: keyof Usage): DocumentPath {
    return this.#endpoint.usage?.[member] !== undefined ? this.own("usage", member) : ["usage", member];
  }

  error(index: number): DocumentPath {
    const own = this.#endpoint.errors.length;
    return index < own ? this.own("errors", index) : ["errors", index - own];
  }

  async(...rest: DocumentPath): DocumentPath {
    const isOwn = this.#endpoint.async !== undefined && "start" in this.#endpoint.async;
    return isOwn ? this.own("async", ...rest) : ["async", ...rest];
  }

  /** A path below `price` or `usage`, which an endpoint may inherit from its provider. */
  inherited(path: DocumentPath): DocumentPath {
    const [first] = path;
    const isInherited =
      (first === "price" && this.#endpoint.price === undefined && this.#manifest.price !== undefined) ||
      (first === "usage" && this.#endpoint.usage === undefined && this.#manifest.usage !== undefined);
    return isInherited ? path : this.own(...path);
  }
}
