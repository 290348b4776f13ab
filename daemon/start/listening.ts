import { systemErrorCode } from "../../shared/system-error-code.ts";
import { ConfigRefused } from "../config/config-refused.ts";

export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
  /** The settings that name the port and the host, for messages. */
  readonly setting: string;
  readonly hostSetting: string;
}

/** What `listen` resolves to. Throws `ConfigRefused`, with the setting to change, where the address cannot be used. */
export async function listening<Result>(
  { host, port, setting, hostSetting }: ListeningAddress,
  listen: () => Promise<Result>,
): Promise<Result> {
  try {
    return await listen();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EADDRINUSE") {
      throw new ConfigRefused(
        `Port ${port} on ${host} is in use. Choose another with ${setting}, or 0 for any free one`,
      );
    }
    if (code === "EACCES") {
      throw new ConfigRefused(`Port ${port} on ${host} needs more privileges. Choose one from 1024 up with ${setting}`);
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new ConfigRefused(`${host} is not an address of this machine. Name one with ${hostSetting}`);
    }
    throw error;
  }
}
