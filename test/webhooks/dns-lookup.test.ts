import { createSocket, type Socket } from "node:dgram";
import { lookup as systemLookup } from "node:dns";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { createDnsLookup } from "../../daemon/webhooks/dns-lookup.ts";
import { openReceiver } from "../../daemon/webhooks/receiver.ts";

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close();
});

/** The address of a name server; it answers no question without `answer`, which gets the question's type. */
async function nameServer(answer?: (type: number) => Buffer | undefined): Promise<string> {
  const socket = createSocket("udp4");
  opened.push(socket);
  socket.on("message", (question, { address, port }) => {
    const nameEnd = question.indexOf(0, 12) + 1;
    const data = answer?.(question.readUInt16BE(nameEnd));
    if (answer !== undefined) socket.send(answerTo(question.subarray(0, nameEnd + 4), data), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return `127.0.0.1:${socket.address().port}`;
}

/** RFC 1035: the question with one record, or with the code for a name that is not known. */
function answerTo(question: Buffer, data: Buffer | undefined): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(data === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(data === undefined ? 0 : 1, 6);
  head.writeUInt32BE(0, 8);
  if (data === undefined) return head;
  const type = question.readUInt16BE(question.length - 4);
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([head, record, data]);
}

const lookUpBy = (server: string) => (name: string) =>
  new Promise<unknown>((resolve, reject) => {
    createDnsLookup({ servers: [server], questionTimeoutMs: 100 })(name, { all: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });

test("a name leads to its addresses of both families", async () => {
  const four = Buffer.from([203, 0, 113, 7]);
  const six = Buffer.from("20010db8000000000000000000000007", "hex");
  const lookUp = lookUpBy(await nameServer((type) => (type === 1 ? four : six)));

  expect(await lookUp("hooks.example")).toEqual([
    { address: "203.0.113.7", family: 4 },
    { address: "2001:db8::7", family: 6 },
  ]);
});

test("a name with addresses of one family leads to those", async () => {
  const lookUp = lookUpBy(await nameServer((type) => (type === 1 ? Buffer.from([203, 0, 113, 7]) : undefined)));

  expect(await lookUp("hooks.example")).toEqual([{ address: "203.0.113.7", family: 4 }]);
});

test("a name that is not known is told so", async () => {
  const lookUp = lookUpBy(await nameServer(() => undefined));

  await expect(lookUp("hooks.example")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("a receiver whose name leads to a private address is refused", async () => {
  const server = await nameServer((type) => (type === 1 ? Buffer.from([127, 0, 0, 1]) : undefined));
  const receiver = openReceiver({ privateHosts: new Set(), lookup: createDnsLookup({ servers: [server] }) });
  const url = new URL("https://hooks.example/x");
  const signal = AbortSignal.timeout(10_000);

  const receipt = await receiver.post({ url, headers: {}, body: "{}", signal, nowMs: 0 });
  await receiver.close();

  expect(receipt.error).toContain("hooks.example is a private address");
});

test("names whose server never answers hold up no other look-up of the process", async () => {
  const lookUp = lookUpBy(await nameServer());
  const ended: string[] = [];
  const stuck = Array.from({ length: 32 }, async (_, place) => {
    await lookUp(`h${place}.example`).catch((error: { code: string }) => ended.push(error.code));
  });

  await promisify(systemLookup)("localhost");

  expect(ended).toEqual([]);
  await Promise.all(stuck);
  expect(new Set(ended)).toEqual(new Set(["EAI_AGAIN"]));
});
