/**
 * Words of the other languages that are English too, or are common in English queries: they do not tell that a query is
 * of another language. In a query that is, they are translated as all others: "pain" is bread. Folded; their English plurals need not be listed. English words
 * that something is translated into belong to these as well, and are not listed.
 */
export const FALSE_FRIENDS: ReadonlySet<string> = new Set(
  `
  actual adress administration affairs ai al alert alt altitude animal ann api ar aires arm art as assurance ate aud audio
  ave avis bad bald ball ballon bank bar base bases been beer big bin bitter bone boom boot boots born bot brand branch brief
  brute bureau but c ca call calls cap cape car care cas casa case casual cats cents ce chair champ chance change charge
  chat chef chi chic chose citation climb co2 cod coda coin cola coli com come comment commerce compatible consume
  control coordinate core cores correct costa cours course courses court crypto cure da dam dan data date de debit del
  dent depart departs dev die dime dire direct doctor doi dollars door doors dose dove drank du due e ean ed el en era
  error essence estate eu eur even excursion express extra faso fall falls far fare fast fatigue festive file final fin
  find fine firm font foot formation fort four fur gang gare gar gas gel gen gene general genes genre gift gilet git glad
  golden golf grab grade grand grande grape grave group hall hand hard hare hat heel hell help herb herd hier hit hits
  hose hot hut il im indices inform interior io is issuer iste j jar je job journal kane kind kit kok l la lamp land lap
  las last lat latin le lecture legal les less lid links lira lists lo local loco long loop lord los loss lotto lunar m
  main major mal male man map marc mare marine mark marker marx mas mass matin mayor med media meet memoir men menu mesa
  met mil minor mine mist mode moment monet montana mop mot n nav natal natural net nice non normal nord not notes nu nut
  o of official on once ons open opinions organism or over pace pad page pain pan pane panels parse parties pass pate pays
  pen pet pie pile pin pink plan plane plate plume plus pod pool port pot pour pre premier press prima prime pro prose
  quota race radio ramp rang rat real records red reel regular reserve respond resume rind rio rock roman romance rome room
  rose rot routes sable sai sal salad sale salon salut sam san sans santa sara sci science scene sector sed see sera serve
  sense sensible serie signal simple sin sit site sites ski slim slot sol sold sole solo son sort spell spatial spin spot
  stand star stat stella step stern stop store superior supports sure talent tale tang tante tap te temp temple temps ten
  tempo test theme theatre tier tim tin tip tire tiles titre todo toe ton tone total tour travail trap tu tumor un unde uni
  uno us va vague van vas vent ver verifier verse vest vie vin vis vision visit vol volumes voyager vue wall wand want war
  warm was wet wild wind wolf worst y yo status service network sales score attraction ticket percentage
  cost theater action listen balance special state latitude longitude conversion info python certain change valid tag
  alert pay camera grades phrase tone plan ocean postcode uber janeiro late homepage miss seen petrol von javascript
  scraper stripe vision calc lori papa lose signals sorts observation sprite allergies medicine scenes firms
  modification races sims passes circulation stopwatch planes holes bugs auto con application
  `
    .trim()
    .split(/\s+/),
);
