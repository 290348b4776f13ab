/** Arithmetic that is written out: "17 % of 2340", "2 * 3", "square root of 1764". */
export const CALCULATION =
  /\d\s*(?:%|percent|per cent) of\s+\d|(?<![\w.-])\d+(?:\.\d+)?\s*(?:[*^×÷]|(?<=\s)[+/](?=\s)|\bx\b|\bplus\b|\bminus\b|\btimes\b|\bdivided by\b)\s*\d+(?:\.\d+)?(?![\w/-])|\b(?:square|cube) root of\s+\d|\d+ to the power of\s+\d/i;

const UNIT =
  "(?:(?:kilo|centi|milli|square |cubic |nautical )?(?:met(?:er|re)s?|gram(?:me)?s?|kilometers?)|kilos?|km|cm|mm|kg|lbs?|ft|miles?|inch(?:es)?|foot|feet|yards?|acres?|hectares?|pounds?|ounces?|stones?|tons?|tonnes?|lit(?:er|re)s?|gallons?|pints?|cups?|fahrenheit|celsius|kelvin|mph|km\\/h|kmh|knots?|joules?|calories|kcal|watts?|horsepower|psi|bars?|pascals?|gigabytes?|megabytes?|[gm]b)";

/** A quantity with two units: "26 miles in kilometres", "how many pints are 3 litres". */
export const CONVERSION = new RegExp(
  `\\b${UNIT}\\b[^.?!]{0,40}?\\d[\\d.,]*\\s*(?:degrees? )?${UNIT}\\b|\\d[\\d.,]*\\s*(?:degrees? )?${UNIT}(?:\\s+\\d+)?\\s+(?:is |are )?(?:to|in|into|as)\\s+(?:degrees? )?${UNIT}\\b`,
  "i",
);

const CURRENCY =
  "(?:[Dd]ollar|[Ee]uro|[Pp]ound|[Yy]en|[Yy]uan|[Ff]ranc|[Rr]and|[Rr]upee|[Pp]eso|[Zz]loty|[Ff]orint|[Kk]ron(?:a|e|er|or)|[Kk]oruna|[Ll]ira|[Bb]aht|[Rr]o?uble|[Ss]hekel|[Dd]irham|[Rr]iyal|[Rr]inggit|[Rr]upiah|[Rr]eais|USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|TRY|ZAR|INR|CNY|BRL|MXN|KRW|SGD|HKD|THB|ILS|AED)";

/** Two currencies: "what is a pound in dollars", "EUR/PLN". */
export const CURRENCY_PAIR = new RegExp(`\\b(${CURRENCY})s?\\b[^.?!]{0,60}?\\b(?!\\1)${CURRENCY}s?\\b`);
