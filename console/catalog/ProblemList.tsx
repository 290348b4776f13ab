import type { CatalogFileError } from "../../shared/contract/admin.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { Copied } from "../parts/Copied.tsx";
import { Inert } from "../parts/Inert.tsx";
import { counted } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";

/** Nobody reads more of one file before they mend something. */
const MOST = 50;

/** Problems by file: the line, the place, what is wrong and how to mend it, and the command that looks again. */
export function ProblemList({ problems }: { readonly problems: readonly CatalogFileError[] }) {
  const byFile = new Map<string, CatalogFileError[]>();
  for (const problem of problems) byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), problem]);
  return (
    <ul class="found">
      {[...byFile].map(([file, ofFile]) => (
        <li key={file} class="card">
          <div class="card-head">
            <h3>
              <Inert text={file} most={200} />
            </h3>
            <span class="muted">{counted(ofFile.length, "problem")}</span>
          </div>
          <ol class="problems">
            {ofFile.slice(0, MOST).map(({ line, path, message, rule }) => (
              <li key={`${line} ${path} ${rule} ${message}`}>
                <p>
                  {line !== undefined && <strong>Line {line}</strong>}
                  {line !== undefined && path !== "" && " · "}
                  {path !== "" && (
                    <code>
                      <Inert text={path} most={160} />
                    </code>
                  )}
                </p>
                <p>
                  <Inert text={message} most={600} /> <span class="muted">({inertText(rule)})</span>
                </p>
              </li>
            ))}
          </ol>
          {ofFile.length > MOST && <p class="muted">The first {MOST} are shown.</p>}
          <p class="muted">Mend the file there, and save it: it is read again at once. To check it first, type:</p>
          <Copied text={inertText(shellLine("mkt", "catalog", "check", file))} label="The command that checks it" />
        </li>
      ))}
    </ul>
  );
}
