/** Whether only this machine can reach a host, given as it is bound or as in a URL; names are not resolved. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
