const timeoutMs = 3_000;

/** Whether TLS answers at the host and port of an http address. Sends nothing but the greeting of TLS; never rejects. */
export async function speaksTls(address: string): Promise<boolean> {
  const { connect } = await import("node:tls");
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  return await new Promise((resolve) => {
    // Only whether there is a certificate is asked, and nothing is told: it need not be one to trust.
    const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false });
    const end = (speaks: boolean) => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once("secureConnect", () => end(true));
    socket.once("error", () => end(false));
  });
}
