import { createServer } from "node:net";
import { type DoctorCheck, fine, type Finding, found, skipped } from "../../cli/doctor/check.ts";
import { isDaemonAlive } from "../../cli/connection/daemon-alive.ts";

/** Whether a daemon started now would get its ports and accept its settings. */
export function portCheck(bundledCatalogDir: string): DoctorCheck {
  return {
    name: "ports",
    async look({ io, places, settings, namesDataDir }) {
      // A backup is checked while the daemon that it came from runs.
      if (namesDataDir && settings?.localDaemon === undefined) return skipped("no daemon was started on this folder");
      if (settings !== undefined && settings.profile.name !== "local") return skipped("the profile is another service");
      if (settings?.localDaemon !== undefined && isDaemonAlive(settings.localDaemon))
        return fine("the daemon has them");
      const { parseDaemonConfig } = await import("../../daemon/config/daemon-config.ts");
      let config;
      try {
        const surroundings = { environment: io.env, bundledCatalogDir, version: io.version };
        config = parseDaemonConfig({ dataDir: places.dataDir }, surroundings);
      } catch (error) {
        const message = error instanceof Error ? `${error.message}.` : String(error);
        return found("the daemon's settings cannot be used", { message, next: "env | grep ^MKT_" });
      }
      const { host, port, registryPort } = config;
      const taken = (await Promise.all([port, registryPort].map((one) => takenPort(host, one)))).flat();
      return found(`${host}, ports ${port} and ${registryPort}`, ...taken);
    },
  };
}

async function takenPort(host: string, port: number): Promise<Finding[]> {
  if (port === 0) return [];
  const code = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
  if (code === undefined) return [];
  const why = code === "EADDRINUSE" ? "another program has it" : `it cannot be opened (${code})`;
  return [
    {
      message: `The daemon could not open port ${port} of ${host}: ${why}.`,
      next: "mkt daemon start --port 0 --registry-port 0",
    },
  ];
}
