/**
 * The lines that are taken away (`- …`) and put in (`+ …`), between what both begin and end with; values of names that sound
 * like secrets are left out. Pure.
 */
export function changedLines(before: string, after: string): string[] {
  const [old, fresh] = [toLines(before), toLines(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  return [
    ...old.slice(head, old.length - tail).map((line) => `- ${withoutSecrets(line)}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+ ${withoutSecrets(line)}`),
  ];
}

function withoutSecrets(line: string): string {
  return line.replace(/([\w-]*(?:key|token|secret|password|auth)[\w-]*"?\s*[:=]\s*)"(?:[^"\\]|\\.)*"/gi, '$1"…"');
}

function toLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
