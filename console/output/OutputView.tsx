import { useMemo, useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import { Tabs } from "../parts/Tabs.tsx";
import { countText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { fileOf, type OutputFile } from "./binary-file.ts";
import { Cell } from "./Cell.tsx";
import { LongText } from "./LongText.tsx";
import { type OutputTable, tableOf } from "./output-table.ts";
import { saveFile } from "./save-file.ts";
import { Tree } from "./Tree.tsx";

const PAGE = 50;

interface OutputViewProps {
  readonly output: unknown;
  /** Of the file that it is saved as, without its end. */
  readonly fileName: string;
}

/** What a provider gave: a file, or data. Nothing of it is markup or a link. */
export function OutputView({ output, fileName }: OutputViewProps) {
  const file = useMemo(() => fileOf(output, fileName), [output, fileName]);
  return file === undefined ? <DataView output={output} fileName={fileName} /> : <FileView file={file} />;
}

/** Bytes, which no page shows: they are saved as what they are. */
function FileView({ file }: { readonly file: OutputFile }) {
  return (
    <div class="panel file">
      <p>
        <strong>{inertText(file.name)}</strong>
        <span class="muted">
          {" "}
          {inertText(file.contentType.slice(0, 120))}, {countText(file.bytes)} bytes
        </span>
      </p>
      <Button
        icon="download"
        onPress={() => saveFile(file.name, "application/octet-stream", file.read())}
        label={`Download ${inertText(file.name)}`}
      >
        Download
      </Button>
    </div>
  );
}

/** As a table where it is one, as a tree, or as it came. */
function DataView({ output, fileName }: OutputViewProps) {
  const table = useMemo(() => tableOf(output), [output]);
  const [chosen, choose] = useState(table === undefined ? "tree" : "table");
  const tabs = [...(table === undefined ? [] : ["table"]), "tree", "raw"].map((id) => ({ id, name: NAMES[id] ?? id }));
  return (
    <div class="output">
      <div class="output-actions">
        <Button
          icon="download"
          kind="quiet"
          onPress={() => saveFile(`${fileName}.json`, "application/json", `${JSON.stringify(output, null, 2)}\n`)}
        >
          Download
        </Button>
      </div>
      <Tabs label="Output" tabs={tabs} chosen={chosen} onChoose={choose}>
        {chosen === "table" && table !== undefined && <Rows table={table} />}
        {chosen === "tree" && (
          <ul class="tree root">
            <Tree name="output" value={output} />
          </ul>
        )}
        {chosen === "raw" && (
          <pre class="raw">
            <LongText text={JSON.stringify(output, null, 2)} first={20_000} />
          </pre>
        )}
      </Tabs>
    </div>
  );
}

const SHORT = 24;

/** Numbers stand at the end; what is short is not broken, so that a day or a word stays whole on a phone. */
function cellClass(value: unknown, isNumeric: boolean): string | undefined {
  if (isNumeric) return "end";
  return typeof value !== "object" && String(value).length <= SHORT ? "short" : undefined;
}

const NAMES: Readonly<Record<string, string>> = { table: "Table", tree: "Tree", raw: "Raw" };

function Rows({ table }: { readonly table: OutputTable }) {
  const [most, setMost] = useState(PAGE);
  return (
    <>
      <div class="table" role="region" aria-label={`Rows of ${inertText(table.path)}`} tabIndex={0}>
        <table>
          <caption class="unseen">{inertText(table.path)}</caption>
          <thead>
            <tr>
              {table.columns.map((name) => (
                <th key={name} scope="col" class={table.numeric.has(name) ? "end" : undefined}>
                  {inertText(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, most).map((row, index) => (
              <tr key={index}>
                {table.columns.map((name) => (
                  <td key={name} class={cellClass(row[name], table.numeric.has(name))}>
                    <Cell value={row[name]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="below">
        {countText(Math.min(most, table.rows.length))} of {countText(table.rows.length)} rows of{" "}
        <code>{inertText(table.path)}</code>
        {table.rows.length > most && (
          <button type="button" class="more" onClick={() => setMost(most + PAGE)}>
            show more rows
          </button>
        )}
      </p>
    </>
  );
}
