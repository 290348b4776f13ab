type FileType = "application/json" | "text/csv" | "application/yaml" | "application/octet-stream";

/** Gives the reader a file. Its type is never one that a browser would open as a page. */
export function saveFile(name: string, type: FileType, content: string | Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
