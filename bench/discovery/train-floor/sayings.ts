/*
 * What people say that no data endpoint answers, put together from lists: orders about a household and a body, questions to
 * the other and about the world, feelings, proverbs, other languages, jumbled keys. None is taken from a collection.
 */

const HOUSEHOLD_ORDERS: readonly (readonly [verbs: string, things: string])[] = [
  [
    "wash|rinse|scrub|dry|wipe|clean",
    "dishes|plates|windows|floor|car|sink|bathtub|curtains|your hands|your face|the mirror",
  ],
  ["mop|vacuum|dust|tidy|sweep", "floor|kitchen|hallway|shelves|stairs|attic|balcony|living room|carpet"],
  ["iron|hang up|mend|sew|stitch|darn|fold", "shirts|trousers|socks|napkins|blanket|towels|dress|bedsheets"],
  [
    "cut|slice|grate|mash|stir|bake|fry|roast|knead|season|chop",
    "carrots|bread|cheese|cake|soup|dough|chicken|apples|garlic|cucumber|sauce",
  ],
  [
    "pour|bring me|hand me|fetch me|get me|fill",
    "milk|glass of juice|cup of tea|spoon|pepper|butter|towel|blanket|scissors|pillow|beer",
  ],
  ["water|trim|rake|dig|plant|prune|pick", "garden|leaves|hedge|roses|lawn|weeds|tomatoes|flower bed"],
  ["lift|push|pull|drag|drop|carry|move|lean", "table|sofa|bricks|bucket|wardrobe|suitcase|rope|plank"],
  ["open|close|shut|lock|knock on|slam", "door|window|drawer|gate|curtains|lid|cupboard|umbrella"],
  [
    "polish|shine|paint|sand|hammer|nail|screw|saw|fix|varnish",
    "silver|shoes|fence|chair|wall|shelf|wood|doorknob|boat",
  ],
  ["feed|brush|pet|groom|walk|bathe", "cat|dog|hens|horse|rabbit|goldfish|baby"],
  ["take out|throw away|pick up|put away|empty", "trash|garbage|toys|bottles|ashtray|bin|dirty clothes|your things"],
  ["light|blow out|put out", "candle|fire|cigarette|stove|fireplace"],
];

const BODY_ORDERS = split(`
  sit down|stand up|stand still|lie down|kneel|crouch|bend your knees|bend over|stretch your arms|raise your hand|lower your arms
  turn around|turn your head|look at me|look away|open your mouth|shut your mouth|stick out your tongue|clench your fist
  clap your hands|snap your fingers|stomp your feet|tap your foot|wiggle your toes|touch your nose|cross your legs|scratch my head
  hop on one leg|skip along|run faster|walk slowly|crawl under the bed|climb the tree|roll over|swim to the shore
  breathe in and out|hold your breath|blow your nose|chew your food|swallow it|spit it out|lick the spoon
  kiss me|shake hands|wave goodbye|bow to the queen|dance with me|sing louder|hum a tune|whisper it in my ear
  stop laughing|stop crying|stop talking|stop it right now|stop chewing your pencil|quit yelling|do not touch that|leave me alone|go away
  get out of here|come here|come back|wait for me|follow me|go to bed|go to sleep|wake up|get dressed|put on your coat|take off your hat
  brush your teeth|comb your hair|wash behind your ears|tie your shoes|button your jacket|roll up your sleeves|straighten your back
  be quiet|be careful|be nice to her|calm down|relax|smile for me|cheer up|hurry|slow down|keep going|do not give up|hold tight
  keep your chin up|stand by the door|wait in the car|help me up|rub my shoulders
  give me your hand|give her the ball|throw me the ball|catch it|kick the door|punch the pillow|squeeze the lemon
  dig a hole|build a sandcastle|fly a kite|ride the bike home|row the boat|ring the bell|beat the drum|toss a coin in the well
`);

const WONDERINGS: readonly (readonly [openings: string, ends: string])[] = [
  [
    "why do|how come|do|can|will|should",
    "we exist|people suffer|we age|birds sing|cats purr|humans cry|we fear death|we forget|children laugh|dogs know that they will die|people fall in love|we need sleep|plants feel pain|babies remember being born|trees talk to each other|we laugh|bees feel joy",
  ],
  [
    "what is|define for me what is|who knows what is|does anyone know what is",
    "truth|freedom|justice|time|nothingness|evil|consciousness|friendship|the soul|wisdom|reality|the purpose of it all|infinity|destiny|a good life|the self|art",
  ],
  [
    "is|could it be that|do you think",
    "fate real|everything an illusion|everything predetermined|life fair|there life after death|nobody truly free|time real|the past real|silence a sound|truth relative|money the root of evil|war ever just|the glass half empty|anything certain|this all a dream|history doomed to repeat itself",
  ],
  [
    "what would happen if|imagine if|what if|suppose that",
    "nobody had to work|we lived forever|the moon vanished|animals could talk|everyone could read minds|you could fly|nobody ever died|we never slept|the earth stopped turning|I were someone else|you could go back in time|you had three wishes",
  ],
  [
    "how can I|how do I|how should one|how does one",
    "be happy|find peace|stop being afraid|live well|know who I am|let go of the past|be a good friend|learn to trust|be brave|overcome grief|forget her|stop worrying|make sense of life",
  ],
  [
    "why is|why was|why does|why must",
    "life so hard|everyone so mean|love so painful|winter so gloomy|summer fly by|the world so cruel|nobody happy|everything end|the night feel so long|music so moving|it always my fault|she so angry|waiting take forever|there anything at all",
  ],
  [
    "which is better,|which comes first,|who would win,|what do you prefer,",
    "love or money|cats or dogs|mind or matter|a bear or a shark|night or day|pirates or ninjas|the question or the answer|tea or coffee|to give or to receive",
  ],
];

