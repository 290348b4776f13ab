/**
 * The number of characters of a text, counted as Unicode code points, as JSON Schema's maxLength does. A character
 * beyond the first 65,536 counts as one, an emoji joined from several as several, half a surrogate pair as one.
 */
export function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}
