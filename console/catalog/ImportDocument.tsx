import { useRef, useState } from "preact/hooks";
import type { ImportedManifest, PreviewImportRequest } from "../../shared/contract/catalog-views.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { saveFile } from "../output/save-file.ts";
import { href } from "../page/route.ts";
import { say } from "../page/toasts.ts";
import { ask } from "../parts/ask.tsx";
import { Button } from "../parts/Button.tsx";
import { Copied } from "../parts/Copied.tsx";
import { AreaField, Field, TextField } from "../parts/Field.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Section } from "../parts/Screen.tsx";
import { Problem } from "../parts/Shown.tsx";
import { api } from "../service/api.ts";
import { countText, counted } from "../words/amounts.ts";
import { toDollars } from "../../shared/micro-dollars.ts";
import { errorText } from "../../shared/error-text.ts";
import { inertText } from "../words/inert-text.ts";
import { notAnAmount, typedMicros } from "../words/typed-amount.ts";

const NOTHING = { document: "", fileName: "", provider: "", price: "", baseUrl: "" };
type Typed = typeof NOTHING;
/** A request takes a megabyte unless its operator allows more, and JSON makes a text longer. */
const LARGE = 900_000;

/** What a document gives, and the request that it was made of: this, and nothing typed since, is what is written. */
interface Made {
  readonly manifest: ImportedManifest;
  readonly request: PreviewImportRequest;
  readonly isWritten: boolean;
}

/** `#/catalog/import`: what a document would give, seen before anything is written. */
export function ImportDocument() {
  const [typed, setTyped] = useState<Typed>(NOTHING);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const [isChecked, setChecked] = useState(false);
  const [made, setMade] = useState<Made | undefined>();
  const result = useRef<HTMLDivElement>(null);
  // An answer that comes when something else is typed already is of no use any more.
  const changes = useRef(0);
  const type = (change: Partial<Typed>) => {
    changes.current += 1;
    setTyped((before) => ({ ...before, ...change }));
    setMade(undefined);
  };
  const price = typed.price.trim() === "" ? undefined : typedMicros(typed.price);
  const priceProblem = typed.price.trim() !== "" && price === undefined ? notAnAmount(typed.price) : undefined;
  const request = (): PreviewImportRequest => ({
    document: typed.document,
    ...(typed.fileName !== "" && { fileName: typed.fileName.slice(-200) }),
    ...(typed.provider.trim() !== "" && { provider: typed.provider.trim() }),
    ...(price !== undefined && { price: toDollars(price) }),
    ...(typed.baseUrl.trim() !== "" && { baseUrl: typed.baseUrl.trim() }),
  });
  const look = async () => {
    setRefused(undefined);
    setMade(undefined);
    setChecked(true);
    changes.current += 1;
    const asked = changes.current;
    if (priceProblem !== undefined) return;
    if (typed.document.trim() === "") return setRefused("Choose a file, or paste the document first.");
    try {
      const body = request();
      const manifest = await api().previewImport({ body });
      if (asked !== changes.current) return;
      setMade({ manifest, request: body, isWritten: false });
      result.current?.focus();
    } catch (error) {
      if (asked === changes.current) setRefused(errorText(error));
    }
  };
  const write = async ({ manifest: { provider, file }, request: seen }: Made) => {
    const text = `A new file ${inertText(file)} is written on the daemon's machine. Nothing that is there is replaced.`;
    if (!(await ask(`Add ${inertText(provider)} to the catalog?`, text, "Write the file"))) return;
    const asked = changes.current;
    const manifest = await api().importDocument({ body: { ...seen, provider } });
    if (asked === changes.current) setMade({ manifest, request: seen, isWritten: true });
    say(`Written: ${inertText(manifest.provider)} is in the catalog in a moment.`);
  };
  return (
    <>
      <form
        class="panel import"
        aria-label="Import an OpenAPI document"
        onSubmit={(event) => {
          event.preventDefault();
          void look();
        }}
      >
        <p>
          An OpenAPI document becomes a provider. First you see what is taken, what is left out and why, and the file
          that it gives. Nothing is fetched for it: only what you put here is read.
        </p>
        <div class="fields">
          <DocumentFile onRead={type} />
          <TextField
            label="Name in calls"
            value={typed.provider}
            onInput={(provider) => type({ provider })}
            placeholder="acme"
            help="Empty: made of its title"
          />
          <TextField
            label="Price of a call"
            value={typed.price}
            inputMode="decimal"
            onInput={(value) => type({ price: value })}
            placeholder="0.01"
            help="In dollars, where it names none"
            problem={isChecked ? priceProblem : undefined}
          />
          <TextField
            label="Address of the API"
            value={typed.baseUrl}
            inputMode="url"
            onInput={(baseUrl) => type({ baseUrl })}
            placeholder="https://api.example.com"
            help="Where it has no whole one"
          />
        </div>
        <AreaField
          label="The document"
          value={typed.document}
          onInput={(document) => type({ document })}
          help={
            typed.document.length > LARGE
              ? "This may be too large for a request. Then type: mkt catalog import <file>"
              : "JSON or YAML, about 1 MB at most. Larger ones, and addresses: mkt catalog import"
          }
        />
        {refused !== undefined && <Problem text={refused} />}
        <div class="actions">
          <Button kind="primary" type="submit">
            Look at it
          </Button>
        </div>
      </form>
      <div ref={result} tabIndex={-1} aria-live="polite">
        {made !== undefined && <Preview {...made} fileName={typed.fileName} onWrite={async () => await write(made)} />}
      </div>
    </>
  );
}

