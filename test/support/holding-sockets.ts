/** How many open sockets keep this process from ending. */
export function holdingSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
}