const TO_THE_OTHER: readonly (readonly [openings: string, ends: string])[] = [
  [
    "do you|don't you|did you ever|would you|can you",
    "love me|feel pain|get bored|dream|sleep at night|eat|have a family|like me|miss me|cry|want to be human|remember me|feel sad|have feelings|ever get tired|want to play with me|hate me|trust anybody",
  ],
  [
    "are you|aren't you|were you|you are",
    "happy|alive|human|a robot|my friend|married|lonely|smart|joking|angry with me|okay|conscious|scared of the dark|so funny|a genius|stupid|a liar|not listening|my hero|kidding me|so annoying|adorable",
  ],
  [
    "who|where|how|what",
    "are you|do you live|were you born|are you feeling|are you doing|is your favorite color|do you look like|are you wearing|do you want from me|are you afraid of|is up|is new with you|did you do yesterday|are you thinking about",
  ],
  [
    "you",
    "make me angry|made my day|mean the world to me|are driving me crazy|saved my life|look tired|sound sad|broke my heart|have pretty eyes|should be ashamed|know me so well|rock",
  ],
];

const FEELINGS: readonly (readonly [openings: string, ends: string])[] = [
  [
    "I am|I'm|I am so|I feel|I feel so|we are|today I am",
    "sad|happy|tired|lonely|hungry|sleepy|excited|angry|confused|nervous|in love|heartbroken|exhausted|fed up|grateful|ashamed|jealous|cold|scared|proud of you|a bit down|great|awful|blue|over the moon|sick of it all",
  ],
  [
    "I|I really|my mother used to say I|honestly I",
    "love my cat|hate Mondays|miss home|want to go home|cried all night|cannot sleep|had a bad dream|had a wonderful day|lost my keys again|want my mommy|adore you|want to give up|wish it were over|had the worst week|feel like crying|forgive you|could eat a horse|am just kidding|don't care",
  ],
  [
    "my",
    "cat is sleeping|sister got married|father snores|back hurts|feet are cold|boss is a jerk|kids are driving me mad|girlfriend left me|mother is angry|hair looks silly|best friend is moving away|son said his first word|roommate never cleans up",
  ],
  [
    "what a|such a|it was a|have a|wish you a",
    "beautiful day|wonderful morning|horrible week|nice evening|lovely surprise|great weekend|pity|mess|relief|good night|safe trip|merry christmas|happy birthday|joke|crazy world|waste of time|pleasant afternoon",
  ],
];

const SMALL_TALK = split(`
  hi|hello|hello there|hey|hey you|good morning|good evening|good night|good afternoon|how are you|how is it going|how have you been
  nice to see you|pleased to meet you|it is nice to meet you|long time no see|see you|see you soon|bye|bye bye|goodbye|farewell
  take care|sleep well|sweet dreams|thanks|thank you|thank you so much|thanks for everything|many thanks|much appreciated|you're welcome
  sorry|I am sorry|excuse me|pardon me|oops|no problem|no worries
  don't mention it|all good|fine|okay|alright|sure|of course|maybe|yes please|no thanks|not really|I guess so|whatever|who cares|so what
  oh well|oh my god|wow|cool|awesome|lol|haha|just kidding|are you sure|really|is that so|you don't say|tell me about it|same here|me too
  cheers|congrats|well done|good job|good luck|break a leg|keep in touch|get well soon|happy birthday to you|welcome back|welcome home
  what's new|what's going on|what is the matter|what's wrong with you|what do you mean|say that again|I don't understand|I have no idea
  let's be friends|let's go|let's dance|let it be|leave it|that's enough|that's life|that's funny|that is so true|that hurts|I knew it
  it's been a long day|it's getting late|I have to go now|talk to you later|give them my love
`);