function DocumentFile({ onRead }: { readonly onRead: (read: Pick<Typed, "document" | "fileName">) => void }) {
  return (
    <Field label="File" help="Or paste the document below">
      {(ids) => (
        <input
          {...ids}
          type="file"
          accept=".json,.yaml,.yml,application/json"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file === undefined) return;
            file.text().then(
              (document) => onRead({ document, fileName: file.name }),
              () => say("The file cannot be read.", "bad"),
            );
          }}
        />
      )}
    </Field>
  );
}

interface PreviewProps extends Pick<Made, "manifest" | "isWritten"> {
  readonly fileName: string;
  readonly onWrite: () => Promise<void>;
}

function Preview({ manifest, isWritten, fileName, onWrite }: PreviewProps) {
  const { provider, displayName, endpoints, skipped, off, notes, text, file, cannotWrite } = manifest;
  const command = shellLine(
    "mkt",
    "catalog",
    "import",
    fileName === "" ? "openapi.json" : fileName,
    "--slug",
    provider,
  );
  return (
    <Section
      title={inertText(isWritten ? `${displayName} was added` : `${displayName}: what it gives`)}
      aside={
        isWritten ? (
          <a class="button primary" href={href(["catalog", "providers", provider])}>
            Open it
          </a>
        ) : (
          cannotWrite === undefined && (
            <Button kind="primary" icon="plus" onPress={onWrite}>
              Add to the catalog
            </Button>
          )
        )
      }
    >
      <div class="figures">
        <div>
          <span class="figure-name">Taken</span>
          {counted(endpoints.length, "endpoint")}
        </div>
        <div>
          <span class="figure-name">Left out</span>
          {counted(skipped.length, "operation")}
        </div>
        <div>
          <span class="figure-name">Taken, but off</span>
          {countText(off.length)}
        </div>
      </div>
      {cannotWrite !== undefined && !isWritten && (
        <div class="note">
          <p>
            <Inert text={cannotWrite} /> There, type:
          </p>
          <Copied text={inertText(command)} label="The command that writes it" />
        </div>
      )}
      <Next manifest={manifest} isWritten={isWritten} />
      <Names title="Taken" names={endpoints.map((path) => `${provider}${path}`)} />
      <Reasons title="Left out" rows={skipped.map(({ operation, why }) => [operation, why])} />
      <Reasons title="Taken, but off until the file is mended" rows={off.map(({ path, why }) => [path, why])} />
      <Names title="Notes" names={notes} />
      <Section
        title="The file"
        aside={
          <Button icon="download" onPress={() => saveFile(baseName(file), "application/yaml", text)}>
            Download
          </Button>
        }
      >
        <p class="below muted">
          <Inert text={file} most={300} />
        </p>
        <div class="tall-text">
          <Copied text={inertText(text)} label="The provider file" />
        </div>
      </Section>
    </Section>
  );
}

/** What is to be done before it can be run. */
function Next({ manifest, isWritten }: Pick<Made, "manifest" | "isWritten">) {
  const { needsGrant, secrets, pricesToSet, provider } = manifest;
  const steps = [
    ...secrets.map((name) => `mkt secrets set ${name}`),
    ...(needsGrant ? [`mkt catalog grant ${provider}`] : []),
  ];
  const [firstPrice] = pricesToSet;
  return (
    <>
      {steps.length > 0 && (
        <>
          <p>{isWritten ? "Before it can be run, type:" : "Once it is added, it needs:"}</p>
          <Copied text={inertText(steps.join("\n"))} label="What it needs" />
        </>
      )}
      {firstPrice !== undefined && (
        <p class="below warn-text">
          {counted(pricesToSet.length, "endpoint")} without a price: callers pay nothing for what it may bill to you.
          Give a price above, or set it later.
        </p>
      )}
    </>
  );
}

const SHOWN = 12;

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <details class="why" open={names.length <= SHOWN}>
      <summary>
        {title} ({countText(names.length)})
      </summary>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <Inert text={name} most={300} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Reasons({ title, rows }: { readonly title: string; readonly rows: readonly (readonly [string, string])[] }) {
  if (rows.length === 0) return null;
  return (
    <details class="why" open>
      <summary>
        {title} ({countText(rows.length)})
      </summary>
      <ul>
        {rows.map(([what, why]) => (
          <li key={`${what} ${why}`}>
            <code>
              <Inert text={what} most={160} />
            </code>
            {": "}
            <Inert text={why} most={300} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function baseName(file: string): string {
  return file.replace(/^.*[/\\]/, "");
}
