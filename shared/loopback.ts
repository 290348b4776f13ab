/** Whether a host, as it is bound or as a URL has it, is reached by this machine alone; what a name resolves to is not asked. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
