/**
 * Days, numbers, adjectives, and words of small talk: they are no subject by themselves. English |
 * German | French | Spanish | Portuguese | Italian | Dutch. Written by hand from general knowledge of the languages.
 */
export const DETAILS = `
today | heute, heutige, heutigen | aujourd hui, aujourdhui | hoy | hoje | oggi | vandaag
tomorrow | morgen, übermorgen | demain, après-demain | mañana, pasado mañana | amanhã, depois de amanhã | domani, dopodomani | morgen, overmorgen
yesterday | gestern, vorgestern | hier, avant-hier | ayer, anteayer | ontem, anteontem | ieri | gisteren, eergisteren
tonight | heute abend, heute nacht | ce soir, cette nuit | esta noche | esta noite, hoje à noite | stasera, stanotte | vanavond, vannacht
this afternoon | heute nachmittag | cet après-midi | esta tarde | esta tarde, hoje à tarde | questo pomeriggio, oggi pomeriggio | vanmiddag
morning | vormittag, morgens | matin, matinée | por la mañana | manhã, de manhã | mattina, mattino | ochtend, s ochtends
evening | abend, abends | soir, soirée | tarde-noche | noite | sera | avond, s avonds
night | nacht, nachts | nuit | noche | noite | notte | nacht
noon | mittag, mittags | midi | mediodía | meio-dia | mezzogiorno | middag
day | tag, tage, tagen, täglich | jour, jours, journée | día, días | dia, dias | giorno, giorni, giornata | dag, dagen
daily | täglich, tägliche | quotidien, journalier, quotidienne | diario, diaria, diarios | diário, diária, diários | giornaliero, quotidiano, giornaliera | dagelijks, dagelijkse
week | woche, wochen | semaine, semaines | semana | semana | settimana, settimane | week, weken
weekend | wochenende | week-end, weekend | fin de semana | fim de semana, final de semana | fine settimana, weekend | weekend, weekeinde
month | monat, monate, monaten, monats | mois | mes, meses | mês, meses | mese, mesi | maand, maanden
monthly | monatlich, monatliche | mensuel, mensuelle | mensual, mensuales | mensal, mensais | mensile, mensili | maandelijks, maandelijkse
year | jahr, jahre, jahren, jahres | an, ans, année, années | año, años | ano, anos | anno, anni | jaar, jaren
century | jahrhundert, jahrhunderts | siècle | siglo | século | secolo | eeuw
decade | jahrzehnt | décennie | década | década | decennio | decennium
hour | stunde, stunden | heure, heures | horas | horas | ore | uur, uren
minute | minuten | minutes | minutos, minuto | minutos, minuto | minuti, minuto | minuten, minuut
second | sekunde, sekunden | secondes, seconde | segundos, segundo | segundos, segundo | secondi, secondo | seconden, seconde
how long | wie lange | combien de temps | cuánto tiempo, cuánto tarda, cuánto dura | quanto tempo, quanto demora | quanto tempo, quanto dura | hoe lang
monday | montag | lundi | lunes | segunda-feira | lunedì | maandag
tuesday | dienstag | mardi | martes | terça-feira | martedì | dinsdag
wednesday | mittwoch | mercredi | miércoles | quarta-feira | mercoledì | woensdag
thursday | donnerstag | jeudi | jueves | quinta-feira | giovedì | donderdag
friday | freitag | vendredi | viernes | sexta-feira | venerdì | vrijdag
saturday | samstag, sonnabend | samedi | sábado | sábado | sabato | zaterdag
sunday | sonntag | dimanche | domingo | domingo | domenica | zondag
january | januar, jänner | janvier | enero | janeiro | gennaio | januari
february | februar | février | febrero | fevereiro | febbraio | februari
march | märz | mars | marzo | março | marzo | maart
april | april | avril | abril | abril | aprile | april
may | mai | mai | mayo | maio | maggio | mei
june | juni | juin | junio | junho | giugno | juni
july | juli | juillet | julio | julho | luglio | juli
august | august | août | agosto | agosto | agosto | augustus
september | september | septembre | septiembre | setembro | settembre | september
october | oktober | octobre | octubre | outubro | ottobre | oktober
november | november | novembre | noviembre | novembro | novembre | november
december | dezember | décembre | diciembre | dezembro | dicembre | december
spring | frühling, frühjahr | printemps | primavera | primavera | primavera | lente, voorjaar
summer | sommer | été | verano | verão | estate | zomer
autumn | herbst | automne | otoño | outono | autunno | herfst, najaar
winter | winter | hiver | invierno | inverno | inverno | winter
next | nächste, nächster, nächstes, nächsten, nächstem, kommende, kommenden, bevorstehende | prochain, prochaine, prochains, prochaines, suivant, à venir | próximo, próxima, próximos, próximas, que viene, siguiente | próximo, próxima, próximos, próximas, que vem, seguinte | prossimo, prossima, prossimi, prossime, successivo | volgend, volgende, komende, aanstaande
upcoming | anstehende, anstehenden | à venir | venideros, que vienen | futuros, que vêm | in arrivo, imminenti | aankomende
last | letzte, letzter, letztes, letzten, letztem, vergangene, vergangenen | dernier, dernière, derniers, dernières, passé, passée | último, última, últimos, últimas, pasado, pasada | último, última, últimos, últimas, passado, passada | ultimo, ultima, ultimi, ultime, scorso, scorsa, scorsi, ultim | laatste, afgelopen, vorig, vorige
latest | neueste, neuesten, neuester, aktuellste, aktuellsten | plus récent, plus récents, plus récente | más reciente, más recientes | mais recente, mais recentes | più recente, più recenti | nieuwste, meest recente
recent | jüngste, jüngsten, kürzlich | récent, récents, récente, récemment | reciente, recientes, recientemente | recente, recentes, recentemente | recente, recenti, recentemente | recente, recent
current | aktuell, aktuelle, aktueller, aktuellen, aktuelles, derzeitige, gegenwärtig, gegenwärtige | actuel, actuelle, actuels, actuelles | actual, actuales | atual, atuais | attuale, attuali | huidig, huidige, actueel, actuele
real-time | echtzeit, in echtzeit | temps réel, en temps réel, en direct | tiempo real, en tiempo real, en directo, en vivo | tempo real, em tempo real, ao vivo | tempo reale, in tempo reale, in diretta | realtime, real time, rechtstreeks
past | vergangenheit, früher, frühere | passés, précédent, précédents | pasados, anteriores, anterior | passados, anteriores, anterior | passato, passati, precedenti, precedente | verleden, vroeger, eerdere
history | geschichte, verlauf | histoire, historique | historia, historial | história, histórico | storia, cronologia, storico | geschiedenis, verloop
historical | historisch, historische, historischen | historiques | histórico, históricos, histórica | históricos, histórica | storici, storica, storiche | historische, historisch
future | zukunft, zukünftig, künftig | futur, avenir | futuro | futuro | futuro | toekomst, toekomstig, toekomstige
old | alt, alte, alten | ancien, ancienne, anciens, vieux | antiguo, antigua, antiguos, viejo | antigo, antiga, antigos, velho | vecchio, antico, antichi, vecchi | oud, oude
new | neu, neue, neuer, neuen, neues | nouveau, nouvelle, nouveaux, nouvel | nuevo, nueva, nuevos, nuevas | novo, nova, novos, novas | nuovo, nuova, nuovi, nuove | nieuw, nieuwe
one | eins | - | uno | um só | uno | één
two | zwei | deux | dos | dois, duas | due | twee
three | drei | trois | tres | três | tre | drie
five | fünf | cinq | cinco | cinco | cinque | vijf
ten | zehn | dix | diez | dez | dieci | tien
hundred | hundert | cent | cien, ciento | cem, cento | cento | honderd
thousand | tausend | mille | mil | mil | mille, mila | duizend
million | millionen | millions | millones, millón | milhões, milhão | milioni, milione | miljoen
first | erste, erster, erstes, ersten | premier, première, premiers | primero, primera, primer, primeros | primeiro, primeira, primeiros | primo, prima, primi | eerste
number | zahl, anzahl, nummer, zahlen | nombre, numéro, nombres, chiffre | número, números, cantidad, cifra | número, números, quantidade | numero, numeri, quantità, cifra | aantal, nummer, getal, cijfers
average | durchschnitt, durchschnittlich, durchschnittliche, mittelwert | moyenne, moyen | promedio, media, medio | média, médio | media, medio, mediamente | gemiddelde, gemiddeld
highest | höchste, höchster, höchsten, höchstes | plus haut, plus haute, plus élevé, plus élevée | más alto, más alta, más altos | mais alto, mais alta | più alto, più alta, più alti | hoogste
lowest | niedrigste, niedrigsten, tiefste | plus bas, plus basse | más bajo, más baja | mais baixo, mais baixa | più basso, più bassa | laagste
largest | größte, größten, größter | plus grand, plus grande, plus grands | más grande, más grandes, mayor, mayores | maior, maiores | più grande, più grandi, maggiore | grootste
smallest | kleinste | plus petit | más pequeño, menor | menor | più piccolo | kleinste
good | gut, gute, guten, guter | bon, bonne, bons, bien | bueno, buena, buen, bien | bom, boa, bem | buono, buona, bene | goed, goede
bad | schlecht, schlechte | mauvais, mauvaise | malo, mala, mal | mau, má, ruim | cattivo, cattiva | slecht, slechte
above | über dem, höher als | supérieur, supérieure, supérieure à, supérieurs | superior a, superiores a | superior a, superiores a | superiore a, superiori a | hoger dan, boven de
times | mal, male | fois | veces | vezes | volte | keer, keren
left | übrig, verbleibend | restant, restants | restantes, quedan | restantes, restam | rimasto, rimasti, rimangono | over
contains | enthält, steckt, enthalten | contient, contiennent | contiene, contienen | contém, contêm | contiene, contengono | bevat, zit er in
reported | gemeldet, gemeldete, gemeldeten | signalé, signalés, signalées | notificados, reportados, notificado | notificados, relatados | segnalati, segnalato | gemeld, gemelde
best | beste, besten, bester | meilleur, meilleure, meilleurs, meilleures | mejor, mejores | melhor, melhores | migliore, migliori | beste
cheap | billig, günstig, günstige, preiswert, billige | pas cher, bon marché | barato, barata, baratos | barato, barata, baratos | economico, economici, a buon mercato | goedkoop, goedkope
cheapest | billigste, günstigste, günstigsten | moins cher, le moins cher | más barato, más barata | mais barato, mais barata | più economico | goedkoopste
free | kostenlos, kostenlose, gratis | gratuit, gratuite, gratuits | gratis, gratuito | grátis, gratuito | gratis, gratuito, gratuiti | gratis, kosteloos
popular | beliebt, beliebte, beliebtesten, populär | populaire, populaires | populares, popular | populares, popular | popolare, popolari | populair, populaire, populairste
random | zufällig, zufällige, zufälliges | aléatoire, au hasard | aleatorio, aleatoria, al azar | aleatório, aleatória | casuale, a caso, casuali | willekeurig, willekeurige
near | nahe, neben, in der nähe, nähe, in der nähe von | près, près de, proche, à proximité, proche de | cerca, cerca de, cercano, cercanos, cercana | perto, perto de, próximo de, próximo a | vicino, vicino a, vicina, vicini, nei pressi | dichtbij, nabij, in de buurt, in de buurt van
nearest | nächstgelegene, nächstgelegenen | plus proche, plus proches | más cercano, más cercana, más cercanos | mais próximo, mais próxima, mais perto | più vicino, più vicina, più vicini | dichtstbijzijnde
strong | stark, starke, starken | fort, forte, forts | fuerte, fuertes | forte, fortes | forte, forti | sterk, sterke
high | hoch, hohe, hohen | haut, haute, élevé | alto, alta | alto, alta | alto, alta | hoog, hoge
low | niedrig, niedrige, tief | bas, basse, faible | bajo, baja | baixo, baixa | basso, bassa | laag, lage
big | groß, große, großen | grand, grande, gros | grande, grandes | grande, grandes | grande, grandi | groot, grote
small | klein, kleine, kleinen | petit, petite, petits | pequeño, pequeña | pequeno, pequena | piccolo, piccola | klein, kleine
public | öffentlich, öffentliche, öffentlichen | publics, publique, publiques | público, pública, públicos | público, pública, públicos | pubblico, pubblica, pubblici | openbaar, openbare, publieke
national | nationale, nationalen, bundesweit | nationaux, nationale | nacional, nacionales | nacional, nacionais | nazionale, nazionali | nationale, landelijk
international | internationale, internationalen | internationaux, internationale | internacional, internacionales | internacional, internacionais | internazionale, internazionali | internationale, internationaal
known | bekannt, bekannte, bekannten | connu, connue, connus, connues | conocido, conocida, conocidos, conocidas | conhecido, conhecida, conhecidas, conhecidos | noto, nota, note, noti, conosciuto | bekend, bekende
available | verfügbar, verfügbare, verfügbaren, frei | disponible, disponibles | disponible, disponibles | disponível, disponíveis | disponibile, disponibili | beschikbaar, beschikbare
percent | prozent | pour cent, pourcent, pourcentage | por ciento, porcentaje | por cento, porcentagem, percentagem | per cento, percentuale | procent, percentage
code | kennung, kürzel | codes | código, códigos | código, códigos | codice, codici | codes
name | namen, heißt, name | nom, noms, s appelle | nombre, nombres, se llama | nome, nomes, se chama, chama-se | nome, nomi, si chiama | naam, namen, heet
difference | unterschied, differenz | différence | diferencia | diferença | differenza | verschil
count | zählen, zähle | compter, compte le nombre | contar, cuenta, recuento | contar, contagem | contare, conteggio, conta | tellen, tel
world | welt, weltweit, weltweite | monde, mondial, mondiale, monde entier | mundo, mundial, mundiales | mundo, mundial, mundiais | mondo, mondiale, mondiali | wereld, wereldwijd
information | informationen, auskunft, angaben, infos | informations, renseignements, infos | información, datos, informaciones | informação, informações, dados, informações sobre | informazioni, informazione, dati, notizie su | informatie, gegevens, info
details | einzelheiten, genaueres | détails, précisions | detalles | detalhes, pormenores | dettagli, dettaglio | bijzonderheden, details
overview | übersicht, überblick | aperçu, vue d ensemble | resumen, visión general | visão geral, resumo | panoramica, riepilogo | overzicht
list of | verzeichnis | répertoire, annuaire | directorio | diretório | elenco di | register
mother | mutter, mama | maman | madre, mamá | mãe, mamãe | madre, mamma | moeder, mama
father | vater, papa | père, papa | padre, papá | pai, papai | padre, papà | vader, papa
friend | freund, freunde, freundin | ami, amis, amie | amigo, amigos, amiga | amigo, amigos, amiga | amico, amici, amica | vriend, vrienden, vriendin
love | liebe | amour | amor | amor | amore | liefde
life | leben | vie | vida | vida | vita | leven
feel like | lust | envie | ganas | vontade | voglia | zin in
to work | arbeiten | travailler | trabajar | trabalhar | lavorare | werken
nice | nett, freundlich | gentil, sympa | amable | gentil, amável | gentile, simpatico | aardig
tired | müde | fatigué | cansado, cansada | cansado, cansada | stanco, stanca | moe
`;
