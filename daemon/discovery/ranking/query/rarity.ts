/** How much it says of a document that it has a word which so many of all documents have: ln(1 + (N − n + ½) / (n + ½)). */
export function rarity(having: number, documents: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5));
}
