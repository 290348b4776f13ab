/**
 * Knowledge, culture, language, media, the web and software. English | German | French | Spanish | Portuguese | Italian |
 * Dutch. Written by hand from general knowledge of the languages.
 */
export const KNOWLEDGE_AND_SOFTWARE = `
scientific papers | wissenschaftliche artikel, wissenschaftlicher artikel, fachartikel, fachaufsätze, wissenschaftliche arbeiten, studien, forschungsarbeiten, wissenschaftliche veröffentlichungen | articles scientifiques, article scientifique, publications scientifiques, études scientifiques, articles de recherche | artículos científicos, artículo científico, estudios científicos, publicaciones científicas, artículos académicos | artigos científicos, artigo científico, estudos científicos, publicações científicas, artigos acadêmicos, artigos académicos | articoli scientifici, articolo scientifico, pubblicazioni scientifiche, studi scientifici | wetenschappelijke artikelen, wetenschappelijk artikel, wetenschappelijke publicaties, wetenschappelijke studies
article | artikel, aufsatz, artikeln | article, articles | artículo, artículos | artigo, artigos | articolo, articoli | artikel, artikelen
study | studie | étude, études | estudio, estudios | estudo, estudos | studio, studi | studie, onderzoeken
publication | veröffentlichung, veröffentlichungen, publikationen | publication, publications | publicación, publicaciones | publicação, publicações | pubblicazione, pubblicazioni | publicatie, publicaties
research | forschung, forschungen | recherche scientifique, recherches | investigación, investigaciones | pesquisa científica, investigação | ricerca scientifica, ricerche | onderzoek
science | wissenschaft, wissenschaftlich, wissenschaftliche | science, scientifique, scientifiques | ciencia, científico, científica, científicos | ciência, científico, científica | scienza, scientifico, scientifica, scientifici | wetenschap, wetenschappelijk, wetenschappelijke
journal | fachzeitschrift, fachzeitschriften | revue scientifique, revues scientifiques | revista científica, revistas científicas | revista científica, revistas científicas | rivista scientifica, riviste scientifiche | vakblad, tijdschrift
citations | zitate, zitierungen, zitiert, zitationen | citations, cité, citation | citas, citado, citaciones | citações, citado | citazioni, citato, citazione | citaties, geciteerd, citaat
thesis | doktorarbeit, dissertation, masterarbeit, abschlussarbeit | thèse, thèses, mémoire | tesis, tesis doctoral | tese, teses, dissertação | tesi, tesi di laurea | proefschrift, scriptie
author | autor, autorin, autoren, schriftsteller, verfasser | auteur, auteurs, écrivain, écrivains | autores, autor, escritor, escritores, autora | autores, autor, escritor, escritores, autora | autore, autori, scrittore, scrittori, autrice | auteur, auteurs, schrijver, schrijvers
researcher | forscher, wissenschaftler, forscherin | chercheur, chercheurs, scientifique | investigador, investigadores, científico | pesquisador, pesquisadores, investigador | ricercatore, ricercatori, scienziato | onderzoeker, onderzoekers, wetenschapper
institution | institut, institute, forschungseinrichtung | institut, instituts, établissement | institución, instituciones, instituto | instituição, instituições, instituto | istituzione, istituzioni, istituto, istituti | instelling, instellingen, instituut
book | buch, bücher, büchern, buches | livre, livres, ouvrage, ouvrages, bouquin | libro, libros | livro, livros | libro, libri | boek, boeken
novel | roman, romane | romans, roman | novela, novelas | romance, romances | romanzo, romanzi | roman, romans
poem | gedicht, gedichte | poème, poèmes, poésie | poema, poemas, poesía | poema, poemas, poesia | poesia, poesie | gedicht, gedichten
comic | comics, comicheft | bande dessinée, bandes dessinées, bd | cómic, cómics, tebeo, historieta | quadrinhos, banda desenhada | fumetto, fumetti | strip, stripboek
publisher | verlag, verlage, herausgeber | éditeur, maison d édition | editorial, editoriales | editora, editoras | editore, casa editrice | uitgever, uitgeverij
library | bibliothek, bibliotheken, bücherei | bibliothèque, bibliothèques | biblioteca, bibliotecas | biblioteca, bibliotecas | biblioteca, biblioteche | bibliotheek, bibliotheken
edition | ausgabe, ausgaben, auflage | édition, éditions | edición, ediciones | edição, edições | edizione, edizioni | uitgave, editie
written by | geschrieben von, geschrieben, verfasst von | écrit par, écrits par, écrit, écrits | escrito por, escritos por, escribió | escrito por, escritos por, escreveu | scritto da, scritti da, scritto, scritti | geschreven door, geschreven
encyclopedia | enzyklopädie, lexikon, nachschlagewerk | encyclopédie | enciclopedia | enciclopédia | enciclopedia | encyclopedie
biography | biografie, biographie, lebenslauf, leben von | biographie, vie de | biografía, vida de | biografia, vida de | biografia, vita di | biografie, levensloop
museum | museen | musée, musées | museo, museos | museu, museus | museo, musei | musea
art | kunst | art, arts, l art | arte, artes | arte, artes | arte, arti | kunst
artwork | kunstwerk, kunstwerke | œuvre d art, oeuvre d art, oeuvres d art, œuvres d art, œuvres, oeuvres | obra de arte, obras de arte, obras | obra de arte, obras de arte, obras | opera d arte, opere d arte, opere | kunstwerk, kunstwerken
painting | gemälde, malerei, bild von | tableau, tableaux, peinture, peintures, toile | cuadro, cuadros, pintura, pinturas | quadro, quadros, pintura, pinturas | quadro, quadri, dipinto, dipinti, pittura | schilderij, schilderijen
painted | gemalt | peint, peinte | pintado, pintó | pintado, pintou | dipinto da | geschilderd
painter artist | maler, malerin | peintre, peintres | pintor, pintores | pintor, pintores | pittore, pittori | schilder, schilders, kunstschilder
sculpture | skulptur, skulpturen, plastik | sculpture, sculptures, statue | escultura, esculturas | escultura, esculturas | scultura, sculture | beeldhouwwerk, sculptuur, beelden
exhibition | ausstellung, ausstellungen | exposition, expositions | exposición, exposiciones | exposição, exposições | mostra, mostre, esposizione | tentoonstelling, tentoonstellingen
artist | künstler, künstlerin, künstlern, musiker | artiste, artistes, musicien | artistas, artista, músico | artistas, artista, músico | artisti, artista, musicista | kunstenaar, kunstenaars, artiest, artiesten
music | musik | musique | música | música | musica | muziek
song | lied, lieder, songs, musikstück, titel | chanson, chansons, morceau | canción, canciones, tema musical | canção, canções, música, músicas | canzone, canzoni, brano, brani | liedje, liedjes, lied, nummers
album | alben | albums, disque, disques | álbum, álbumes, disco, discos | álbum, álbuns, disco, discos | dischi, disco | albums, plaat
band | musikgruppe | groupe de musique, groupe | banda, grupo musical, grupo | banda, grupo musical | gruppo musicale, gruppo | muziekgroep, bandje
playlist | wiedergabeliste | liste de lecture | lista de reproducción | lista de reprodução | playlist | afspeellijst
concert | konzert, konzerte | concert, concerts | concierto, conciertos | concerto, concertos, show ao vivo | concerto, concerti | concert, concerten
lyrics | liedtext, songtext, songtexte, liedtexte | paroles, paroles de chanson | letra de la canción, letras de canciones | letra da música, letras de músicas | testo della canzone, testi di canzoni | songtekst, liedtekst, songteksten
podcast | podcasts | balado, podcasts | pódcast | podcasts | podcast | podcasts
audiobook | hörbuch, hörbücher | livre audio, livres audio | audiolibro, audiolibros | audiolivro, audiolivros | audiolibro, audiolibri | luisterboek, luisterboeken
film | filme, kinofilm, spielfilm | film, films | película, películas, filme | filme, filmes | film, pellicola | films, speelfilm
cinema | kino, kinos | cinéma, cinémas | cine, cines | cinema, cinemas | cinema | bioscoop, bioscopen
tv series | serie, serien, fernsehserie | série, séries, série télévisée | serie, series, serie de televisión | série, séries, série de televisão | serie tv, serie televisiva | serie, series, televisieserie
television | fernsehen, fernseher, fernsehprogramm, tv-programm | télévision, programme télé, télé | televisión, tele | televisão | televisione, programmi tv | televisie, tv-gids
actor | schauspieler, schauspielerin | acteur, acteurs, actrice | actor, actores, actriz | ator, atores, atriz | attore, attori, attrice | acteur, actrice, acteurs
director | regisseur | réalisateur, metteur en scène | director de cine | diretor de cinema, realizador | regista | regisseur
radio | radiosender, rundfunk | radio, stations de radio | emisora, emisoras, radio | rádio, estação de rádio | stazioni radio, emittente radio | radiozender
video | videos | vidéo, vidéos | vídeo, vídeos | vídeo, vídeos | filmato, video | video's, filmpje
image | bild, bilder, bildern | image, images | imagen, imágenes | imagem, imagens | immagine, immagini | afbeelding, afbeeldingen, plaatje
photo | foto, fotos, fotografie, fotografien | photo, photos, photographie | foto, fotos, fotografía | foto, fotos, fotografia | foto, fotografia, fotografie | foto, foto's, fotografie
sound recording | tonaufnahme, tonaufnahmen, audioaufnahme | enregistrement audio, enregistrement sonore | grabación de audio, grabaciones | gravação de áudio, gravações | registrazione audio, registrazioni | geluidsopname, geluidsopnames
subtitles | untertitel | sous-titres, sous-titre | subtítulos | legendas | sottotitoli | ondertiteling, ondertitels
theatre | theater, bühne | théâtre | teatro | teatro | teatro | toneel, schouwburg
game | spiel, spiele, videospiel, videospiele | jeu, jeux, jeux vidéo, jeu vidéo | juego, juegos, videojuego, videojuegos | jogo, jogos, videojogo, videojogos, videogame | gioco, giochi, videogioco, videogiochi | spel, spelletjes, videospel, games
chess | schach | échecs | ajedrez | xadrez | scacchi | schaken, schaak
pokemon | pokémon | pokémon | pokémon | pokémon | pokémon | pokémon
pokemon ability | fähigkeit, fähigkeiten | capacité spéciale, talents, talent | habilidad, habilidades | habilidade, habilidades | abilità | vaardigheid, vaardigheden
evolution chain | entwickelt sich, entwicklung von, entwicklungsreihe | évolue, évolution de, évolutions | evoluciona, evolución de, evoluciones | evolui, evolução de, evoluções | si evolve, evoluzione di, evoluzioni | evolueert, evolutie van
type | typ, typen, sorte | type, types, genre | tipo, tipos | tipo, tipos | tipo, tipi | type, soort
fire | feuer, brand | feu | fuego | fogo | fuoco | vuur, brand
sport | sportart | sport, sports, sportif | deporte, deportes, deportivo | esporte, esportes, desporto, desportivo | sport, sportivo | sport, sporten
football | fußball, bundesliga, fussball | football, foot, ligue 1 | fútbol, liga española | futebol, brasileirão | calcio, serie a | voetbal, eredivisie
match results | spielergebnis, spielergebnisse, ergebnis, ergebnisse, spielstand | résultat du match, résultats des matchs, résultats, score, résultat | resultado del partido, resultados de los partidos, resultados, resultado, marcador | resultado do jogo, resultados dos jogos, resultados, resultado, placar | risultato della partita, risultati delle partite, risultati, risultato, punteggio | uitslag, uitslagen, resultaat, resultaten
league table standings | tabelle, tabellenstand | classement, classements | clasificación, clasificaciones, tabla de posiciones | classificação, tabela do campeonato | classifica, classifiche | stand, ranglijst, klassement
team | mannschaft, mannschaften | équipe, équipes | equipo, equipos | equipe, equipa, time de futebol, equipes | squadra, squadre | ploeg, elftal, teams
player | spieler, spielerin | joueur, joueurs | jugador, jugadores | jogador, jogadores | giocatore, giocatori | speler, spelers
tennis | tennisspieler | tennis | tenis | tênis, ténis | tennis | tennis
basketball | basketballspiel | basket, basket-ball | baloncesto, básquetbol | basquete, basquetebol | pallacanestro, basket | basketbal
formula 1 | formel 1, formel eins | formule 1, formule un | fórmula 1, fórmula uno | fórmula 1, fórmula um | formula 1, formula uno | formule 1
cycling | radfahren, radsport, radrennen | cyclisme | ciclismo | ciclismo | ciclismo | wielrennen, fietsen
championship | meisterschaft, weltmeisterschaft, wm, em | championnat, coupe du monde | campeonato, mundial de fútbol, copa del mundo | campeonato, copa do mundo, mundial de futebol | campionato, mondiali, coppa del mondo | kampioenschap, wereldkampioenschap, wk, ek
lottery | lotto, lottozahlen | loterie, loto | lotería, sorteo | loteria, sorteio | lotteria, lotto, estrazioni | loterij, lotto
dictionary | wörterbuch, wörterbücher, duden | dictionnaire, dictionnaires | diccionario, diccionarios | dicionário, dicionários | dizionario, dizionari, vocabolario | woordenboek, woordenboeken
word | wort, wörter, wortes, worte | mot, mots | palabra, palabras | palavra, palavras | parola, parole | woord, woorden
definition of word | definition, worterklärung | définition, définitions | definición, definiciones | definição, definições | definizione, definizioni | definitie, definities
synonym | synonyme, sinnverwandte wörter, sinnverwandt | synonyme, synonymes | sinónimo, sinónimos | sinônimo, sinônimos, sinónimo, sinónimos | sinonimo, sinonimi | synoniem, synoniemen
antonym | gegenteil, antonym | antonyme, contraire | antónimo, contrario | antônimo, antónimo, contrário | contrario, contrari | tegenstelling, antoniem
rhyme | reim, reime, reimt, reimen | rime, rimes, rimer, riment | rima, riman, rimas | rima, rimam, rimas | rima, rime, rimano | rijm, rijmt, rijmwoorden
spelling | rechtschreibung, schreibweise, buchstabiert, tippfehler | orthographe, faute de frappe, épeler | ortografía, errata | ortografia, grafia | ortografia, grafia | spelling, spelfout, tikfout
pronunciation | aussprache, ausgesprochen | prononciation, prononcer | pronunciación, pronuncia | pronúncia, pronuncia | pronuncia | uitspraak
language | sprache, sprachen | langue, langues, langage | idioma, idiomas, lengua, lenguas | idioma, idiomas, língua, línguas | lingua, lingue | taal, talen
translate | übersetze, übersetzen, übersetzung, übersetzungen, übersetzt, übersetz | traduire, traduction, traduis, traduisez, traduit | traducir, traduce, traducción, traduzca, traducido | traduzir, traduz, tradução, traduza, traduzido | tradurre, traduci, traduzione, traduca, tradotto | vertalen, vertaal, vertaling, vertaald
text | texte, text, satz, texten | texte, textes, phrase | texto, textos, frase | texto, textos, frase | testo, testi, frase | tekst, teksten, zin
sentence | sätze, satz | phrases | frases, oración | frases | frasi | zinnen
german | deutsch, deutsche, deutschen, deutscher, deutsches | allemand, allemande | alemán, alemana | alemão, alemã | tedesco, tedesca | duits, duitse
french | französisch, französische, französischen | français, française | francés, francesa | francês, francesa | francese, francesi | frans, franse
spanish | spanisch, spanische, spanischen | espagnol, espagnole | español, española | espanhol, espanhola | spagnolo, spagnola | spaans, spaanse
portuguese | portugiesisch, portugiesische | portugais, portugaise | portugués, portuguesa | português, portuguesa | portoghese | portugees, portugese
italian | italienisch, italienische, italienischen | italien, italienne | italiano, italiana | italiano, italiana | italiano, italiana, italiani | italiaans, italiaanse
dutch | niederländisch, niederländische, holländisch | néerlandais, néerlandaise | neerlandés, holandés | neerlandês, holandês | olandese, olandesi | nederlands, nederlandse
english | englisch, englische, englischen, englischer | anglais, anglaise | inglés, inglesa | inglês, inglesa | inglese, inglesi | engels, engelse
american | amerikanisch, amerikanische, amerikanischen | américain, américaine, américains | americano, estadounidense, americana, estadounidenses | americano, americana, americanos | americano, americana, americani, statunitense | amerikaans, amerikaanse
british | britisch, britische, britischen | britannique, britanniques | británico, británica | britânico, britânica | britannico, britannica, inglesi | brits, britse
swiss | schweizer, schweizerisch | suisses | suizo, suiza | suíço | svizzero, svizzeri | zwitsers, zwitserse
news | nachrichten, schlagzeilen, neuigkeiten, meldungen, aktuelles | actualités, actualité, nouvelles, infos, informations récentes, actu | noticias, noticia, titulares | notícias, notícia, manchetes | notizie, notizia, novità, ultime notizie | nieuws, nieuwsberichten, krantenkoppen, nieuwtjes
newspaper | zeitung, zeitungen, zeitungsartikel | journal, journaux, presse | periódico, periódicos, diario, prensa | jornal, jornais, imprensa | giornale, giornali, quotidiani, stampa | krant, kranten, krantenartikel, krantenartikelen
magazine | zeitschrift, zeitschriften, magazin | magazine, revue, revues | revista, revistas | revista, revistas | rivista, riviste | tijdschriften, blad
headline | schlagzeile, überschrift | gros titres, titre | titular | manchete | titolo, titoli di prima pagina | kop, koppen
blog | blogs | blogue | blogs | blogs | blog | blogs
event | veranstaltung, veranstaltungen, ereignis | événement, événements | evento, eventos | evento, eventos | evento, eventi | evenement, evenementen
topic | thema, themen | sujet, sujets, thème | tema, temas | tema, temas, assunto | tema, temi, argomento, argomenti | onderwerp, onderwerpen
question | frage, fragen | questions | pregunta, preguntas | pergunta, perguntas | domanda, domande | vraag, vragen
answer question | antwort, antworten, beantworte, beantworten | réponse, réponses, répondre, réponds | respuesta, respuestas, responder, responde | resposta, respostas, responder | risposta, risposte, rispondere, rispondi | antwoord, antwoorden, beantwoord
web search | websuche, internetsuche, im internet suchen, im netz suchen, im internet, im web suchen, internet durchsuchen | recherche sur internet, recherche web, sur internet, chercher sur internet, sur le web | búsqueda web, buscar en internet, en internet, búsqueda en internet, en la web | pesquisa na web, pesquisar na internet, na internet, buscar na internet, na web | ricerca web, cercare su internet, su internet, cerca su internet, sul web | zoeken op internet, op internet, webzoeken, op het web
website | webseite, webseiten, internetseite, internetseiten, website, homepage | site web, sites web, site internet, page web, pages web | sitio web, sitios web, página web, páginas web | site, sites, página web, páginas web, página da web | sito web, siti web, sito, siti, pagina web, pagine web, sito internet | webpagina, webpagina's, websites, internetpagina
page | seite, seiten | page, pages | página, páginas | página, páginas | pagina, pagine | pagina's, bladzijde
scrape web page | scrapen, webseite auslesen, auslesen, text extrahieren, extrahieren, extrahiere | extraire le texte, extraire, extrais, scraper, aspirer | extraer, extrae, rastrear una web, raspar, extraer el texto | extrair, extrai, raspar, extrair o texto | estrarre, estrai, estrarre il testo, scaricare una pagina | scrapen, uitlezen, tekst uit een webpagina halen
crawl website | website durchsuchen, crawlen, ganze website, alle seiten einer website, alle seiten | explorer un site, parcourir un site, crawler, toutes les pages | rastrear, rastrear un sitio, todas las páginas | rastrear um site, todas as páginas, varrer um site | scansionare un sito, tutte le pagine | crawlen, website doorzoeken, alle pagina's
archived web page | archivierte webseite, archivierte version, webarchiv, alte version einer webseite, internetarchiv | page archivée, archive du web, ancienne version d un site, version archivée | página archivada, versión archivada, archivo de internet | página arquivada, versão arquivada, versão antiga de um site | pagina archiviata, versione archiviata, vecchia versione di un sito | gearchiveerde pagina, gearchiveerde versie, webarchief, oude versie van een website
archive | archiv, archive | archives, archive | archivo histórico, archivos históricos | arquivo histórico, arquivos históricos | archivio, archivi | archief, archieven
link | verweis, verweise, verlinkung | lien, liens | enlace, enlaces | ligação web, ligações web, hiperligação | collegamenti ipertestuali, collegamento ipertestuale | koppeling, koppelingen
internet | internet, netz | internet, réseau | internet, red | internet, rede | internet, rete | internet, netwerk
ip address | ip-adresse, ip-adressen, ip adresse | adresse ip, adresses ip | dirección ip, direcciones ip | endereço ip, endereços ip | indirizzo ip, indirizzi ip | ip-adres, ip-adressen, ip adres
domain | domäne, domain, domainname | domaine internet, nom de domaine, noms de domaine | dominio, dominios, nombre de dominio | domínio, domínios, nome de domínio | dominio, domini, nome di dominio | domein, domeinen, domeinnaam
dns record | dns-eintrag, dns-einträge, dns einträge | enregistrement dns, enregistrements dns | registro dns, registros dns | registo dns, registro dns, registros dns, registos dns | record dns | dns-record, dns-records
domain owner whois registration | wem gehört die domain, domaininhaber, domain registriert | propriétaire du domaine, à qui appartient le domaine, titulaire du domaine | dueño del dominio, propietario del dominio, titular del dominio | dono do domínio, proprietário do domínio, titular do domínio | proprietario del dominio, intestatario del dominio | eigenaar van het domein, domeineigenaar, domeinhouder
certificate | zertifikat, zertifikate | certificat, certificats | certificado, certificados | certificado, certificados | certificato, certificati | certificaat, certificaten
email | e-mail, e-mails, mail, mails | courriel, courriels, e-mail, mail, mails | correo, correo electrónico, correos electrónicos, email | correio eletrónico, correio eletrônico, e-mail | posta elettronica, e-mail, mail | e-mail, mail, mailtje
email address | e-mail-adresse, mailadresse, e-mailadresse, mailadressen, emailadresse, e-mail-adressen | adresse e-mail, adresse mail, adresse électronique, adresses e-mail, adresse email | dirección de correo, dirección de correo electrónico, correo electrónico | endereço de e-mail, endereço de email, endereços de e-mail | indirizzo e-mail, indirizzo email, indirizzi e-mail | e-mailadres, mailadres, emailadres, e-mailadressen
verify email | e-mail-adresse prüfen, existiert die e-mail-adresse, gültige e-mail-adresse | vérifier une adresse e-mail, adresse e-mail valide | verificar correo electrónico, correo electrónico válido | verificar e-mail, e-mail válido | verificare indirizzo email, email valida | e-mailadres bestaat, e-mailadres controleren, geldig e-mailadres
exists | existiert, vorhanden, gültig | existe, valide, existent | existe, existen, válido, válida | existe, existem, válido, válida | esiste, esistono, valido, valida | bestaat, bestaan, geldig
phone number | telefonnummer, telefonnummern, handynummer, rufnummer | numéro de téléphone, numéros de téléphone | número de teléfono, números de teléfono | número de telefone, números de telefone, telefone | numero di telefono, numeri di telefono | telefoonnummer, telefoonnummers
phone | telefon, handy | téléphone, portable | teléfono, móvil | telemóvel, celular | telefono, cellulare | telefoon, mobiel
send message | nachricht senden, schicke eine nachricht, nachricht schicken, schick eine nachricht | envoyer un message, envoie un message | enviar un mensaje, envía un mensaje, mandar un mensaje | enviar uma mensagem, envia uma mensagem, mandar mensagem | inviare un messaggio, invia un messaggio, manda un messaggio | bericht sturen, stuur een bericht, stuur bericht
delete | lösche, löschen, lösch, entferne, entfernen | supprime, supprimer, supprimez, effacer, efface | borra, borrar, eliminar, suprime, suprimir | apaga, apagar, excluir, eliminar | cancella, cancellare, eliminare | verwijder, verwijderen, wissen
send | sende, senden, schicke, schicken, schick, verschicken | envoyer, envoie, envoyez | enviar, envía, mandar, manda | enviar, envia, mandar, manda, envie | inviare, invia, mandare, manda | stuur, sturen, verzenden, verstuur
message | nachricht, mitteilung | message, messages | mensaje, mensajes | mensagem, mensagens | messaggio, messaggi | bericht, berichten
contact person | ansprechpartner, kontakt, kontakte, kontaktdaten | contact, contacts, coordonnées de contact | contacto, contactos | contato, contatos, contacto | contatto, contatti | contactpersoon, contactgegevens
person | personen | personne, personnes | persona, personas | pessoa, pessoas | persona, persone | persoon, personen
profile | profil, profile | profil, profils | perfil, perfiles | perfil, perfis | profilo, profili | profiel, profielen
user | nutzer, benutzer, benutzerkonto | utilisateur, utilisateurs | usuario, usuarios | usuário, usuários, utilizador, utilizadores | utente, utenti | gebruiker, gebruikers
account | konto, konten | compte, comptes | cuenta, cuentas | conta, contas | conti, conto | rekeningen, accounts
social media | soziale medien, soziale netzwerke | réseaux sociaux, médias sociaux | redes sociales | redes sociais, mídias sociais | social network, reti sociali | sociale media
comments | kommentar, kommentare | commentaire, commentaires | comentario, comentarios | comentário, comentários | commento, commenti | reacties, reactie, opmerkingen
post | beitrag, beiträge | publications récentes, message publié | publicación reciente, entrada | postagem, postagens | messaggi pubblicati, articolo del blog | bijdragen, posts
discussion | diskussion, diskussionen | discussion, discussions, débat | discusión, debate | discussão, debate | discussione, discussioni, dibattito | discussie, discussies
reviews | bewertung, bewertungen, rezension, rezensionen | avis, critiques, critique | reseñas, reseña, opiniones | avaliações, avaliação, resenha, resenhas | recensioni, recensione | beoordeling, beoordelingen, recensie, recensies
software | programm, programme | logiciel, logiciels, programme informatique | programa informático, software | programa de computador, software | programma, programmi | programma, programma's
app | anwendung, anwendungen, apps | application, applications, appli | aplicación, aplicaciones | aplicativo, aplicação, aplicativos, aplicações | applicazione, applicazioni | toepassing, apps
package | paket, pakete, softwarepaket, pakets | paquet, paquets | paquete, paquetes | pacote, pacotes | pacchetto, pacchetti | pakket, pakketten, softwarepakket
library software | programmbibliothek, softwarebibliothek | bibliothèque logicielle, bibliothèque javascript, bibliothèque python | librería, biblioteca de software, librerías | biblioteca de software, biblioteca javascript | libreria, librerie, libreria javascript | softwarebibliotheek
version | versionen, fassung | versions, version | versión, versiones | versão, versões | versione, versioni | versie, versies
release | freigabe, veröffentlicht, erschienen, erscheinungsdatum | sortie, sorties, publié, parution | lanzamiento de versión, publicado, publicada | lançado, publicada, publicado | rilascio, rilasci, pubblicato, uscita | uitgebracht, release, verschenen
download | herunterladen, downloads, heruntergeladen, download-zahlen, downloadzahlen | téléchargement, téléchargements, télécharger, téléchargé | descarga, descargas, descargar, descargó, descargado, se descargó | baixar, descarregar, transferências, baixado, downloads, descarregado | scaricare, scaricato, scarica, download, scaricamenti | downloaden, gedownload, downloads
dependencies | abhängigkeit, abhängigkeiten | dépendance, dépendances | dependencia, dependencias | dependência, dependências | dipendenza, dipendenze | afhankelijkheid, afhankelijkheden
vulnerability | sicherheitslücke, sicherheitslücken, schwachstelle, schwachstellen | faille de sécurité, failles de sécurité, vulnérabilité, vulnérabilités, faille | vulnerabilidad, vulnerabilidades, fallo de seguridad, fallos de seguridad | vulnerabilidade, vulnerabilidades, falha de segurança, falhas de segurança | vulnerabilità, falla di sicurezza, falle di sicurezza, vulnerabilità note | kwetsbaarheid, kwetsbaarheden, beveiligingslek, beveiligingslekken
security | sicherheit | sécurité | seguridad | segurança | sicurezza | veiligheid, beveiliging
end of life support | supportende, ende des supports, wird noch unterstützt, lebensende | fin de vie, fin de support, fin du support | fin de soporte, fin de vida | fim do suporte, fim de vida | fine vita, fine supporto, fine del supporto | einde ondersteuning, ondersteund tot, einde levensduur
supported | unterstützt, unterstützung, supportet | pris en charge, maintenu, supporté | soporte, compatible, soportado | suporte, suportado | supporto, supportato, supportata | ondersteund, ondersteuning
operating system | betriebssystem, betriebssysteme | système d exploitation, systèmes d exploitation | sistema operativo, sistemas operativos | sistema operacional, sistema operativo | sistema operativo, sistemi operativi | besturingssysteem, besturingssystemen
database | datenbank, datenbanken | base de données, bases de données | base de datos, bases de datos | banco de dados, base de dados | banca dati, base di dati | databank, databanken, database
code repository | quellcode, repositorium, code-repository, quelltext | dépôt de code, code source, dépôt, dépôts | repositorio, repositorios, código fuente | repositório, repositórios, código-fonte | codice sorgente, repository, deposito di codice | broncode, coderepository
open source | quelloffen, quelloffene | code ouvert, logiciel libre | código abierto, software libre | código aberto, software livre | codice aperto, software libero | opensource
issues | fehlerberichte, fehlermeldungen, offene issues, tickets | tickets ouverts, bogues, anomalies | incidencias, errores, incidencias abiertas | problemas abertos, erros, bugs | segnalazioni, bug, segnalazioni aperte | meldingen, fouten, openstaande issues
commit history | versionsgeschichte, commits, änderungsverlauf | historique des commits, historique des modifications | historial de commits, historial de cambios | histórico de commits, histórico de alterações | cronologia dei commit, storia dei commit | commitgeschiedenis, wijzigingsgeschiedenis
contributors | mitwirkende, beitragende | contributeurs, contributeur | colaboradores, contribuidores | contribuidores, colaboradores | contributori, collaboratori | bijdragers, medewerkers aan
project | projekt, projekte | projet, projets | proyecto, proyectos | projeto, projetos | progetto, progetti | project, projecten
license | lizenz, lizenzen | licence, licences | licencia, licencias | licença, licenças | licenza, licenze | licentie, licenties
programming language | programmiersprache, programmiersprachen | langage de programmation, langages de programmation | lenguaje de programación, lenguajes de programación | linguagem de programação, linguagens de programação | linguaggio di programmazione, linguaggi di programmazione | programmeertaal, programmeertalen
developer | entwickler, programmierer | développeur, développeurs | desarrollador, desarrolladores, programador | desenvolvedor, desenvolvedores, programador | sviluppatore, sviluppatori, programmatore | ontwikkelaar, ontwikkelaars, programmeur
artificial intelligence | künstliche intelligenz, ki | intelligence artificielle, ia | inteligencia artificial, ia | inteligência artificial, ia | intelligenza artificiale, ia | kunstmatige intelligentie, ki
file | datei, dateien | fichier, fichiers | archivo, archivos, fichero | arquivo, arquivos, ficheiro, ficheiros | file, documenti | bestand, bestanden
document | dokument, dokumente | document, documents | documento, documentos | documento, documentos | documento, documenti | document, documenten
table | tabelle, tabellen | tableau de données | tabla, tablas | tabela, tabelas | tabella, tabelle | tabel, tabellen
report | bericht, berichte, bericht über | rapport, rapports | informe, informes, reporte | relatório, relatórios | rapporto, relazione, resoconto | rapport, rapporten, verslag
timer | stoppuhr, zeitmesser | minuteur, chronomètre, minuterie | temporizador, cronómetro | temporizador, cronômetro, cronómetro | cronometro, conto alla rovescia | kookwekker, stopwatch
random number | zufallszahl, zufallszahlen | nombre aléatoire, nombres aléatoires | número aleatorio, números aleatorios | número aleatório, números aleatórios | numero casuale, numeri casuali | willekeurig getal, toevalsgetal
joke | witz, witze | blague, blagues | chiste, chistes | piada, piadas | barzelletta, barzellette | grap, grapje, mop
quote saying | sprichwort, sprüche, zitat des tages | proverbe, citation du jour | refrán, cita del día, frases célebres | provérbio, frase do dia | proverbio, frase del giorno | spreuk, gezegde
color | farbe, farben | couleur, couleurs | color, colores | cor, cores | colore, colori | kleur, kleuren
light | licht, lichter | lumière, lumières | luz, luces | luz, luzes | luce, luci | licht, lampen
house | häuser | maisons | casas | casas | case | huizen
living room | wohnzimmer | salon | sala de estar | sala de estar, sala | soggiorno, salotto | woonkamer
bedroom | schlafzimmer | chambre | dormitorio, habitación | quarto | camera da letto, camera | slaapkamer
heating | heizung | chauffage | calefacción | aquecimento | riscaldamento | verwarming
washing machine | waschmaschine | lave-linge, machine à laver | lavadora | máquina de lavar | lavatrice | wasmachine
turn on | einschalten, anmachen, mach an, schalte ein | allume, allumer | enciende, encender, pon | acende, acender, liga, ligar | accendi, accendere | zet aan, aanzetten
turn off | ausschalten, ausmachen, mach aus, schalte aus | éteins, éteindre | apaga, apagar | apaga, apagar, desliga, desligar | spegni, spegnere | zet uit, uitzetten
fitness studio | fitnessstudio | salle de sport | gimnasio | academia de ginástica, ginásio | palestra | sportschool
subscription membership | abonnement, abo, mitgliedschaft | abonnement, abonnements | suscripción, abono | assinatura, subscrição | abbonamento, abbonamenti | abonnement, lidmaatschap
shopping list | einkaufsliste, einkaufszettel | liste de courses | lista de la compra, lista de compras | lista de compras | lista della spesa | boodschappenlijst, boodschappenlijstje
electricity bill | stromrechnung | facture d électricité | factura de la luz, recibo de la luz | conta da luz, conta de luz | bolletta della luce, bolletta | energierekening, stroomrekening
dentist | zahnarzt | dentiste | dentista | dentista | dentista | tandarts
vacation days | urlaubstage, resturlaub | jours de congé, congés | días de vacaciones | dias de férias | giorni di ferie | vakantiedagen, verlofdagen
steps walked | schritte gelaufen, schritte | nombre de pas, pas effectués | pasos | passos | passi | stappen gelopen, stappen
run | laufen | courir | correr | correr | correre | rennen, gelopen
connect | verbinden | connecter | conectar | conectar, ligar a | collegare | verbinden
`;
