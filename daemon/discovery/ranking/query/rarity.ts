/** The weight of a word that this many of all documents have: ln(1 + (N − n + ½) / (n + ½)). */
export function rarity(having: number, documents: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5));
}
