/** How one provider's document differs from the last import. */
export interface ProviderDrift {
  readonly provider: string;
  readonly source: string;
  /** `unread`: the document is no longer available; `why` gives the reason. */
  readonly state: "same" | "changed" | "unread";
  /** Operations such as `GET /users/{id}`, or names of tools. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** For tools of an MCP server: what was imported, and what the server says now. */
  readonly differences?: readonly ToolDifference[];
  readonly why?: string;
}

/** One part of an endpoint that differs; `before` or `now` is absent where the part is. */
export interface ToolDifference {
  readonly tool: string;
  /** A member of the endpoint, such as `description` or `input`. */
  readonly part: string;
  readonly before?: unknown;
  readonly now?: unknown;
}

export interface DriftReport {
  readonly providers: readonly ProviderDrift[];
  /** 0: every document is unchanged since its import; 1: one has changed or cannot be read. */
  readonly exitCode: 0 | 1;
}

export interface FoundDrift {
  readonly report: DriftReport;
  /** Writes what the report shows, as an import would. Absent where nothing of an MCP server has changed. */
  readonly accept?: () => Promise<void>;
}

/** For people; ends with a line break. `toCommand` words a command of ours. */
export function renderDrift({ providers }: DriftReport, toCommand: (...words: readonly string[]) => string): string {
  if (providers.length === 0) return "Nothing in this folder was imported.\n";
  const lines = providers.flatMap(
    ({ provider, source, state, added, removed, changed, differences = NOT_OF_TOOLS, why }) => {
      if (state === "same") return [`${provider}: as it was imported.`];
      const textsOf = (name: string) => differences.filter(({ tool }) => tool === name).flatMap(partLines);
      const operations = [
        ...added.flatMap((name) => [`  + ${name}`, ...textsOf(name)]),
        ...removed.map((name) => `  - ${name}`),
        ...changed.flatMap((name) => [`  ~ ${name}`, ...textsOf(name)]),
      ];
      if (state === "unread") return [`${provider}: ${source} cannot be read: ${why ?? ""}`];
      const end = why ?? (operations.length === 0 ? "no operation did (texts, servers or the like)" : "");
      const off = differences === NOT_OF_TOOLS || changed.length + removed.length === 0 ? [] : [offLine(provider)];
      return [`${provider}: ${source} has changed${end === "" ? "" : `; ${end}`}.`, ...operations, ...off];
    },
  );
  return `${lines.join("\n")}\n`;

  function offLine(provider: string): string {
    const accept = toCommand("catalog", "drift", provider, "--accept");
    return `  What changed (~) and what is gone (-) is off until you accept it: ${accept}`;
  }
}

const NOT_OF_TOOLS: readonly ToolDifference[] = [];

function partLines({ part, before, now }: ToolDifference): string[] {
  return [
    `      ${part} was ${JSON.stringify(before) ?? "not there"}`,
    `      ${part} is  ${JSON.stringify(now) ?? "gone"}`,
  ];
}