const PROVERBS = split(`
  a stitch in time saves nine|actions speak louder than words|a rolling stone gathers no moss|still waters run deep|better late than never
  every cloud has a silver lining|two wrongs do not make a right|when in rome do as the romans do|the grass is always greener
  do not cry over spilled milk|curiosity killed the cat|barking up the wrong tree|it takes two to tango|piece of cake|break the ice
  once in a blue moon|the apple does not fall far from the tree|practice makes perfect|where there is smoke there is fire
  beggars can't be choosers|an eye for an eye|blood is thicker than water|birds of a feather flock together|easy come easy go
  fortune favours the bold|haste makes waste|kill two birds with one stone|let sleeping dogs lie|look before you leap|love is blind
  no pain no gain|out of sight out of mind|rome was not built in a day|the pen is mightier than the sword|time heals all wounds
  you reap what you sow|hope springs eternal|all the world's a stage|mary had a little lamb|twinkle twinkle little star
  humpty dumpty sat on a wall|row row row your boat|the quick brown fox jumps over the lazy dog|knock knock who's there
  she sells sea shells by the sea shore|long ago in a land far away|the wind whispered through the old trees|she smiled and said nothing
`);

const OTHER_LANGUAGES = split(`
  wie heisst du|ich bin müde|was machst du heute|das Leben ist schön|ich habe Hunger|mein Bruder schläft noch|komm bitte nach Hause
  me gusta el chocolate|mi hermana está triste|qué haces esta noche|te quiero mucho|hasta luego amigo|no sé qué decir|feliz cumpleaños abuelo
  bonsoir, comment allez-vous|je suis très fatigué|tu me manques|mon chat dort|il fait beau ce matin|à demain mes amis|c'est la vie
  ciao bella|sono molto felice|ti amo da morire|mia nonna cucina bene|come stai oggi|non ho voglia di lavorare
  eu te amo|estou com saudade|como vai você|minha mãe está feliz|até logo|ik hou van jou|hoe gaat het met je|mijn hond is ziek
  jag älskar dig|hur är det idag|jeg elsker deg|hvordan har du det|minä rakastan sinua|mitä kuuluu|kocham cię|co u ciebie słychać
  miluji tě|jak se vede|szeretlek|hogy vagy|te iubesc|ce mai faci|seni seviyorum|ne yapıyorsun|aku cinta kamu|apa yang kamu lakukan
  nakupenda sana|habari za asubuhi|mahal kita|kumusta ka|anh yêu em|bạn khỏe không|я тебя люблю|как дела|мой кот спит|что ты делаешь
  я дуже втомився|обичам те|σ' αγαπώ|πώς είσαι σήμερα|我爱你|你叫什么名字|我很累|再见|愛してる|お腹すいた|またね|사랑해요|배고파요
  أنا أحبك|ماذا تفعل|أنا متعب|मैं थक गया हूँ|तुम क्या कर रहे हो|ฉันรักเธอ|คุณชื่ออะไร|אני אוהב אותך|בוקר טוב|من خسته ام|
`);

const COURTESIES = ["", "", "", "please ", "now ", "could you please ", "would you "];
const ARTICLES = ["the ", "the ", "my ", "all the ", "that ", "a "];

/** Sayings of one kind are worth as much as those of another, however many there are. */
export interface SayingKind {
  readonly kind: string;
  readonly sayings: readonly string[];
}

export function readSayings(random: () => number): SayingKind[] {
  const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
  const households = HOUSEHOLD_ORDERS.flatMap(([verbs, things]) =>
    verbs
      .split("|")
      .flatMap((verb) =>
        things.split("|").map((thing) => `${one(COURTESIES)}${verb} ${withArticle(thing, one(ARTICLES))}`),
      ),
  );
  const pairs = households.map((order) => (random() < 0.25 ? `${order} and ${one(households)}` : order));
  return [
    { kind: "household", sayings: pairs },
    {
      kind: "body",
      sayings: BODY_ORDERS.flatMap((order) => [
        order,
        `${one(COURTESIES)}${order}`,
        `${order} and ${one(BODY_ORDERS)}`,
      ]),
    },
    { kind: "wondering", sayings: combine(WONDERINGS) },
    { kind: "to the other", sayings: combine(TO_THE_OTHER) },
    { kind: "feeling", sayings: combine(FEELINGS) },
    { kind: "small talk", sayings: SMALL_TALK.flatMap((saying) => [saying, `${saying}, ${one(SMALL_TALK)}`]) },
    { kind: "proverb", sayings: PROVERBS },
    { kind: "language", sayings: OTHER_LANGUAGES },
    { kind: "keys", sayings: Array.from({ length: 150 }, () => jumble(random)) },
  ];
}

function combine(parts: readonly (readonly [string, string])[]): string[] {
  return parts.flatMap(([openings, ends]) =>
    openings.split("|").flatMap((opening) => ends.split("|").map((end) => `${opening} ${end}`)),
  );
}

function withArticle(thing: string, article: string): string {
  return /^(?:your|the) /.test(thing) ? thing : `${article}${thing}`;
}

function jumble(random: () => number): string {
  const key = () => "abcdefghijklmnopqrstuvwxyz"[Math.floor(random() * 26)] ?? "";
  const word = () => Array.from({ length: 3 + Math.floor(random() * 7) }, key).join("");
  return Array.from({ length: 1 + Math.floor(random() * 4) }, word).join(" ");
}

function split(text: string): string[] {
  return text
    .split(/[|\n]/)
    .map((saying) => saying.trim())
    .filter((saying) => saying !== "");
}
