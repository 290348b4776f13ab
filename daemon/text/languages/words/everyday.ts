/**
 * What people say of a need in everyday talk, where other tables have the subject itself. English | German | French | Spanish |
 * Portuguese | Italian | Dutch. Written by hand from general knowledge of the languages.
 */
export const EVERYDAY = `
get wet rain | nass, nass werden, durchnässt | mouillé, trempé, se mouiller | mojado, mojarse, mojarme, mojaremos | molhado, molhar-se | bagnato, bagnarsi | nat, nat worden, doorweekt
barbecue weather | grillen, grillfest | barbecue en plein air, faire un barbecue | barbacoa, hacer una barbacoa, parrillada | churrasco, fazer um churrasco | grigliata, fare una grigliata | barbecueën, bbq'en
dress warmly cold weather | warm anziehen, warme jacke | s'habiller chaudement, manteau | abrigarse, abrigo | agasalho, casaco | coprirsi bene, cappotto, giacca pesante | warm aankleden, dikke jas
jacket weather | jacke | veste, blouson | chaqueta | jaqueta | giacca | jas
swimming water temperature | baden, badewetter, schwimmen | se baigner, baignade | bañarse | tomar banho no mar | fare il bagno | zwemmen
slippery ice frost | glatteis, glatt auf den straßen | verglas | hielo en la carretera, placas de hielo | gelo na estrada | ghiaccio sulle strade | gladheid, ijzel
breathe air quality | atmen, durchatmen | respire, respirer | respirar, se respira | respirar, se respira | respirare, respira, si respira | ademen, inademen
ground shook earthquake | erde gebebt, gebebt, bebte | terre a tremblé, tremblé, secousse, secousses | tembló, temblor, temblores, sacudida | tremor, tremores, tremeu | tremato, scossa, scosse | aarde beefde, beving
convert currency | umtauschen, bekomme ich für, kriege ich für, umrechnen in | changer mon argent, bureau de change | cambiar dinero | trocar dinheiro, câmbio | cambiare soldi | geld wisselen, omwisselen
how much money | wie viel kostet, was kostet | combien coûte | cuánto cuesta | quanto custa | quanto costa | hoeveel kost, wat kost
without work unemployment | arbeitslose, keine arbeit, keine stelle, ohne arbeit, ohne job | chômeurs, sans emploi, sans travail, au chômage | desempleados, parados, sin trabajo, sin empleo | desempregados, sem trabalho, sem emprego | disoccupati, senza lavoro | werklozen, zonder werk, zonder baan
more expensive inflation | teurer, teurer geworden, verteuert | plus cher, plus chers, renchéri | más caro, más cara, encarecido | mais caro, mais cara, encareceu | più caro, più cara, rincaro, rincari | duurder, duurder geworden
earn salary | verdient, verdienen, verdient man | gagne-t-on | ganan, se gana | ganham | guadagnano, si guadagna | verdienen, verdient
boss director of a company | chef der firma, geschäftsführer, vorstand | patron, dirigeant, dirigeants | jefe de la empresa, directivos | chefe da empresa, dirigentes | capo dell'azienda, dirigenti, amministratore | baas, bestuurder, bestuurders
bankrupt insolvency | pleite, pleite gegangen, konkurs, insolvent | faillite, en faillite | quiebra, en quiebra, bancarrota | falência, falido, insolvente | fallita, fallimento | failliet, faillissement
share price | aktie, aktien, wert der aktie, kurs der aktie | valeur de l'action, cours de l'action | acción, acciones, valor de la acción | ação da empresa, valor da ação, cotação | azione, azioni, quotazione | aandeel, aandelen, waarde van het aandeel
pays out dividend | ausschütten, ausschüttung, schüttet | verse aux actionnaires | paga a los accionistas | paga aos acionistas | paga agli azionisti | keert uit aan aandeelhouders
departures from station | fährt ab, fährt von, fährt in, abfahren, abfahrten, fährt der nächste | part de la gare, partent de, prochain départ | sale de la estación, próximas salidas | sai da estação, próximas partidas | parte dalla stazione, prossime partenze | vertrekt van, rijdt er vanaf, volgende vertrek
train connection | wie komme ich von, mit dem zug nach, mit der bahn | en train de, comment aller de | en tren de, cómo llego de | de comboio de, de trem de, como vou de | in treno da, come arrivo da | met de trein van, hoe kom ik van
driving route distance | mit dem auto von, wie weit ist es, entfernt | en voiture de, à quelle distance | en coche de, a qué distancia | de carro, a que distância | in macchina da, quanto dista, dista | met de auto van, hoe ver is
traffic jam roadworks | stau, staus, baustelle, baustellen, gesperrt, sperrung, vollsperrung | bouchon, bouchons, embouteillage, travaux sur la route | atasco, atascos, obras en la carretera | engarrafamento, trânsito parado, obras na estrada | ingorgo, code in autostrada, cantieri | file, files op de weg, wegwerkzaamheden
charging station electric car | aufladen, auto laden, ladesäule, ladesäulen, strom tanken | recharger ma voiture, borne, bornes de recharge | cargar el coche, recargar el coche | carregar o carro, recarregar o carro | ricaricare l'auto, colonnina, colonnine | auto opladen, laadpaal, laadpalen
flight delay arrival | verspätung, verspätet, gelandet | vol en retard, en retard, atterri | vuelo con retraso, retrasado, aterrizado | voo atrasado, atrasado, aterrou, pousou | volo in ritardo, atterrato | vertraagd, vertraging, geland
aircraft in the air | flugzeug über, fliegt da über, fliegt über | avion au-dessus, vole au-dessus | avión encima, vuela encima, sobrevuela | avião por cima, sobrevoa | aereo sopra, vola sopra | vliegtuig boven, vliegt er boven
free bikes bike sharing | leihrad, leihräder, mietrad, mieträder | vélo en libre-service, vélos libres | bicis libres, bici pública, bicis públicas | bicicletas livres, bicicletas partilhadas | bici libere, bici condivise | deelfiets, deelfietsen, ov-fiets
recipe with ingredients | was kann ich kochen, was koche ich, kochen mit | que cuisiner, cuisiner avec, plat avec | qué cocino, cocinar con, plato con, platos con | o que cozinhar, cozinhar com, prato com | cosa cucino, cucinare con, piatto con, piatti con | wat kan ik koken, koken met, gerecht met
leftovers recipe | reste, resteessen, kühlschrank | restes, frigo | sobras, nevera | sobras, geladeira, frigorífico | avanzi, frigorifero | kliekjes, koelkast
chickpeas recipe | kichererbsen | pois chiches | garbanzos | grão-de-bico | ceci | kikkererwten
lentils recipe | linsen | lentilles | lentejas | lentilhas | lenticchie | linzen
chicken recipe | hähnchen, hühnchen, huhn | poulet | pollo | frango | pollo arrosto, petto di pollo | kip, kippen
rice recipe | reis | riz | arroz | arroz | riso | rijst
potatoes recipe | kartoffel, kartoffeln, erdäpfel | pomme de terre, pommes de terre | patata, patatas, papas | batata, batatas | patate | aardappel, aardappelen, aardappels
how healthy nutrition | gesund, ungesund, kalorien hat | sain, calories dans | sano, saludable | saudável | sano, salutare | gezond, ongezond
translate | übersetz, übersetze, übersetzt, ins deutsche, auf deutsch | traduis, traduire, traduisez, traduis-moi, en français | traduce, tradúceme, traducir, traduzca, al español | traduz, traduza, traduzir, traduza-me, em português | traduci, traducimi, traducetemi, tradurre, in italiano | vertaal, vertalen, vertaal mij, in het nederlands
letter text | brief, schreiben | lettre, courrier | carta | carta | lettera | brief
what does word mean definition | bedeutet, was heißt, was bedeutet | que veut dire, signifie, veut dire | qué significa, significa, quiere decir | que significa, quer dizer | che cosa significa, cosa vuol dire, vuol dire | wat betekent, betekent
who wrote book author | geschrieben hat, wer schrieb, wer hat geschrieben | qui a écrit, écrit par | quién escribió, escrito por | quem escreveu, escrito por | chi ha scritto, scritto da | wie schreef, geschreven door
film cast who played | wer spielt, spielte mit, darsteller | qui joue, joue le rôle | quién actúa, quién interpreta, reparto | quem atua, elenco | chi recita, interpreti | wie speelt, speelde in, acteurs
episodes tv series | folge, folgen, staffel, staffeln | épisode, épisodes, saison de la série | episodio, episodios, capítulo, temporada | episódio, episódios, temporada | puntata, puntate, episodio, stagione della serie | aflevering, afleveringen, seizoen van
paintings museum | bild, bilder, gemälde von, hängt im museum | tableau, tableaux, toile, toiles | cuadro, cuadros, lienzo | quadro, quadros, telas de | quadro, quadri, tela, tele di | schilderij, schilderijen, doeken
match result football | gespielt haben, hat gewonnen, spiel gewonnen, spielstand | a gagné, ont gagné, score du match | ganó, quién ganó, cómo quedó el partido | ganhou, quem ganhou, resultado do jogo | ha vinto, chi ha vinto, risultato della partita | gewonnen, wie won, uitslag
formula 1 standings points | weltmeisterschaft, wm-stand, fahrerwertung | championnat du monde, mondial de f1 | mundial de pilotos, en el mundial, campeonato | campeonato do mundo, campeonato mundial | campionato del mondo, mondiale piloti | wereldkampioenschap, wk-stand
points standings | punkte | points au classement | puntos | pontos | punti in classifica | punten
rocket launch | abheben, rakete starten, raketenstart | décollage, fusée décolle | despega, despegue del cohete | descolagem, lançamento do foguete | decollo del razzo, lancio del razzo | opstijgen, raket vertrekt
asteroid close to earth | an der erde vorbei, die erde treffen | frôler la terre, près de la terre | cerca de la tierra, chocar con la tierra | perto da terra, colidir com a terra | vicino alla terra, colpire la terra | langs de aarde, de aarde raken
gets dark sunset | dunkel, wird es dunkel, hell | fait nuit, nuit tombe, fait jour | anochece, oscurece, amanece | anoitece, escurece, amanhece | fa buio, tramonta, sorge | donker, wordt het donker, licht wordt
closed public holiday | feiertag, geschlossen, haben zu, geschäfte zu | jour férié, fermé, fermés, férié | festivo, cerrado, cerradas | feriado, fechado, fechadas | festivo, chiuso, chiusi, giorno festivo | feestdag, gesloten, winkels dicht
what time is it current time | wie spät, wie viel uhr, uhrzeit | quelle heure est-il, heure qu'il est | qué hora es, hora es | que horas são, horas são | che ore sono, che ora è, ore sono | hoe laat, hoe laat is het
which address reverse geocoding | welche adresse, welche straße, an welcher adresse | quelle adresse, quelle rue | qué dirección, qué calle | que morada, que rua, qual endereço | quale indirizzo, che via | welk adres, op welk adres, welke straat
how high elevation | wie hoch liegt, höhe über, hoch liegt | à quelle altitude | a qué altura, a qué altitud | a que altitude | a che altezza, a che altitudine | hoe hoog ligt
domain registration owner | gehört die domain, domain gehört, läuft die domain ab | appartient le domaine, domaine appartient | pertenece el dominio, dueño del dominio, caduca el dominio | pertence o domínio, dono do domínio | appartiene il dominio, dominio appartiene, scade il dominio | eigenaar van het domein, wie is de eigenaar
security vulnerability | lücken, sicherheitslücken, unsicher | failles, faille de sécurité | agujeros de seguridad, fallos de seguridad | brechas, falhas de segurança | falle, falle di sicurezza | lekken, lek, beveiligingslekken
send message sms | schick eine sms, schreib eine sms, per sms | envoie un sms, envoyer un texto, texto | manda un sms, mandar un sms | manda um sms, mandar um sms | manda un sms, mandare un sms | stuur een sms, een sms sturen
send email | schick eine mail, per mail schicken, maile | envoie un mail, envoyer un mail | manda un correo, mandar un correo | manda um email, mandar um e-mail | manda una mail, mandare una mail | stuur een mail, mail sturen, mailen
newspaper news | in der zeitung, zeitungen schreiben, steht in der zeitung | dans les journaux, la presse, journaux | en los periódicos, la prensa, periódicos | nos jornais, a imprensa, jornais | sui giornali, la stampa, giornali | in de krant, kranten, de pers
elections | wahl, wahlen | élection, élections | elecciones | eleições | elezioni | verkiezingen, verkiezing
stolen theft | gestohlen, geklaut, eingebrochen, einbrüche | volé, volés, cambriolé, cambriolages | robado, robados, robos | roubado, roubados, roubos, assaltos | rubato, rubati, furti | gestolen, inbraken, ingebroken
fled refugees | geflohen, flüchtlinge, flüchten | fui, réfugiés, ont fui | huyeron, huido, refugiados | fugiram, refugiados | fuggiti, profughi, rifugiati | gevlucht, vluchtelingen
how old live life expectancy | wie alt werden, werden menschen | jusqu'à quel âge vit-on, vivent les gens | cuántos años viven, hasta qué edad | quantos anos vivem, até que idade | quanto vivono, quanti anni vivono | hoe oud worden, worden mensen
side effects | verträgt man, nebenwirkung, nebenwirkungen | effet secondaire, effets indésirables | efecto secundario, efectos adversos | efeito secundário, efeitos colaterais | effetto collaterale, effetti indesiderati | bijwerking, bijwerkingen
recalled products | zurückgerufen, rückruf, rückrufe | rappelé, rappelés, rappel de produit | retirado del mercado, retirados | retirado do mercado, retirados, recolhido | ritirato dal mercato, ritirati, richiamato | teruggeroepen, terugroepactie
studies on topic papers | studien über, studien zu, forschung zu, veröffentlicht über | études sur, recherches sur | estudios sobre, investigaciones sobre | estudos sobre, pesquisas sobre | studi su, studi sulla, ricerche su | studies over, onderzoek naar
remote job | homeoffice, von zu hause arbeiten, stelle im homeoffice | télétravail, travailler de chez moi | teletrabajo, trabajar desde casa | teletrabalho, trabalhar de casa, trabalho remoto | telelavoro, lavorare da casa | thuiswerken, thuis werken, thuiswerkbaan
seen sighting | gesehen worden, gesichtet | aperçu, observé | visto, avistado | visto, avistado, observado | avvistato, avvistati, visto | gezien, gespot, waargenomen
cheapest electricity hour | strom am billigsten, strom am günstigsten, billigster strom | électricité la moins chère | luz más barata, electricidad más barata | luz mais barata, eletricidade mais barata | corrente più economica, elettricità più economica | stroom het goedkoopst, goedkoopste stroom
electricity price | strom kostet, kostet strom, strompreis, strompreise | prix du courant | precio de la luz, cuesta la luz | preço da luz | prezzo della luz, prezzo della corrente | stroomprijs, stroomprijzen, kost stroom
river water level | hochwasser, niedrigwasser, pegel, pegelstand | crue, niveau de la rivière | crecida, nivel del río | cheia do rio, nível do rio | piena del fiume, livello del fiume | hoogwater, laagwater, waterstand
old version of website | sah die seite, früher aus, seite von früher | ressemblait le site, ancienne version du site | cómo era la página, versión antigua de la web | como era o site, versão antiga do site | com'era il sito, vecchia versione del sito | zag de site eruit, oude versie van de site
`;
