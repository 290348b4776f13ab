const timeoutMs = 3_000;

/** Whether TLS answers at the host and port of an http address. Sends nothing but the TLS handshake; never rejects. */
export async function speaksTls(address: string): Promise<boolean> {
  const { connect } = await import("node:tls");
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  return await new Promise((resolve) => {
    // This only checks whether there is a certificate, and sends no data: it need not be a trusted one.
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
