/** Words without a subject: they are neither indexed nor searched. Folded as `foldWord` folds them. */
export const STOP_WORDS: ReadonlySet<string> = wordSet(`
  a about above after again against ain all also although always am an and any anybody anyone anything are aren as at
  be became because become been before being below between both but by can cannot could couldn d did didn do does doesn
  doing don done down during each either else enough etc ever every everybody everyone everything few for from further
  had hadn has hasn have haven having he hence her here hers herself him himself his how however i if in indeed into is
  isn it its itself just ll m ma may maybe me might mine more most much must my myself need neither never nevertheless
  no nobody none nor not nothing now of off often on once one only onto or other others otherwise our ours ourselves out
  over own per perhaps please quite rather re really s same seem seemed seems several shall she should shouldn since so
  some somebody someone something sometimes somewhere still such t than that the their theirs them themselves then there
  therefore these they thing things this those though through throughout thus to together too toward towards under until
  unless up upon us ve very via was wasn we well were weren what whatever when whenever where wherever whether which
  while who whoever whole whom whose why will with within without won would wouldn yes yet you your yours yourself
  hello hey hi thank thanks sorry okay ok whats hows wheres whos whens
`);

/**
 * Words that nearly every request and nearly every description has: they have a low weight, since sharing one of them
 * means nothing. {@link isWeakWord} takes the word before stemming.
 */
const WEAK_WORDS: ReadonlySet<string> = wordSet(`
  able access additionally allow api apis ask available based best better call can come current currently data
  detail details endpoint endpoints fetch find first free friend friends get gets getting give given gives go going
  good got great help helps include including info information interested keep kind know known last
  latest let like list long look looking lot made main make makes making many mean new nice number old open order
  part people plan planning possible provide provided provides public put query recommend request response result results
  retrieve return returned returns right run say search see set show single specific start starting suggest sure take
  tell three try turn two use used user uses using value values various want wants way week work working world year
`);

/** Whether the word, folded and not yet stemmed, is too common in requests to identify the subject. */
export function isWeakWord(word: string): boolean {
  return WEAK_WORDS.has(word);
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
