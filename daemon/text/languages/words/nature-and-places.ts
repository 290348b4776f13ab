/**
 * Weather, earth, nature, sky, places and the ways between them. English | German | French | Spanish | Portuguese |
 * Italian | Dutch. Written by hand from general knowledge of the languages.
 */
export const NATURE_AND_PLACES = `
weather | wetter, wetterlage, wetterdaten, das wetter | météo, quel temps, temps qu il fait, temps fait-il, temps fera-t-il, bulletin météo, climat actuel | tiempo, qué tiempo, clima, meteorología, el tiempo, meteorológico | tempo, clima, meteorologia, como está o tempo, meteorológico | meteo, che tempo, che tempo fa, tempo fa, tempo atmosferico, tempo | weer, weersomstandigheden, het weer, weerbericht
weather forecast | wettervorhersage, wetterbericht, wetteraussichten, vorhersage, wetterprognose | prévisions météo, prévision météo, prévisions météorologiques, prévisions, bulletin météo | pronóstico del tiempo, pronóstico, previsión meteorológica, previsión del tiempo, pronóstico meteorológico, previsión | previsão do tempo, previsão, previsão meteorológica | previsioni meteo, previsioni del tempo, previsioni, previsione, previsioni meteorologiche | weersvoorspelling, weersverwachting, weerbericht, voorspelling
climate | klima, klimadaten, klimawandel | climat, changement climatique | cambio climático, climático | clima da região, mudança climática, climático | clima, cambiamento climatico | klimaat, klimaatverandering
rain | regen, regnet, regnen, regnerisch | pluie, pleut, pleuvoir, pleuvra, pluies, va-t-il pleuvoir | lluvia, lloviendo, llueve, llover, lloverá, lluvias, va a llover | chuva, chovendo, chove, chover, choverá, chuvas, vai chover | pioggia, piovendo, piove, piovere, pioverà, piogge | regen, regent, regenen, regenachtig
precipitation | niederschlag, niederschläge | précipitations | precipitaciones, precipitación | precipitação | precipitazioni | neerslag
snow | schnee, schneit, schneien, geschneit, schneehöhe | neige, neiger, neigera, enneigement | nieve, nieva, nevar, nevará, nevando | neve, neva, nevar, nevando | neve, nevica, nevicare, nevicherà, nevicando | sneeuw, sneeuwt, sneeuwen
wind | windgeschwindigkeit, windstärke, windig | vent, vents, venteux | viento, vientos | vento, ventos | vento, venti, ventoso | windsnelheid, windkracht
storm | sturm, unwetter, gewitter, stürme | tempête, orage, orages, tempêtes | tormenta, tormentas, temporal | tempestade, tempestades, trovoada | tempesta, temporale, temporali, bufera | storm, onweer, onweersbui
hurricane | hurrikan, orkan, wirbelsturm, taifun | ouragan, cyclone, typhon | huracán, huracanes, ciclón, tifón | furacão, furacões, ciclone, tufão | uragano, uragani, ciclone, tifone | orkaan, orkanen, wervelstorm
sunny | sonnig, sonnenschein | ensoleillé, soleil brille, ensoleillement | soleado | ensolarado | soleggiato | zonnig
cloudy | bewölkt, wolken, wolkig, bewölkung | nuageux, nuages, nuage | nublado, nubes | nublado, nuvens | nuvoloso, nuvole | bewolkt, wolken, bewolking
fog | nebel, neblig | brouillard, brume | niebla | nevoeiro, neblina | nebbia | mist, mistig
frost | frost, glatteis | gel, verglas | helada, heladas | geada | gelo, gelata | vorst, ijzel
hot | heiß, warm, hitze | chaud, chaleur, canicule | calor, caliente, ola de calor | calor, quente, onda de calor | caldo, calda, ondata di caldo | heet, warm, hitte, hittegolf
cold | kalt, kälte | froid, froide | frío, fría | frio, fria | freddo, fredda | koud, koude, kou
umbrella | regenschirm, schirm | parapluie | paraguas | guarda-chuva | ombrello | paraplu
humidity | luftfeuchtigkeit, luftfeuchte, feuchtigkeit | humidité | humedad | umidade, humidade | umidità | luchtvochtigheid, vochtigheid
air pressure | luftdruck | pression atmosphérique | presión atmosférica | pressão atmosférica | pressione atmosferica | luchtdruk
weather warning | unwetterwarnung, wetterwarnung, wetterwarnungen, unwetterwarnungen | alerte météo, alertes météo, vigilance météo | alerta meteorológica, alertas meteorológicas, aviso meteorológico | alerta meteorológico, avisos meteorológicos | allerta meteo, allerte meteo | weerwaarschuwing, weeralarm, weerswaarschuwingen
warning | warnung, warnungen | alerte, alertes, avertissement | alerta, alertas, aviso, avisos | alerta, alertas, aviso, avisos | allerta, allerte, avviso, avvisi | waarschuwing, waarschuwingen
weather station | wetterstation, wetterstationen | station météo, stations météo | estación meteorológica, estaciones meteorológicas | estação meteorológica, estações meteorológicas | stazione meteo, stazione meteorologica | weerstation, weerstations
uv index | uv-index, sonnenbrand | indice uv | índice uv, índice ultravioleta | índice uv | indice uv | uv-index, zonkracht
air quality | luftqualität, luftgüte, luftbelastung | qualité de l air | calidad del aire | qualidade do ar | qualità dell aria | luchtkwaliteit
air pollution | luftverschmutzung, feinstaub, schadstoffe, smog | pollution de l air, pollution atmosphérique, particules fines, pollution | contaminación del aire, contaminación atmosférica, contaminación, partículas finas | poluição do ar, poluição | inquinamento dell aria, inquinamento atmosferico, inquinamento, polveri sottili | luchtvervuiling, luchtverontreiniging, fijnstof, vervuiling
pollen | pollen, pollenflug | pollen, pollens | polen | pólen | polline, pollini | stuifmeel, pollen, hooikoorts
air | luft | l air | aire | ar | aria | lucht
quality | qualität, güte | qualité | calidad | qualidade | qualità | kwaliteit
sea | meer, ozean, nordsee, ostsee, see | mer, océan | mar, océano | mar, oceano | mare, oceano | zee, oceaan
wave | wellen, welle, wellenhöhe, seegang | vagues, vague, houle, hauteur des vagues | olas, oleaje, altura de las olas | ondas, ondulação, altura das ondas | onde, onda, altezza delle onde | golven, golfhoogte, golf
tide | gezeiten, ebbe, flut, tide | marée, marées | marea, mareas | maré, marés | marea, maree | getij, getijden, eb, vloed
river | fluss, flüsse, fluß, flusses | rivière, fleuve, rivières, fleuves, cours d eau | río, ríos | rio, rios | fiume, fiumi | rivier, rivieren
lake | see, seen | lac, lacs | lago, lagos | lago, lagos | lago, laghi | meer, meren
water level | pegel, wasserstand, pegelstand, wasserstände | niveau d eau, niveau de l eau, hauteur d eau | nivel del agua, nivel de agua, nivel del río | nível da água, nível do rio | livello dell acqua, livello del fiume, livello idrometrico | waterstand, waterpeil, waterstanden
water | wasser, gewässer | eau, eaux | agua, aguas | água, águas | acqua, acque | water
flood | hochwasser, überschwemmung, überflutung, überschwemmungen | inondation, inondations, crue, crues | inundación, inundaciones, crecida | inundação, inundações, cheia, enchente | alluvione, alluvioni, inondazione, piena | overstroming, overstromingen, hoogwater
drinking water | trinkwasser | eau potable | agua potable | água potável | acqua potabile | drinkwater
earthquake | erdbeben, beben, erdbebens | tremblement de terre, tremblements de terre, séisme, séismes | terremoto, terremotos, sismo, sismos, temblor | terremoto, terremotos, sismo, sismos, tremor de terra | terremoto, terremoti, scossa, scosse, sisma | aardbeving, aardbevingen
magnitude | stärke, magnituden | magnitudes | magnitud, magnitudes | magnitudes | magnitudo, magnitudine | kracht, magnitude
volcano | vulkan, vulkane, vulkanausbruch | volcan, volcans, éruption | volcán, volcanes, erupción | vulcão, vulcões, erupção | vulcano, vulcani, eruzione | vulkaan, vulkanen, uitbarsting
tsunami | tsunamis, flutwelle | raz-de-marée | maremoto, maremotos | maremoto | maremoto | tsunami, vloedgolf
wildfire | waldbrand, waldbrände | feu de forêt, incendie, incendies, feux de forêt | incendio forestal, incendios forestales, incendios | incêndio florestal, incêndios, queimadas, incêndio | incendio boschivo, incendi, incendio | bosbrand, bosbranden, natuurbrand
disaster | katastrophe, naturkatastrophe, katastrophen | catastrophe, catastrophes naturelles | desastre, desastres naturales, catástrofe | desastre, desastres naturais, catástrofe | disastro, catastrofe, disastri | ramp, natuurramp, rampen
animal | tier, tiere, tierart, tierarten, tieren | animal, animaux | animal, animales | animal, animais | animale, animali | dier, dieren, diersoort
bird | vogel, vögel, vogelart, vogelarten, vögeln | oiseau, oiseaux | pájaro, pájaros, ave, aves | pássaro, pássaros, ave, aves | uccello, uccelli | vogel, vogels, vogelsoort
fish | fisch, fische, fischarten | poisson, poissons | pez, peces, pescado | peixe, peixes | pesce, pesci | vis, vissen
insect | insekt, insekten, käfer | insecte, insectes | insecto, insectos | inseto, insetos | insetto, insetti | insect, insecten
butterfly | schmetterling, schmetterlinge | papillon, papillons | mariposa, mariposas | borboleta, borboletas | farfalla, farfalle | vlinder, vlinders
bee | biene, bienen | abeille, abeilles | abeja, abejas | abelha, abelhas | ape, api | bij, bijen
whale | wal, wale | baleine, baleines | ballena, ballenas | baleia, baleias | balena, balene | walvis, walvissen
wolf | wolf, wölfe, wölfen | loup, loups | lobo, lobos | lobo, lobos | lupo, lupi | wolf, wolven
bear | bär, bären | ours | oso, osos | urso, ursos | orso, orsi | beer, beren
fox | fuchs, füchse | renard, renards | zorro, zorros | raposa, raposas | volpe, volpi | vos, vossen
dog | hund, hunde, hunderasse, hunderassen | chien, chiens, race de chien | perro, perros | cão, cães, cachorro, cachorros | cane, cani | hond, honden, hondenras
cat | katze, katzen | chat, chats | gato, gatos | gato, gatos | gatto, gatti | kat, katten
plant | pflanze, pflanzen, pflanzenart | plante, plantes | planta, plantas | planta, plantas | pianta, piante | plant, planten
tree | baum, bäume | arbre, arbres | árbol, árboles | árvore, árvores | albero, alberi | boom, bomen
flower | blume, blumen, blüte | fleur, fleurs | flor, flores | flor, flores | fiore, fiori | bloem, bloemen
mushroom | pilz, pilze | champignon, champignons | seta, setas, hongo, hongos | cogumelo, cogumelos | fungo, funghi | paddenstoel, paddenstoelen
species | art, arten, artname, spezies | espèce, espèces | especie, especies | espécie, espécies | specie | soort, soorten
scientific name | wissenschaftlicher name, wissenschaftlicher namen, lateinischer name | nom scientifique, nom latin | nombre científico | nome científico | nome scientifico, nome latino | wetenschappelijke naam, latijnse naam
endangered species | bedrohte arten, gefährdete arten, bedrohte tierarten, vom aussterben bedroht | espèces menacées, espèce menacée, en voie de disparition | especies amenazadas, en peligro de extinción, especies en peligro | espécies ameaçadas, em extinção, em perigo de extinção | specie a rischio, specie minacciate, in via di estinzione | bedreigde soorten, bedreigde diersoorten
sighting | sichtung, sichtungen, gesichtet, beobachtung, beobachtungen, gesehen, beobachtet | observation, observations, observé, observés, aperçu, vus | avistamiento, avistamientos, observaciones, observación, avistado, vistos | avistamento, avistamentos, observações, observação, avistado | avvistamento, avvistamenti, osservazioni, osservazione, avvistato, avvistati | waarneming, waarnemingen, waargenomen, gezien, gespot
fossil | fossil, fossilien | fossile, fossiles | fósil, fósiles | fóssil, fósseis | fossile, fossili | fossiel, fossielen
forest | wald, wälder | forêt, forêts | bosque, bosques | floresta, florestas | foresta, foreste, bosco, boschi | bos, bossen
nature | natur, naturschutz | nature | naturaleza | natureza | natura | natuur
sunrise | sonnenaufgang, sonnenaufgänge, geht die sonne auf, sonne aufgeht | lever du soleil, lever de soleil, se lève le soleil, soleil se lève | amanecer, salida del sol, sale el sol, sol sale | nascer do sol, nasce o sol, sol nasce, amanhecer | alba, sorge il sole, sole sorge | zonsopgang, zonsopkomst, komt de zon op, zon op
sunset | sonnenuntergang, sonnenuntergänge, geht die sonne unter, sonne untergeht, sonne unter | coucher du soleil, coucher de soleil, se couche le soleil, soleil se couche | atardecer, puesta del sol, puesta de sol, se pone el sol, anochecer, ocaso | pôr do sol, põe o sol, sol se põe, entardecer | tramonto, tramonta il sole, sole tramonta | zonsondergang, gaat de zon onder, zon onder
sun | sonne | soleil | sol | sol | sole | zon
twilight | dämmerung, morgendämmerung, abenddämmerung | crépuscule, aube | crepúsculo, ocaso, alba | crepúsculo, alvorada | crepuscolo | schemering
day length | tageslänge | durée du jour, longueur du jour | duración del día | duração do dia | durata del giorno | daglengte
moon | mond | lune | luna | lua | luna | maan
moon phase | mondphase, mondphasen | phase de la lune, phases de la lune, phase lunaire | fase lunar, fases lunares, fase de la luna | fase da lua, fases da lua, fase lunar | fase lunare, fasi lunari, fase della luna, fasi della luna | maanstand, maanfase, schijngestalte
full moon | vollmond | pleine lune | luna llena | lua cheia | luna piena | volle maan
eclipse | finsternis, sonnenfinsternis, mondfinsternis | éclipse, éclipses | eclipse, eclipses | eclipse, eclipses | eclissi | eclips, zonsverduistering, maansverduistering
equinox | tagundnachtgleiche, äquinoktium | équinoxe | equinoccio | equinócio | equinozio | dag-en-nachtevening
star | stern, sterne, sternbild | étoile, étoiles, constellation | estrella, estrellas, constelación | estrela, estrelas, constelação | stella, stelle, costellazione | ster, sterren, sterrenbeeld
planet | planeten | planète, planètes | planeta, planetas | planeta, planetas | pianeta, pianeti | planeet, planeten
mars | mars | mars | marte | marte | marte | mars
exoplanet | exoplaneten | exoplanète, exoplanètes | exoplaneta, exoplanetas | exoplaneta, exoplanetas | esopianeta, esopianeti | exoplaneet, exoplaneten
asteroid | asteroiden, kleinplanet | astéroïde, astéroïdes | asteroide, asteroides | asteroide, asteroides | asteroide, asteroidi | asteroïde, asteroïden, planetoïde
close approach asteroid | erdnahe asteroiden, an der erde vorbei, erdnah | passent près de la terre, géocroiseur, géocroiseurs | pasan cerca de la tierra, cercanos a la tierra | passam perto da terra, perto da terra, próximos da terra | passano vicino alla terra, vicino alla terra | dicht langs de aarde, langs de aarde
comet | komet, kometen | comète, comètes | cometa, cometas | cometa, cometas | cometa, comete | komeet, kometen
meteorite | meteorit, meteoriten, sternschnuppe | météorite, météorites, étoile filante | meteorito, meteoritos | meteorito, meteoritos | meteorite, meteoriti | meteoriet, meteorieten
space | weltraum, weltall, raumfahrt | espace, spatial, spatiale, spatiaux | espacio, espacial, espaciales | espaço, espacial, espaciais | spazio, spaziale, spaziali | ruimte, ruimtevaart, heelal
astronomy picture of the day | astronomiebild des tages, bild des tages | image astronomique du jour, photo astronomique du jour, image du jour | imagen astronómica del día, foto astronómica del día, imagen del día | foto astronômica do dia, imagem astronómica do dia, imagem astronômica do dia, imagem do dia, foto astronómica do dia | foto astronomica del giorno, immagine astronomica del giorno, immagine del giorno | astronomische foto van de dag, astronomiefoto van de dag
astronomy | astronomie, astronomisch, sternkunde | astronomie, astronomique | astronomía, astronómica, astronómico | astronomia, astronômica, astronómica | astronomia, astronomica | sterrenkunde, astronomie
rocket launch | raketenstart, raketenstarts, raketenstarten | lancement de fusée, lancements de fusées, lancements spatiaux | lanzamiento de cohetes, lanzamientos de cohetes, lanzamiento espacial, lanzamientos espaciales | lançamento de foguete, lançamentos de foguetes, lançamento espacial, lançamentos espaciais | lancio di razzi, lanci di razzi, lancio spaziale, lanci spaziali | raketlancering, raketlanceringen
rocket | rakete, raketen | fusée, fusées | cohete, cohetes | foguete, foguetes | razzo, razzi | raket, raketten
launch | starttermine | lancement, lancements | lanzamiento, lanzamientos | lançamento, lançamentos | lancio, lanci | lancering, lanceringen
satellite | satellit, satelliten, satellitenbild, satellitenbilder | satellites | satélite, satélites | satélite, satélites | satelliti | satelliet, satellieten
space station | raumstation, raumstationen | station spatiale, stations spatiales | estación espacial, estaciones espaciales | estação espacial, estações espaciais | stazione spaziale, stazioni spaziali | ruimtestation, ruimtestations
astronaut | astronauten, raumfahrer | astronaute, astronautes, cosmonaute, spationaute | astronauta, astronautas | astronauta, astronautas | astronauta, astronauti | ruimtevaarder, astronauten
earth | erde | terre | tierra | terra | terra | aarde
place | ort, orte, stelle | lieu, lieux, endroit | lugar, lugares, sitio | lugar, lugares, sítio, local | luogo, luoghi, posto | plaats, plek, plaatsen
country | land, länder, ländern, staat, staaten | pays | país, países | país, países | paese, paesi, stato, stati | land, landen
city | stadt, städte, städten | ville, villes | ciudad, ciudades | cidade, cidades | città | stad, steden
village | dorf, dörfer | village, villages | pueblo, pueblos, aldea | aldeia, vila | paese piccolo, villaggio, borgo | dorp, dorpen
town | gemeinde, gemeinden, kommune | commune, communes, municipalité | municipio, municipios, localidad | município, municípios, localidade, concelho | comune, comuni | gemeente, gemeenten
capital | hauptstadt, hauptstädte | capitale, capitales | capitales | capitais | capitale, capitali | hoofdstad, hoofdsteden
region | regionen, gebiet, bundesland, bundesländer | régions, département | regiones, comunidad autónoma, región | região, regiões, distrito | regione, regioni | regio, gebied, streek
province | provinz, provinzen, kanton | provinces | provincia, provincias | província, províncias | provincia, province | provincie, provincies
neighbourhood | stadtteil, viertel, nachbarschaft, bezirk | quartier, quartiers, voisinage | barrio, barrios, vecindario | bairro, bairros | quartiere, quartieri, vicinato | buurt, wijk, wijken
street | straße, straßen, strasse | rue, rues | calle, calles | rua, ruas | via, strada, strade | straat, straten
address | adresse, adressen, anschrift | adresse, adresses | dirección, direcciones, domicilio | endereço, endereços, morada | indirizzo, indirizzi | adres, adressen
postal code | postleitzahl, postleitzahlen, plz | code postal, codes postaux | código postal, códigos postales | código postal, códigos postais, cep | codice postale, codici postali, cap, codice avviamento postale | postcode, postcodes, postcodegebied
coordinates | koordinaten, längengrad, breitengrad, geokoordinaten | coordonnées, latitude et longitude | coordenadas, latitud, longitud | coordenadas, latitude e longitude | coordinate, coordinate geografiche, latitudine, longitudine | coördinaten, breedtegraad, lengtegraad
geocode address | geokodieren, geokodierung, adresse in koordinaten, adresse zu koordinaten | géocodage, géocoder, géolocaliser, géolocalisation | geocodificar, geocodificación, geolocalizar | geocodificar, geocodificação | geocodifica, geocodificare, geolocalizzare | geocoderen, geocodering
location | standort, lage, position | emplacement, localisation, position | ubicación, localización, posición | localização, posição | posizione, ubicazione, si trova, localizzazione | locatie, positie, ligging
map | karte, karten, landkarte, stadtplan | carte, cartes, carte géographique, plan | mapa, mapas | mapa, mapas | mappa, mappe, cartina | kaart, kaarten, plattegrond
distance | entfernung, distanz, abstand, wie weit | distance, distances, à quelle distance | distancia, distancias, a qué distancia | distância, distâncias, a que distância | distanza, distanze, quanto dista | afstand, afstanden, hoe ver
elevation | höhe über dem meeresspiegel, meereshöhe, seehöhe, höhenmeter, höhe, wie hoch | altitude, hauteur au-dessus de la mer, relief, dénivelé | altitud, elevación, sobre el nivel del mar | altitude, elevação, acima do nível do mar | altitudine, quota, sul livello del mare, dislivello | hoogte boven zeeniveau, hoogtemeters
mountain | berg, berge, gebirge, gipfel | montagne, montagnes, mont, sommet | montaña, montañas, monte, cerro, pico | montanha, montanhas, monte, serra | montagna, montagne, monte, cima, vetta | berg, bergen, gebergte
island | insel, inseln | île, îles | isla, islas | ilha, ilhas | isola, isole | eiland, eilanden
border | grenze, grenzen | frontière, frontières | frontera, fronteras | fronteira, fronteiras | confine, confini, frontiera | grens, grenzen
restaurant | gaststätte, lokal, restaurants, gasthaus | restaurants, où manger | restaurante, restaurantes | restaurante, restaurantes | ristorante, ristoranti, trattoria | restaurants, eetcafé
hotel | hotels, unterkunft, unterkünfte | hôtel, hôtels, hébergement | hoteles, alojamiento, hospedaje | hotéis, alojamento, hospedagem | alberghi, albergo, alloggio | hotels, overnachting, accommodatie
cafe | kaffeehaus, cafés | cafés, café | cafetería, cafeterías | cafeteria, cafés | caffè, bar | koffiehuis, cafés
shop | laden, läden, geschäft, geschäfte | magasin, magasins, boutique | tienda, tiendas | loja, lojas | negozio, negozi | winkel, winkels
supermarket | supermarkt, supermärkte | supermarché, supermarchés | supermercado, supermercados | supermercado, supermercados | supermercato, supermercati | supermarkt, supermarkten
pharmacy | apotheke, apotheken | pharmacie, pharmacies | farmacia, farmacias | farmácia, farmácias | farmacia, farmacie | apotheek, apotheken
hospital | krankenhaus, krankenhäuser, klinik | hôpital, hôpitaux, clinique | hospital, hospitales, clínica | hospital, hospitais, clínica | ospedale, ospedali, clinica | ziekenhuis, ziekenhuizen
school | schule, schulen | école, écoles, lycée | escuela, escuelas, colegio | escola, escolas | scuola, scuole | school, scholen
university | universität, universitäten, hochschule, uni | université, universités | universidad, universidades | universidade, universidades | università, ateneo | universiteit, universiteiten
beach | strand, strände | plage, plages | playa, playas | praia, praias | spiaggia, spiagge | strand, stranden
park | parks, nationalpark | parc, parcs, parc national | parque, parques, parque nacional | parque, parques, parque nacional | parco, parchi, parco nazionale | park, parken
sights | sehenswürdigkeit, sehenswürdigkeiten | site touristique, attractions, monuments, à visiter | lugares turísticos, atracciones turísticas, monumentos | pontos turísticos, atrações turísticas, monumentos | attrazioni turistiche, monumenti, luoghi d interesse | bezienswaardigheid, bezienswaardigheden
playground | spielplatz, spielplätze | aire de jeux | parque infantil | parque infantil | parco giochi | speeltuin
route | strecke, route, weg, routen | itinéraire, trajet, itinéraires, chemin | ruta, rutas, recorrido, itinerario, camino | rota, rotas, percurso, trajeto, caminho | percorso, percorsi, itinerario, strada per, tragitto | route, routes, weg
travel time | fahrzeit, reisezeit, fahrtdauer | temps de trajet, temps de parcours, durée du trajet | tiempo de viaje, duración del viaje | tempo de viagem, duração da viagem | tempo di viaggio, tempo di percorrenza, durata del viaggio | reistijd, reisduur
directions | wegbeschreibung, wie komme ich, routenplaner | comment aller, comment se rendre | cómo llegar, cómo ir | como chegar, como ir, direções | indicazioni stradali, come arrivare, come si arriva | routebeschrijving, hoe kom ik, routeplanner
traffic | verkehr, stau, verkehrslage, staus | trafic, circulation, embouteillage, embouteillages, bouchons | tráfico, atasco, atascos | trânsito, tráfego, engarrafamento | traffico, ingorgo, code stradali | verkeer, file, files
train | zug, züge, bahn, zügen, eisenbahn | train, trains, ferroviaire | tren, trenes | comboio, comboios, trem, trens | treno, treni, ferrovia | trein, treinen
train connection | zugverbindung, zugverbindungen, verbindung, verbindungen, bahnverbindung | horaires de train, correspondances, trajets en train, correspondance | conexión de tren, horarios de trenes, horario de trenes, conexiones | horários de comboio, horários de trem, ligações, conexões | orari dei treni, collegamenti, coincidenze, collegamento ferroviario | treinverbinding, treinverbindingen, verbinding, verbindingen, treintijden
timetable | fahrplan, fahrpläne | horaires, horaire | horarios, horario | horários | tabella oraria, orari | dienstregeling, vertrektijden
departure | abfahrt, abfahrten, abfahrtstafel | départ, départs | salida, salidas | partida, partidas, saída, saídas | partenza, partenze | vertrek, vertrektijden
arrival | ankunft, ankünfte | arrivée, arrivées | llegada, llegadas | chegada, chegadas | arrivo, arrivi | aankomst, aankomsttijden
station | bahnhof, bahnhöfe, haltestelle, haltestellen | gare, gares, arrêt, stations | estación, estaciones, parada, paradas | estação, estações, paragem | stazione, stazioni, fermata, fermate | station, stations, halte
bus | busse, buslinie | autobus | autobús, autobuses | autocarro, autocarros, ônibus | autobus, pullman | bussen, buslijn
tram | straßenbahn, tram | tramway | tranvía | elétrico, bonde | tram | tram
subway | u-bahn, ubahn, metro | métro | metro, subte | metrô, metro | metropolitana | metro
public transport | öffentlicher nahverkehr, nahverkehr, öpnv, öffentliche verkehrsmittel | transports en commun, transports publics, transport public | transporte público | transporte público, transportes públicos | trasporto pubblico, mezzi pubblici, trasporti pubblici | openbaar vervoer, ov
car | auto, autos, wagen, fahrzeug, pkw | voiture, voitures, automobile | coche, coches, carro, auto | carro, carros, automóvel | auto, macchina, automobile, automobili | auto, auto's, wagen
bicycle | fahrrad, fahrräder, rad | vélo, vélos, bicyclette | bicicleta, bicicletas, bici | bicicleta, bicicletas | bicicletta, biciclette, bici | fiets, fietsen
bike sharing stations | leihfahrrad, leihfahrräder, leihräder, fahrradverleih, mietfahrräder, bikesharing | vélos en libre-service, vélo en libre-service, vélos partagés, libre-service, vélib | bicicletas compartidas, bicicletas públicas, alquiler de bicicletas, bicis públicas | bicicletas partilhadas, bicicletas compartilhadas, bicicletas públicas | bike sharing, biciclette condivise, bici condivise | deelfiets, deelfietsen, fietsverhuur, ov-fiets
electric vehicle charging station | ladestation, ladestationen, ladesäule, ladesäulen | borne de recharge, bornes de recharge | punto de recarga, estación de carga, puntos de recarga, estaciones de carga | posto de carregamento, postos de carregamento, carregador de carros | colonnina di ricarica, colonnine di ricarica, punti di ricarica | laadpaal, laadpalen, laadstation
gas station | tankstelle, tankstellen | station-service, stations-service, station essence | gasolinera, gasolineras | posto de gasolina, bomba de gasolina | distributore di benzina, benzinaio | tankstation, tankstations, benzinestation
fuel price | benzinpreis, benzinpreise, spritpreis, spritpreise, dieselpreis | prix de l essence, prix du carburant, prix du gazole | precio de la gasolina, precio del combustible, precio del gasóleo | preço da gasolina, preço dos combustíveis, preço do gasóleo | prezzo della benzina, prezzo del carburante, prezzi benzina | benzineprijs, benzineprijzen, brandstofprijs, brandstofprijzen
fuel | benzin, kraftstoff, sprit | essence, carburant | gasolina, combustible | gasolina, combustível | benzina, carburante | benzine, brandstof
parking | parkplatz, parkplätze, parkhaus | parking, stationnement, parkings | aparcamiento, estacionamiento | estacionamento | parcheggio, parcheggi | parkeren, parkeerplaats, parkeergarage
flight | flug, flüge, flügen, flugnummer | vol, vols | vuelo, vuelos | voo, voos | volo, voli | vlucht, vluchten
aircraft | flugzeug, flugzeuge | avion, avions | avión, aviones | avião, aviões | aereo, aerei, velivolo | vliegtuig, vliegtuigen
aircraft positions live | flugzeuge in der luft, flugverfolgung, flugradar, flugverkehr | avions en vol, trafic aérien, suivi des vols | aviones en vuelo, aviones volando, tráfico aéreo, aviones sobre | aviões no ar, aviões a voar, aviões voando, tráfego aéreo, aviões sobre | aerei in volo, traffico aereo | vliegtuigen in de lucht, vliegverkeer, luchtverkeer
airport | flughafen, flughäfen | aéroport, aéroports | aeropuerto, aeropuertos | aeroporto, aeroportos | aeroporto, aeroporti | luchthaven, vliegveld, luchthavens
airline | fluggesellschaft, fluggesellschaften, airline | compagnie aérienne, compagnies aériennes | aerolínea, aerolíneas, compañía aérea | companhia aérea, companhias aéreas | compagnia aerea, compagnie aeree | luchtvaartmaatschappij, luchtvaartmaatschappijen
ship | schiff, schiffe, schiffsverkehr | navire, bateau, navires, bateaux | barco, barcos, buque | navio, navios, barco | nave, navi, barca | schip, schepen, boot
port | hafen, häfen | ports | puerto, puertos | portos | porto, porti | haven, havens
travel | reise, reisen, urlaub machen | voyage, voyages, voyager | viaje, viajes, viajar | viagem, viagens, viajar | viaggio, viaggi, viaggiare | reis, reizen
trip | ausflug | excursion, voyage | excursión | passeio | gita, escursione | uitstapje
ski | skifahren, skigebiet, skigebiete, piste | ski, skier, station de ski | esquí, esquiar, estación de esquí | esqui, esquiar | sci, sciare, stazione sciistica | skiën, skigebied
hiking trail | wanderweg, wanderwege, wanderung | sentier, randonnée, randonnées | sendero, senderismo | trilha, trilhas, caminhada | sentiero, sentieri, escursionismo | wandelroute, wandelroutes, wandelpad
population | bevölkerung, einwohner, einwohnerzahl, bevölkerungszahl | population, habitants, nombre d habitants | población, habitantes, número de habitantes | população, habitantes, número de habitantes | popolazione, abitanti, numero di abitanti | bevolking, inwoners, inwoneraantal, aantal inwoners
people | leute, mensch, menschen | gens | gente | gente, pessoas | gente | mensen
live | lebt, wohnen, wohnt, leben | vivent, vit, habitent, habite | viven, vive, habita | vivem, vive, moram | vivono, vive, abitano | wonen, woont
flag | flagge, flaggen, fahne | drapeau, drapeaux | bandera, banderas | bandeira, bandeiras | bandiera, bandiere | vlag, vlaggen
continent | kontinent, kontinente, erdteil | continents | continente, continentes | continente, continentes | continente, continenti | werelddeel, continent
europe | europa, europäisch, europäische, europäischen | europe, européen, européenne | europa, europeo, europea | europa, europeu, europeia | europa, europeo, europea | europa, europees, europese
africa | afrika | afrique | áfrica | áfrica | africa | afrika
asia | asien | asie | asia | ásia | asia | azië
north america | nordamerika | amérique du nord | norteamérica, américa del norte | américa do norte | nord america, america del nord | noord-amerika
south america | südamerika | amérique du sud | sudamérica, américa del sur | américa do sul | sud america, sudamerica, america del sud | zuid-amerika
energy | energie, energien | énergie, énergies | energía, energías | energia, energias | energia, energie | energie
electricity | strom, elektrizität, elektrischer strom | électricité | electricidad, luz eléctrica | eletricidade | elettricità, corrente elettrica, energia elettrica | elektriciteit, stroom
electricity price | strompreis, strompreise, stromtarif, stromtarife | prix de l électricité, tarif de l électricité, tarifs de l électricité | precio de la luz, precio de la electricidad, tarifa eléctrica, tarifas eléctricas | preço da eletricidade, preço da luz, tarifa de eletricidade | prezzo dell elettricità, prezzo della luce, tariffe elettriche, prezzo dell energia | stroomprijs, stroomprijzen, elektriciteitsprijs, energieprijzen
solar energy | solarenergie, sonnenenergie, solarstrom | énergie solaire | energía solar | energia solar | energia solare | zonne-energie
solar panel photovoltaic | solaranlage, photovoltaik, photovoltaikanlage, solarzellen, pv-anlage | panneau solaire, panneaux solaires, photovoltaïque | panel solar, paneles solares, placas solares, fotovoltaica | painel solar, painéis solares, fotovoltaico | pannello solare, pannelli solari, fotovoltaico, impianto fotovoltaico | zonnepaneel, zonnepanelen
solar radiation | sonneneinstrahlung, solarstrahlung | rayonnement solaire, ensoleillement | radiación solar, irradiación solar | radiação solar, irradiação solar | radiazione solare, irraggiamento solare | zonnestraling, zoninstraling
wind energy | windkraft, windenergie | énergie éolienne, éolienne, éoliennes | energía eólica | energia eólica | energia eolica | windenergie, windmolens
nuclear energy | kernkraft, atomkraft, atomenergie | nucléaire, énergie nucléaire | energía nuclear | energia nuclear | energia nucleare | kernenergie
carbon intensity emissions | co2-ausstoß, co2-intensität, co2-emissionen, kohlenstoffintensität, treibhausgas, treibhausgase | émissions de co2, intensité carbone, émissions de carbone, gaz à effet de serre | emisiones de co2, intensidad de carbono, emisiones de carbono, gases de efecto invernadero | emissões de co2, intensidade de carbono, emissões de carbono, gases com efeito de estufa | emissioni di co2, intensità di carbonio, gas serra | co2-uitstoot, koolstofintensiteit, broeikasgassen, co2-intensiteit
emissions | emission, emissionen, ausstoß | émission, émissions | emisión, emisiones | emissão, emissões | emissione, emissioni | uitstoot, emissie, emissies
gas | erdgas | gaz, gaz naturel | gas natural | gás, gás natural | gas naturale, metano | aardgas
oil price | ölpreis, ölpreise, rohölpreis, erdölpreis | prix du pétrole, prix du baril, cours du pétrole | precio del petróleo, precio del crudo | preço do petróleo | prezzo del petrolio | olieprijs, olieprijzen
oil | erdöl, öl | pétrole | petróleo | petróleo | petrolio | olie, aardolie
`;
