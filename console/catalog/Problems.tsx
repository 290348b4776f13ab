import type { ProviderNotLoaded } from "../../shared/contract/admin.ts";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Shown } from "../parts/Shown.tsx";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { ProblemList } from "./ProblemList.tsx";

/** `#/catalog/problems`: what is wrong in the files of the catalog. */
export function Problems() {
  const catalog = useLoaded("problems", async (client, signal) => client.getAdminCatalog({}, { signal }));
  useReloadOn(["catalog", "reset"], catalog.reload);
  return (
    <Shown of={catalog}>
      {({ errors, notLoaded = [], folders }) =>
        errors.length === 0 ? (
          <Empty title="No file has a problem." command="mkt catalog check">
            <p>Files are read again when they change. To check one before you save it here, type:</p>
          </Empty>
        ) : (
          <>
            {notLoaded.length > 0 && <NotServed providers={notLoaded} />}
            <ProblemList problems={errors} />
            <p class="below muted">
              Folders: <Inert text={folders.join(", ")} most={600} />
            </p>
          </>
        )
      }
    </Shown>
  );
}

function NotServed({ providers }: { readonly providers: readonly ProviderNotLoaded[] }) {
  return (
    <p class="note" role="status">
      <strong>Not served until their files are mended: </strong>
      <Inert text={providers.map(({ provider }) => provider).join(", ")} most={600} />
    </p>
  );
}
