/**
 * Words that hold a sentence together, and what requests begin with. English | German | French | Spanish | Portuguese |
 * Italian | Dutch; "-" where English needs no word. Written by hand from general knowledge of the languages.
 */
export const FUNCTION_WORDS = `
the | der, die, das, den, dem, des | le, la, les, l | el, la, los, las, lo | o, a, os, as | il, lo, la, i, gli, le, l | de, het, 't
a | ein, eine, einen, einem, einer, eines | un, une, des | un, una, unos, unas | um, uma, uns, umas | un, uno, una | een
of | von, vom | de, du, d | de, del | de, do, da, dos, das | di, del, della, dello, dei, degli, delle, dell, d | van
in | in, im, ins | en, dans, à | en | em, no, na, nos, nas, num, numa | in, nel, nella, nello, nei, nelle, nell, negli | in, binnen
to | zu, zum, zur, nach | au, aux, vers | a, al, hacia | à, ao, aos, às, para | a, al, allo, alla, ai, alle, all, agli | naar, te, tot
for | für | pour | para, por | por, pelo, pela, pelos, pelas, pra | per | voor
from | aus, seit, ab | depuis, dès | desde | desde | da, dal, dalla, dai, dallo, dall, dalle | vanaf, sinds
with | mit | avec | con | com | con, col | met
without | ohne | sans | sin | sem | senza | zonder
on | auf, am | sur | sobre | sobre, em cima | su, sul, sulla, sui, sulle, sull | op
about | über | à propos, au sujet, concernant | acerca, sobre | sobre, acerca | circa, riguardo, sulla | over
at | bei, beim, an | chez | en, junto | em, junto | presso | bij, aan
by | durch, laut, gemäß | par, selon | según, mediante | segundo, conforme | secondo, tramite | door, volgens
and | und, sowie | et | y, e | e | e, ed | en
or | oder | ou | o, u | ou | o, oppure | of
but | aber, sondern | mais | pero, sino | mas, porém | ma, però | maar
not | nicht, kein, keine, keinen | ne, n, pas | no | não | non | niet, geen
how are you | wie geht es dir, wie geht s, wie geht es, wie geht es ihnen | comment ça va, ça va, comment vas tu, comment allez vous | cómo estás, qué tal, cómo está usted | como você está, como estás, tudo bem | come stai, come va, come sta | hoe gaat het, hoe gaat het met je
i am | ich bin | je suis | estoy, soy | estou, sou | sono io, io sono | ik ben
has been | wurde, wurden | ont été, a été, avoir été | ha sido, han sido | foi sido, têm sido | è stato, sono stati | werd, werden
where is | wo ist, wo sind, wo liegt | où est, où sont, où se trouve | dónde está, dónde están | onde está, onde fica, onde estão | dov è, dove si trova, dove sono | waar is, waar ligt
what is | was ist, wie ist | quel est, quelle est, quels sont, quelles sont, qu est-ce que | cuál es, qué es, cuáles son | qual é, o que é, quais são | qual è, che cos è, quali sono | wat is, wat zijn
what | was, welche, welcher, welches, welchen, welchem | quel, quelle, quels, quelles, quoi | qué, cuál, cuáles | qual, quais, o que, que | che, cosa, quale, quali, qual | wat, welke, welk
who | wer, wen, wem | qui | quién, quiénes | quem | chi | wie
when | wann | quand | cuándo | quando | quando | wanneer
where | wo, woher, wohin | où | dónde, adónde | onde, aonde | dove, dov | waar
how | wie | comment | cómo | como | come | hoe
how many | wie viele, wieviele | combien, combien de | cuántos, cuántas | quantos, quantas | quanti, quante | hoeveel
how much | wie viel, wieviel | combien coûte | cuánto, cuánta | quanto, quanta | quanto, quanta | hoeveel kost
why | warum, wieso, weshalb | pourquoi | por qué | por que, porquê | perché | waarom
is | ist | est, c est, est-ce | es, está | é, está | è, sta, c è | is
are | sind, seid | sont | son, están | são, estão | sono, siete | zijn, bent, ben
there is | gibt es, gibt s | il y a, y a-t-il | hay | há | c è, ci sono | er is, er zijn
was | war, waren, gewesen | était, étaient, fut | fue, era, eran, fueron | foi, era, foram, eram | era, fu, erano, stato, stata | was, waren
have | hat, habe, haben, hab, hatte, hatten | a, ont, ai, avez, avons, avait | ha, han, tiene, tienen, tengo, había | tem, têm, tenho, havia | ha, hanno, ho, abbiamo, aveva | heeft, heb, hebben, had
will | wird, werden, werde, wirst | va, vont, sera, fera, allez | va, será, van | vai, será, vão | sarà, farà, va, saranno | gaat, gaan, zal, zullen, wordt, worden
can | kann, können, kannst, könnte, könntest | peut, peux, peuvent, pouvez, pourrais | puede, puedes, puedo, pueden, podría, podrías | pode, posso, podem, podes, poderia | può, puoi, posso, possono, potresti, potrebbe | kan, kun, kunnen, zou, kunt
should | soll, sollte, sollten | doit, devrait, faut | debe, debería, hay que | deve, deveria | deve, dovrebbe, bisogna | moet, moeten, zou moeten
i | ich | je, j, moi | yo | eu | io | ik
me | mir, mich | me, m | me, mí | me, mim | mi, me, m | mij
you | du, sie, ihr, dir, dich, euch | tu, vous, te, t, toi | tú, usted, ustedes, ti | tu, você, vocês, te | tu, voi, ti, lei | je, jij, u, jullie, jou
we | wir, uns | nous, on | nosotros, nos | nós, nos | noi, ci | wij, we, ons
it | es | il, elle, ça, cela, ce, c | ello, eso, esto | ele, ela, isso, isto | esso, ciò, questo, ne | het, er
he | er | lui, il | él, ella | ele, ela | lui, lei, egli | hij, zij, ze
their | deren, ihre, ihren, ihrem | leur, leurs | su, sus | seu, sua, seus, suas | suo, sua, suoi, sue, loro | hun, haar
my | mein, meine, meinen, meinem, meiner | mon, ma, mes | mi, mis, mío | meu, minha, meus, minhas | mio, mia, miei, mie | mijn, m'n
your | dein, deine, deinen | ton, ta, tes, votre, vos | tu, tus, vuestro | teu, tua, teus, tuas | tuo, tua, tuoi, tue, vostro | jouw, uw
our | unser, unsere, unseren | notre, nos | nuestro, nuestra, nuestros | nosso, nossa, nossos | nostro, nostra, nostri | onze
this | dies, diese, dieser, dieses, diesen, diesem | ce, cet, cette, ces, cette | este, esta, estos, estas | este, esta, estes, estas, esse, essa, neste, nesta, deste, desta | questo, questa, questi, queste, quest | dit, deze
that | dass, jener, jene, jenes | que, qu, cela | que, ese, esa, esos, aquel | que, aquele, aquela | quel, quella, quello, quelli, quei | dat, die
some | einige, ein paar, manche | quelques, certains | algunos, algunas, alguna, algún, unos | alguns, algumas, algum, alguma | alcuni, alcune, qualche | enkele, sommige, een paar
all | alle, aller, allen, sämtliche, alles | tous, toutes, tout, toute | todos, todas, todo, toda | todos, todas, todo, toda, tudo | tutti, tutte, tutto, tutta | alle, allemaal, alles
every | jede, jeder, jedes, jeden, jedem | chaque | cada | cada | ogni, ciascuno | elke, elk, iedere, ieder
more | mehr | plus | más | mais | più | meer
at all | gar, überhaupt | du tout | en absoluto | de todo | affatto | helemaal
very | sehr | très | muy | muito, muita | molto, molta, tanto | heel, erg, zeer
also | auch | aussi, également | también | também | anche | ook
only | nur | seulement, seul | solo, solamente, sólo | só, somente, apenas | solo, soltanto | alleen, slechts
now | jetzt, gerade, momentan, zurzeit, derzeit, nun | maintenant, en ce moment, actuellement | ahora, ahora mismo, en este momento | agora, neste momento, atualmente | ora, adesso, in questo momento, attualmente | nu, op dit moment, momenteel
there | da, dort | là, là-bas, y | allí, ahí, allá | lá, ali, aí | lì, là, ci, vi | daar, er
here | hier | ici | aquí, acá | aqui, cá | qui, qua | hier
up to | bis | jusque, jusqu | hasta | até | fino a, fino | tot aan
between | zwischen | entre | entre | entre | tra, fra | tussen
under | unter | sous | bajo, debajo | sob, debaixo | sotto | onder
above | oberhalb | au-dessus, dessus | encima, por encima | acima, em cima | sopra | boven
before | vor, bevor | avant | antes, antes de | antes, antes de | prima | voordat
after | nachdem, danach | après | después, tras | depois, após | dopo | nadat
during | während | pendant, durant | durante | durante | durante | tijdens
against | gegen | contre | contra | contra | contro | tegen
as | als | comme | como | como | come | als
if | ob, wenn, falls | si, s | si | se | se | indien, als
than | als | que | que | do que | che | dan
so | so | ainsi, donc, alors, si | así, tan, entonces, pues | assim, tão, então | così, quindi, allora | zo, dus
then | dann | puis, ensuite | luego | depois | poi | dan, vervolgens
yes | ja | oui | sí | sim | sì | ja
no | nein | non | no | não | no | nee
please | bitte | s il vous plaît, s il te plaît, svp, stp | por favor | por favor | per favore, per piacere | alstublieft, alsjeblieft, graag, aub
thanks | danke, vielen dank | merci, merci beaucoup | gracias, muchas gracias | obrigado, obrigada, muito obrigado | grazie, grazie mille | dank je, bedankt, dank u wel
hello | hallo, guten tag, guten morgen, guten abend | bonjour, salut, bonsoir | hola, buenos días, buenas tardes, buenas noches | olá, oi, bom dia, boa tarde, boa noite | ciao, buongiorno, salve, buonasera | hallo, goedemorgen, goedendag, hoi
does | macht, tut | fait, font | hace, hacen | faz, fazem | fa, fanno | doet, doen
itself | sich, selbst | se, s | se | se | si, s | zich, zelf
again | wieder, nochmal, noch einmal | encore, à nouveau, de nouveau | otra vez, de nuevo | de novo, outra vez | ancora, di nuovo | weer, opnieuw, nog een keer
still | noch | toujours, encore | todavía, aún | ainda | ancora | nog
already | schon, bereits | déjà | ya | já | già | al, reeds
always | immer | toujours | siempre | sempre | sempre | altijd
never | nie, niemals | jamais | nunca, jamás | nunca, jamais | mai | nooit
maybe | vielleicht | peut-être | quizás, tal vez, quizá | talvez | forse | misschien
just | mal, eben, halt, doch, einfach | juste, simplement | justo, simplemente | apenas mesmo | proprio, semplicemente | even, gewoon, maar
something | etwas | quelque chose | algo | algo, alguma coisa | qualcosa | iets
nothing | nichts | rien | nada | nada | niente, nulla | niets
someone | jemand | quelqu un | alguien | alguém | qualcuno | iemand
must | muss, müssen, musst | dois, doivent, il faut | debo, tengo que | devo, tenho que | devo, bisogna | moet
want | will, möchte, willst, wollen, möchten, würde gern | veux, voudrais, veut, aimerais, souhaite | quiero, quisiera, me gustaría, deseo | quero, queria, gostaria | voglio, vorrei, desidero | wil, willen, zou graag
need | brauche, benötige, brauchen, benötigt | besoin de, ai besoin de, besoin | necesito, necesita, necesitamos | preciso, preciso de, necessito | mi serve, mi servono, ho bisogno di, serve, servono, bisogno | nodig, heb nodig
show me | zeig, zeige, zeig mir, zeige mir, anzeigen, zeigen | montre, montrez, montre-moi, montrer, affiche, afficher, montrez-moi | muestra, muéstrame, mostrar, enséñame, muéstreme | mostra, mostre, mostrar, mostre-me, mostra-me | mostra, mostrami, mostrare, fammi vedere | toon, laat zien, laat me zien
find | finde, finden, find | trouve, trouver, trouvez, trouve-moi | encuentra, encontrar, busco, encuéntrame, hallar | encontra, encontrar, encontre, achar | trova, trovare, trovami | vind, vinden, zoek op
search | suche, suchen, such, gesucht, suche nach | cherche, chercher, recherche, rechercher, cherchez | busca, buscar, búsqueda, buscando, búscame | procura, procurar, procuro, buscar, busca, pesquisar, pesquisa, pesquise | cerca, cercare, cerco, ricerca, ricercare | zoek, zoeken, zoekt, opzoeken
give me | gib, gib mir, geben | donne, donne-moi, donner, donnez-moi | dame, dar, dime, deme | dá, dá-me, me dê, dar, diga-me, dê-me | dammi, dare, dimmi, mi dai | geef, geef me, geef mij
list | liste, auflisten, liste auf | liste, lister, énumère | lista, listado, listar, enumera | lista, listar, listagem | elenco, elenca, lista, elencare | lijst, opsommen, lijstje
get | hole, holen, abrufen, bekomme, bekommen | obtenir, récupérer, récupère, obtiens | obtener, conseguir, consigue, obtén | obter, conseguir, pegar, obtenha | ottenere, ottieni, prendere, recuperare | krijgen, ophalen, haal op, opvragen
tell me | sag, sag mir, sage, sagen | dis, dis-moi, dites-moi, dire | di, cuéntame, decir | diz, diz-me, dizer, me diga | di, dire | vertel, zeg, vertel me
know | wissen, weiß, kenne, kennen | savoir, connaître, sais | saber, conocer, sé | saber, conhecer, sei | sapere, conoscere, so, conosco | weten, weet, kennen
see | sehen, sieh | voir, vois | ver | ver | vedere, vedi | zien, bekijken
compare | vergleiche, vergleichen, vergleich | compare, comparer, comparaison | compara, comparar, comparación | compara, comparar, comparação | confronta, confrontare, confronto | vergelijk, vergelijken, vergelijking
check | prüfe, prüfen, überprüfe, überprüfen, kontrolliere | vérifie, vérifier, vérifiez, contrôler | comprueba, comprobar, verifica, verificar, revisar | verifica, verificar, verifique, checar, conferir | verifica, verificare, controlla, controllare | controleer, controleren, nagaan, check
calculate | berechne, berechnen, rechne, ausrechnen | calcule, calculer, calculez | calcula, calcular | calcula, calcular, calcule | calcola, calcolare | bereken, berekenen
convert | umrechnen, umwandeln, konvertieren, rechne um, wandle um, umrechnung | convertir, convertis, conversion, convertissez | convertir, convierte, conversión, convertir a | converter, converte, conversão, converta | convertire, converti, conversione | omrekenen, omzetten, converteren, omrekening
`;
