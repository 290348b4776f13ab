/** What the command line gave, as commander hands it over; absent members were not given. */
export interface DaemonFlags {
  readonly host?: string;
  readonly port?: string;
  readonly registryPort?: string;
  readonly dataDir?: string;
  readonly databaseUrl?: string;
  readonly catalog?: readonly string[];
  readonly trustedCatalog?: readonly string[];
  /** commander's `--no-bundled-catalog`. */
  readonly bundledCatalog?: boolean;
  readonly allowPrivateHost?: readonly string[];
  readonly allowRemote?: boolean;
  readonly publicUrl?: string;
  readonly allowedHost?: readonly string[];
  readonly logLevel?: string;
  readonly forceUnlock?: boolean;
}
