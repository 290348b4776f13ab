import { foldWord } from "../../../text/analyse-text.ts";
import type { EndpointEffect, TakenKind } from "../../documents/endpoint-shape.ts";
import { type AskedDays, readDays } from "./asked-days.ts";
import { CALCULATION, CONVERSION, CURRENCY_PAIR } from "./quantities.ts";
import { regionsIn } from "./regions.ts";
import { spokenLanguagesIn } from "./spoken-languages.ts";

/** What a query brings along and wants, beyond its subject. */
export interface Intents {
  /** Things whose writing tells what they are: an address of the internet, coordinates. */
  readonly brings: ReadonlySet<TakenKind>;
  /** Whether something in it may be an identifier: it has a digit, and is no year, no number and no date. */
  readonly bringsId: boolean;
  /** Whether it says what it is about, which is no title. */
  readonly hasTopic: boolean;
  /** Whether it asks for coordinates and has none. */
  readonly wantsCoordinates: boolean;
  /** What is to happen, if a verb says so. */
  readonly effect?: WantedEffect;
  /** ISO 639 codes of the languages that the answer is to be in: "news in Spanish". */
  readonly languages: ReadonlySet<string>;
  /** ISO 3166 codes of the countries that it names, or has a place of. */
  readonly regions: ReadonlySet<string>;
  readonly days?: AskedDays;
}

/** What a caller wants to happen. */
export type WantedEffect = Exclude<EndpointEffect, "any">;

