/**
 * How many characters a text has: its Unicode code points, which is what JSON Schema's maxLength counts too. A letter
 * beyond the first 65,536 is one, an emoji that is joined of several is several, half a surrogate pair is one.
 */
export function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}