/** "10 Downing Street". */
const STREET_BEFORE =
  /\b\d{1,5}[a-z]? (?:\p{Lu}[\p{L}'.-]* ){1,4}(?:street|st|avenue|ave|road|rd|lane|drive|boulevard|blvd|square|place|court|terrace)\b/iu;
/** "Alexanderplatz 5", "rue de Rivoli 12". */
const STREET_AFTER =
  /\p{L}(?:stra(?:ß|ss)e|platz|weg|allee|gasse|straat|laan|gatan|gata|vägen) \d{1,4}\b|\b(?:rue|via|calle|avenida|rua|piazza|plaza) [\p{L} '-]{2,40}\d{1,4}\b/iu;

const BROUGHT: readonly (readonly [kind: TakenKind, pattern: RegExp])[] = [
  ["coordinates", /(?<![\d.])-?\d{1,2}\.\d+°?[NS]?\s*[,;/ ]\s*-?\d{1,3}\.\d+/],
  ["ip", /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|(?<![\w:])(?:[\da-f]{1,4}:){3,7}[\da-f]{0,4}(?![\w:])/i],
  ["email", /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/],
  [
    "url",
    /https?:\/\/|(?<![@\w.-])(?:[a-z\d-]+\.)+(?:com|org|net|io|dev|gov|edu|eu|de|fr|uk|it|es|nl|ch|info|ai|app)(?![\w-])/i,
  ],
  ["code", /(?<![\d.,+])\d{8}(?:\d{4,6})?(?![\d.,])|\b10\.\d{4,9}\/\S+|\b97[89][\d-]{10,14}\b/],
  ["expression", CALCULATION],
  ["expression", CONVERSION],
  ["currencies", CURRENCY_PAIR],
  ["address", STREET_BEFORE],
  ["address", STREET_AFTER],
];

/** `today`: the number of the day since 1970. */
export function readIntents(q: string, today: number): Intents {
  const brings = new Set(BROUGHT.flatMap(([kind, pattern]) => (pattern.test(q) ? kind : [])));
  const effect = effectOf(q);
  const days = readDays(q, today);
  return {
    brings,
    bringsId: /\b(?!(?:1[89]|20)\d\d\b)(?=[\w-]*\d)(?:[\w-]*[A-Za-z_-][\w-]*|\d{5,})\b/.test(
      q.replace(/\b\d+(?:st|nd|rd|th|s|am|pm|km|kg|m|h|d)\b/gi, " "),
    ),
    hasTopic: /\b(?:about|on|regarding|concerning|mentioning)\s+\S/i.test(q) && !/["“”«»]/.test(q),
    wantsCoordinates: !brings.has("coordinates") && WANTS_COORDINATES.test(q),
    ...(effect !== undefined && { effect }),
    languages: spokenLanguagesIn(q),
    regions: regionsIn(q),
    ...(days !== undefined && { days }),
  };
}

/**
 * The intents of one wording of a need, beside those of the others: the place, the time and the language count for all of
 * them, whichever names them. What is in hand does not: for another wording it is the kind of thing and no longer the thing.
 */
export function joinIntents(own: Intents, others: readonly Intents[]): Intents {
  if (others.length === 0) return own;
  const days = own.days ?? others.find((one) => one.days !== undefined)?.days;
  const union = (of: (intents: Intents) => ReadonlySet<string>) =>
    new Set([own, ...others].flatMap((one) => [...of(one)]));
  return {
    ...own,
    languages: union(({ languages }) => languages),
    regions: union(({ regions }) => regions),
    ...(days !== undefined && { days }),
  };
}

const WANTS_COORDINATES = /\b(?:coordinates?|latitude|longitude|lat\/?l(?:on|ng)|geocode)\b(?!\s*[:=]?\s*-?\d)/i;

/*
 * All verbs are English: an ask in another language has no effect that is known.
 */

const SHOWING = words("show list get find fetch read view look retrieve display count search");
const ASKING = words("which what how who where when");

/** Verbs in the order of how much harm a call against the wish does. */
const CHANGING: readonly (readonly [effect: WantedEffect, verbs: ReadonlySet<string>])[] = [
  ["deletes", words("delete remove erase drop purge cancel revoke")],
  ["updates", words("update change modify edit rename set replace")],
  ["creates", words("create add post register insert send upload publish submit")],
];

/** Words that begin an order before its verb: "please delete", "I want to send". */
const POLITE = words("please can could would you i we want need like to let me us just now d id");

/** What is to be changed: "the key", "all files". Without it the verb may be a noun: "cancel culture", "set theory". */
const THING = /^\s+(?:an?|the|this|that|these|those|it|them|all|every|any|my|our|your|his|her|its|their)\b/iu;

/** Only a view: "create a chart". */
const VIEW =
  /^\s+(?:an?|the|me|us|a new)\s+(?:\p{L}+\s+)?(?:list|table|chart|report|overview|summary|map|pdf|screenshot|picture|image|graph|plot)s?\b/iu;

/** "how do I", "how to": the way is asked for, and what is to happen follows. */
const ASKS_THE_WAY = /^how\s+(?:to|do|does|can|could|should|would|might)\b/i;

/** A wish to see something ends where something is to be done: "find a way to send", "list my keys and delete them". */
const DOING_AFTER = /\b(?:to|and|then)\s+(\p{L}+)/giu;

/** The verb that an order begins with. */
function effectOf(q: string): WantedEffect | undefined {
  for (const found of q.matchAll(/\p{L}+/gu)) {
    const word = foldWord(found[0]);
    const after = q.slice(found.index + found[0].length);
    if (ASKING.has(word))
      return ASKS_THE_WAY.test(found[0] + after) || hasChange(/\p{L}+/gu, after) ? undefined : "reads";
    if (SHOWING.has(word)) return hasChange(DOING_AFTER, after) ? undefined : "reads";
    const changing = changeOf(word);
    if (changing !== undefined) return THING.test(after) && !VIEW.test(after) ? changing : undefined;
    if (!POLITE.has(word)) return undefined;
  }
  return undefined;
}

function changeOf(word: string): WantedEffect | undefined {
  return CHANGING.find(([, verbs]) => verbs.has(word))?.[0];
}

function hasChange(pattern: RegExp, text: string): boolean {
  return [...text.matchAll(pattern)].some(([all, verb = all]) => changeOf(foldWord(verb)) !== undefined);
}

function words(spaced: string): ReadonlySet<string> {
  return new Set(spaced.split(" "));
}
