/**
 * Money, companies, government, law, health, food and work. English | German | French | Spanish | Portuguese | Italian |
 * Dutch. Written by hand from general knowledge of the languages.
 */
export const MONEY_AND_SOCIETY = `
price | preis, preise, kostet, kosten, preisen | prix, coûte, coût, tarif, tarifs | precio, precios, cuesta, coste, costo | preço, preços, custa, custo | prezzo, prezzi, costa, costo, costi | prijs, prijzen, kost, kosten
money | geld | argent | dinero | dinheiro | soldi, denaro | geld
currency | währung, währungen | devise, devises, monnaie, monnaies | moneda, monedas, divisa, divisas | moeda, moedas, divisa | valuta, valute, moneta, monete | valuta, munteenheid, munteenheden, munt
exchange rate | wechselkurs, wechselkurse, umrechnungskurs, währungskurs, devisenkurs, kurs des, wechselkursen | taux de change, cours de change, cours des devises | tipo de cambio, tasa de cambio, tipos de cambio, cambio de divisas, cotización del dólar, cotización del euro | taxa de câmbio, taxas de câmbio, câmbio, cotação do dólar, cotação do euro | tasso di cambio, tassi di cambio, cambio valuta, cambio euro, cambio dollaro, cambio | wisselkoers, wisselkoersen, valutakoers, omrekenkoers
convert currency | währung umrechnen, währungsrechner, euro umrechnen | convertir des devises, convertisseur de devises, convertir des euros | convertir divisas, convertir moneda, cambiar euros, conversor de divisas, convertir euros | converter moedas, conversor de moedas, converter euros, converter reais | convertire valuta, convertitore di valuta, convertire euro | valuta omrekenen, euro omrekenen
exchange rates | devisen, devisenkurse | marché des changes | mercado de divisas | mercado cambial | mercato valutario, cambi | valutamarkt
central bank | zentralbank, zentralbanken, notenbank | banque centrale, banques centrales | banco central, bancos centrales | banco central, bancos centrais | banca centrale, banche centrali | centrale bank
interest rate | zinssatz, leitzins, zinsen, zinssätze | taux d intérêt, taux directeur | tasa de interés, tipo de interés, tipos de interés, tasas de interés | taxa de juro, taxa de juros, taxas de juro, juros | tasso di interesse, tassi di interesse, tasso d interesse | rentevoet, rente, rentestand
bank | banken | banque, banques | banco, bancos | banco, bancos | banca, banche | banken
euro | euros | euros | euros | euros | euro | euro's
dollar | us-dollar | dollars, dollar américain | dólar, dólares, dólar estadounidense | dólar, dólares | dollaro, dollari | dollars
swiss franc | schweizer franken, franken | franc suisse, francs suisses | franco suizo, francos suizos | franco suíço, francos suíços | franco svizzero, franchi svizzeri | zwitserse frank
pound sterling | pfund sterling, britisches pfund | livre sterling, livres sterling | libra esterlina, libras esterlinas | libra esterlina, libras | sterlina, sterline, lira sterlina | pond sterling, britse pond
yen | yen | yens | yen, yenes | iene, ienes | yen | yen
mexican peso | mexikanischer peso | peso mexicain | peso mexicano, pesos mexicanos | peso mexicano | peso messicano | mexicaanse peso
stock | aktie, aktien | action en bourse, actions en bourse, titre boursier | acción, acciones | ação, ações | azione, azioni | aandeel, aandelen
stock price | aktienkurs, aktienkurse, börsenkurs, aktienpreis, aktie kurs, kurs der aktie, aktienkursen, kurs | cours de l action, cours de bourse, prix de l action, cours en bourse, cours d action, cours boursier, cours, action | precio de la acción, precio de las acciones, cotización de la acción, cotización, cotización de las acciones | preço das ações, preço da ação, cotação da ação, cotação das ações, cotação | prezzo delle azioni, prezzo dell azione, quotazione, quotazione in borsa, quotazioni | aandelenkoers, beurskoers, aandelenprijs, koers van het aandeel, aandelenkoersen, koers
stock market | börse, aktienmarkt, börsen | bourse, marché boursier | bolsa, bolsa de valores, mercado bursátil | bolsa, bolsa de valores, mercado de ações | borsa, mercato azionario, borsa valori | beurs, aandelenmarkt
ticker symbol | börsenkürzel, tickersymbol, wertpapierkennnummer, aktiensymbol | symbole boursier, code boursier, symbole | símbolo bursátil, símbolo | código da ação, símbolo da ação, símbolo | simbolo di borsa, simbolo | tickersymbool, beurssymbool, symbool
stock index | aktienindex, börsenindex | indice boursier | índice bursátil | índice da bolsa | indice di borsa, indice azionario | beursindex, aandelenindex
fund | fonds, investmentfonds | fonds, fonds d investissement | fondo, fondos, fondo de inversión | fundo, fundos, fundo de investimento | fondo, fondi, fondo di investimento | fonds, beleggingsfonds
bond | anleihe, anleihen | obligation, obligations | bono, bonos | obrigações, títulos de dívida | obbligazione, obbligazioni | obligatie, obligaties
dividend | dividende, dividenden | dividende, dividendes | dividendo, dividendos | dividendo, dividendos | dividendo, dividendi | dividend, dividenden
gold price | goldpreis, goldkurs | prix de l or, cours de l or | precio del oro | preço do ouro | prezzo dell oro, quotazione dell oro | goudprijs
gold | gold | l or | oro | ouro | oro | goud
silver | silber | argent métal | plata | prata | argento | zilver
cryptocurrency | kryptowährung, kryptowährungen, krypto | cryptomonnaie, cryptomonnaies, crypto-monnaie | criptomoneda, criptomonedas | criptomoeda, criptomoedas | criptovaluta, criptovalute | cryptomunt, cryptovaluta, cryptomunten
market value | marktwert, marktkapitalisierung | capitalisation boursière, valeur de marché | capitalización de mercado, valor de mercado | capitalização de mercado, valor de mercado | capitalizzazione di mercato, valore di mercato | marktwaarde, beurswaarde
market | markt, märkte | marché, marchés | mercado, mercados | mercado, mercados | mercato, mercati | markt, markten
trading volume | handelsvolumen | volume d échanges | volumen de negociación | volume de negociação | volume di scambi | handelsvolume
analyst recommendation | analystenempfehlung, kaufempfehlung, analysten empfehlen, analysten | recommandation des analystes, analystes recommandent, analystes | recomendación de analistas, recomiendan los analistas, analistas | recomendação de analistas, analistas recomendam, analistas | raccomandazioni degli analisti, consigliano gli analisti, analisti | analistenadvies, analisten
earnings | gewinne, quartalszahlen, geschäftszahlen, gewinn | bénéfices, bénéfice, résultats trimestriels, résultats financiers | ganancias, beneficios, resultados trimestrales, beneficio | lucros, lucro, resultados trimestrais, ganhos | utili, utile, guadagni, risultati trimestrali, profitti | winst, kwartaalcijfers, bedrijfsresultaten
earnings calendar | quartalszahlen termin, wann meldet, legt zahlen vor | calendrier des résultats, publie ses résultats | calendario de resultados, presenta resultados, publica resultados | calendário de resultados, divulga resultados | calendario degli utili, pubblica i risultati | cijfers publiceren, kwartaalcijfers bekendmaken
revenue | umsatz, umsätze, erlöse, einnahmen | chiffre d affaires, revenus, recettes fiscales, recettes publiques, recettes de l état, recettes de l entreprise | ingresos, facturación, ventas anuales | receita, faturamento, receitas fiscais, receitas públicas, faturação | fatturato, ricavi, entrate | omzet, opbrengst, inkomsten
net income | nettogewinn, jahresüberschuss, reingewinn | bénéfice net, résultat net | beneficio neto, ingreso neto, ganancia neta | lucro líquido | utile netto, reddito netto | nettowinst
income statement | gewinn- und verlustrechnung, gewinn und verlustrechnung, jahresabschluss, bilanz | compte de résultat, bilan, comptes annuels | cuenta de resultados, estado de resultados, balance | demonstração de resultados, balanço | conto economico, bilancio, bilanci | resultatenrekening, jaarrekening, balans
income | einkommen | revenu, revenus | ingresos, renta | renda, rendimento | reddito | inkomen, inkomensniveau
income level | einkommensniveau | niveau de revenu | nivel de ingresos | nível de renda, nível de rendimento | livello di reddito | inkomensniveau
company | firma, unternehmen, firmen, konzern, betrieb | entreprise, entreprises, société, sociétés, compagnie | empresa, empresas, compañía, sociedad, compañías | empresa, empresas, companhia, sociedade | azienda, aziende, impresa, imprese, società, ditta | bedrijf, bedrijven, onderneming, ondernemingen, firma
company register | handelsregister, firmenregister, unternehmensregister, handelsregisternummer | registre du commerce, registre des sociétés, siren, siret | registro mercantil, registro de empresas | registo comercial, registro comercial, registro de empresas, cnpj | registro delle imprese, camera di commercio | handelsregister, kamer van koophandel, kvk, bedrijvenregister
company profile | firmenprofil, unternehmensprofil | profil de l entreprise, fiche entreprise | perfil de la empresa | perfil da empresa | profilo aziendale, profilo dell azienda | bedrijfsprofiel
headquarters | hauptsitz, firmensitz, sitz | siège social, siège | sede, sede central | sede | sede, sede legale | hoofdkantoor, hoofdzetel
employees | mitarbeiter, angestellte, beschäftigte | employés, salariés, effectif | empleados, trabajadores, plantilla | funcionários, empregados, trabalhadores | dipendenti, impiegati, lavoratori | werknemers, medewerkers, personeel
industry | branche, industrie, branchen | industrie, secteur, secteurs | industria, sector | indústria, setor | industria, settore | industrie, sector, branche
startup | existenzgründung, gründung | jeune pousse, startups | empresa emergente, startups | startups | startup | startups
economy | wirtschaft, konjunktur, volkswirtschaft | économie, conjoncture | economía | economia | economia | economie
economic indicator | wirtschaftsdaten, wirtschaftsindikator, konjunkturdaten, wirtschaftsindikatoren | indicateurs économiques, indicateur économique | indicadores económicos, indicador económico | indicadores económicos, indicadores econômicos, indicador económico | indicatori economici, indicatore economico | economische indicatoren, economische cijfers
gdp gross domestic product | bruttoinlandsprodukt, bip | produit intérieur brut, pib | producto interno bruto, producto interior bruto, pib | produto interno bruto, pib | prodotto interno lordo, pil | bruto binnenlands product, bbp
inflation | inflationsrate, teuerung, teuerungsrate, verbraucherpreise, verbraucherpreisindex | taux d inflation, inflation, prix à la consommation | inflación, tasa de inflación, ipc, precios al consumidor | inflação, taxa de inflação, ipc, preços ao consumidor | inflazione, tasso di inflazione, prezzi al consumo | inflatie, inflatiecijfer, consumentenprijzen
unemployment rate | arbeitslosenquote, arbeitslosigkeit, arbeitslose, arbeitslosenzahlen | chômage, taux de chômage, chômeurs | desempleo, tasa de desempleo, paro, tasa de paro | desemprego, taxa de desemprego | disoccupazione, tasso di disoccupazione, disoccupati | werkloosheid, werkloosheidspercentage, werklozen, werkloosheidscijfer
minimum wage | mindestlohn | salaire minimum, smic | salario mínimo | salário mínimo | salario minimo | minimumloon
salary | gehalt, lohn, gehälter, löhne | salaire, salaires | salario, sueldo, salarios | salário, salários | stipendio, stipendi, salario | salaris, loon, lonen
poverty | armut | pauvreté | pobreza | pobreza | povertà | armoede
public debt | staatsverschuldung, staatsschulden, schulden | dette publique, dette | deuda pública, deuda | dívida pública, dívida | debito pubblico, debito | staatsschuld, schuld
tax | steuer, steuern, steuersatz | impôt, impôts, taxe, taxes | impuesto, impuestos | imposto, impostos | tassa, tasse, imposta, imposte | belasting, belastingen
vat | mehrwertsteuer, umsatzsteuer, mwst, ust-idnr, umsatzsteuer-identifikationsnummer | tva, taxe sur la valeur ajoutée | iva, impuesto sobre el valor añadido | iva, imposto sobre o valor acrescentado | iva, imposta sul valore aggiunto, partita iva | btw, omzetbelasting, btw-nummer
trade | handel, außenhandel | commerce, commerce extérieur | comercio, comercio exterior | comércio, comércio exterior | commercio, commercio estero | handel, buitenlandse handel
export | ausfuhr, exporte | exportations, exportation | exportación, exportaciones | exportação, exportações | esportazione, esportazioni | uitvoer, export
import | einfuhr, importe | importations, importation | importación, importaciones | importação, importações | importazione, importazioni | invoer, import
customs tariff | zoll, zölle, zolltarif | douane, droits de douane | aduana, arancel, aranceles | alfândega, tarifa aduaneira | dogana, dazi, dazio | douane, invoerrechten
government | regierung, regierungen | gouvernement, gouvernements, l état | gobierno, gobiernos | governo, governos | governo, governi | regering, overheid
parliament | parlament, bundestag | parlement, assemblée nationale | parlamento, congreso de los diputados | parlamento, assembleia da república | parlamento, camera dei deputati | parlement, tweede kamer
member of parliament | abgeordnete, abgeordneter, abgeordneten | député, députés, parlementaires | diputado, diputados | deputado, deputados | deputato, deputati, parlamentari | kamerlid, kamerleden, volksvertegenwoordiger
congress | kongress, us-kongress, kongresses | congrès, congrès américain | congreso, congreso de estados unidos | congresso, congresso americano | congresso, congresso americano | congres, amerikaanse congres
senator | senatoren, senatorin | sénateur, sénateurs, sénat | senador, senadores, senado | senador, senadores, senado | senatore, senatori, senato | senatoren, senaat
bill law | gesetzentwurf, gesetzentwürfe, gesetzesvorlage | projet de loi, projets de loi, proposition de loi | proyecto de ley, proyectos de ley | projeto de lei, projetos de lei | disegno di legge, disegni di legge, proposta di legge | wetsvoorstel, wetsvoorstellen
law | gesetz, gesetze, recht | loi, lois, droit | ley, leyes, derecho | lei, leis, direito | legge, leggi, diritto | wet, wetten, recht
court | gericht, gerichte, gerichtsurteil, urteil | tribunal, tribunaux, jugement | tribunal, tribunales, sentencia | tribunal, tribunais, sentença | tribunale, tribunali, sentenza | rechtbank, gerecht, vonnis
election | wahl, wahlen, wahlergebnis, wahlergebnisse | élection, élections, résultats des élections, résultats électoraux | elección, elecciones, resultados electorales | eleição, eleições, resultados eleitorais | elezione, elezioni, risultati elettorali | verkiezing, verkiezingen, verkiezingsuitslag
president | präsident, präsidentin, bundespräsident | président, présidente | presidente, presidenta | presidente | presidente | voorzitter, president
minister | ministerium, ministerin, bundeskanzler | ministre, ministère, premier ministre | ministro, ministra, ministerio | ministro, ministra, ministério | ministro, ministra, ministero | ministerie, minister-president
party | partei, parteien | parti politique, partis politiques | partido político, partidos políticos | partido político, partidos políticos | partito, partiti | politieke partij, politieke partijen
government spending | staatsausgaben, ausgaben der regierung, bundesausgaben | dépenses publiques, dépenses de l état, dépenses du gouvernement | gasto público, gastos del gobierno, gasto del gobierno | gastos públicos, gastos do governo, despesa pública | spesa pubblica, spese del governo, spesa del governo | overheidsuitgaven
government contract | öffentliche aufträge, staatsauftrag, regierungsauftrag, ausschreibung, ausschreibungen | marché public, marchés publics, appel d offres, contrats publics | contrato público, contratos públicos, licitación, licitaciones, contratos del gobierno | contrato público, contratos públicos, licitação, contratos do governo | appalto, appalti, appalti pubblici, gara d appalto, contratti pubblici | overheidscontract, overheidsopdracht, aanbesteding, aanbestedingen
grant | förderung, fördermittel, zuschuss, zuschüsse | subvention, subventions | subvención, subvenciones, ayudas | subsídio, subvenção, bolsa de estudo | sovvenzione, sovvenzioni, finanziamento, contributi | subsidie, subsidies
budget | haushalt, etat | budget, budgets | presupuesto, presupuestos | orçamento, orçamentos | bilancio pubblico, bilancio dello stato | begroting
agency | behörde, behörden, amt | agence, administration, organisme | agencia, organismo | agência, órgão | agenzia, ente | instantie, agentschap, dienst
european union | europäische union, eu | union européenne, ue | unión europea, ue | união europeia, ue | unione europea, ue | europese unie, eu
united nations | vereinte nationen | nations unies, onu | naciones unidas, onu | nações unidas, onu | nazioni unite, onu | verenigde naties, vn
world bank | weltbank | banque mondiale | banco mundial | banco mundial | banca mondiale | wereldbank
war | krieg, kriege | guerre, guerres | guerra, guerras | guerra, guerras | guerra, guerre | oorlog, oorlogen
second world war | zweiter weltkrieg, zweiten weltkrieg | seconde guerre mondiale, deuxième guerre mondiale | segunda guerra mundial | segunda guerra mundial | seconda guerra mondiale | tweede wereldoorlog
crime | kriminalität, verbrechen, straftat, straftaten, kriminalstatistik | criminalité, délinquance, crimes, délits | crimen, crímenes, delito, delitos, delincuencia, criminalidad | crimes, criminalidade, delito, delitos | crimine, crimini, reato, reati, criminalità, delitti | misdaad, misdaden, criminaliteit, misdaadcijfers, misdrijven
police | polizei, polizeilich | police, policier | policía, policial | polícia, policial | polizia | politie
burglary | einbruch, einbrüche | cambriolage, cambriolages | robo en viviendas, robos | assalto, assaltos, furto, furtos | furto, furti, furto in casa | inbraak, inbraken
theft | diebstahl, diebstähle | vol à main armée, larcin | robo, hurto | roubo, roubos | rapina, rapine | diefstal, diefstallen
stop and search | personenkontrolle, durchsuchung, durchsuchungen, polizeikontrolle | contrôle de police, fouille, contrôles de police, contrôles policiers | registro policial, registros policiales, control policial | revista policial, abordagem policial | perquisizione, perquisizioni, controllo di polizia | fouillering, aanhouding, preventief fouilleren
prison | gefängnis | prison | cárcel, prisión | prisão, cadeia | prigione, carcere | gevangenis
patent | patente, patenten | brevet, brevets | patentes | patentes | brevetto, brevetti | octrooi, octrooien, patenten
trademark | marke eintragen, markenname, markenrecht | marque déposée | marca registrada | marca registada, marca registrada | marchio, marchi registrati | handelsmerk, merkenregister
health | gesundheit, gesundheitlich | santé | salud, sanitario | saúde | salute, sanità, sanitario | gezondheid
disease | krankheit, krankheiten | maladie, maladies | enfermedad, enfermedades | doença, doenças | malattia, malattie | ziekte, ziekten, ziektes
symptom | symptome | symptôme, symptômes | síntoma, síntomas | sintoma, sintomas | sintomo, sintomi | symptomen, symptoom
drug | medikament, medikamente, arznei, arzneimittel, medikaments, medizin | médicament, médicaments | medicamento, medicamentos, fármaco, fármacos | medicamento, medicamentos, remédio, remédios | farmaco, farmaci, medicinale, medicinali, medicina | medicijn, medicijnen, geneesmiddel, geneesmiddelen
side effects | nebenwirkung, nebenwirkungen | effet secondaire, effets secondaires, effets indésirables | efecto secundario, efectos secundarios, efectos adversos | efeito secundário, efeitos secundários, efeito colateral, efeitos colaterais | effetto collaterale, effetti collaterali, effetti indesiderati | bijwerking, bijwerkingen
drug label | packungsbeilage, beipackzettel | notice du médicament, notice | prospecto, prospecto del medicamento | bula, bula do medicamento, folheto informativo | foglietto illustrativo, bugiardino | bijsluiter
dosage | dosierung, dosis | posologie, dosage | dosis, dosificación | dosagem, dose | dosaggio, dose, posologia | dosering
vaccine | impfung, impfstoff, impfungen | vaccin, vaccins, vaccination | vacuna, vacunas, vacunación | vacina, vacinas, vacinação | vaccino, vaccini, vaccinazione | vaccin, vaccinatie, vaccins
doctor | arzt, ärzte, ärztin | médecin, médecins, docteur | médico, médicos, doctor | médico, médicos | medico, medici, dottore | arts, artsen, dokter
cancer | krebs, krebserkrankung | cancer, cancers | cáncer | câncer, cancro | cancro, tumore, tumori | kanker
clinical trial | klinische studie, klinische studien | essai clinique, essais cliniques | ensayo clínico, ensayos clínicos | ensaio clínico, ensaios clínicos | studio clinico, studi clinici, sperimentazione clinica | klinische studie, klinische studies, klinisch onderzoek
medical device | medizinprodukt, medizinprodukte, medizingerät | dispositif médical, dispositifs médicaux | dispositivo médico, dispositivos médicos, producto sanitario | dispositivo médico, dispositivos médicos | dispositivo medico, dispositivi medici | medisch hulpmiddel, medische hulpmiddelen
recall | rückruf, rückrufe, rückrufaktion, zurückgerufen | rappel de produit, rappels de produits, rappel, rappels, rappelés | retirada de productos, retirada, retirado, productos retirados, retiradas | recolha de produtos, recolha, recall de produtos | richiamo, richiami, ritirato, ritirati, richiamati | terugroepactie, terugroepacties, teruggeroepen
food recall | lebensmittelrückruf, lebensmittelrückrufe, lebensmittelwarnung | rappel alimentaire, rappels alimentaires, rappels d aliments | retirada de alimentos, alerta alimentaria, alimentos retirados | recolha de alimentos, alimentos recolhidos | richiamo alimentare, richiami alimentari, alimenti richiamati | voedselterugroepactie, terugroepactie voedsel
death | tod, todesfälle, sterblichkeit, tote | mort, décès, mortalité | muerte, muertes, mortalidad | morte, mortes, mortalidade, óbitos | morte, morti, mortalità, decessi | dood, sterfte, overlijdens
birth | geburt, geburten, geburtenrate | naissance, naissances, natalité | nacimiento, nacimientos, natalidad | nascimento, nascimentos, natalidade | nascita, nascite, natalità | geboorte, geboorten
life expectancy | lebenserwartung | espérance de vie | esperanza de vida | esperança de vida, expectativa de vida | aspettativa di vita, speranza di vita | levensverwachting
food | lebensmittel, nahrungsmittel, essen, nahrung | nourriture, aliment, aliments, alimentaire, produit alimentaire | alimento, alimentos, comida, alimentario | alimento, alimentos, comida, alimentar | cibo, alimento, alimenti, alimentare, cibi | voedsel, eten, levensmiddelen, voeding
nutrition | nährwert, nährwerte, ernährung, nährstoffe, nährwertangaben | nutrition, valeurs nutritionnelles, valeur nutritive, nutritionnel, valeur nutritionnelle | nutrición, valor nutricional, nutricional, información nutricional, valores nutricionales | nutrição, valor nutricional, informação nutricional, valores nutricionais, nutricional | nutrizione, valori nutrizionali, nutrizionale, valore nutrizionale | voedingswaarde, voedingswaarden, voedingsstoffen
calories | kalorien, kalorie | calorie, calories | caloría, calorías | caloria, calorias | caloria, calorie | calorieën, calorie
sugar | zucker, zuckergehalt | sucre, sucres | azúcar, azúcares | açúcar, açúcares | zucchero, zuccheri | suiker, suikers
fat | fett, fettgehalt | gras, graisse, graisses, matières grasses | grasa, grasas | gordura, gorduras | grasso, grassi | vet, vetten
salt | salz, salzgehalt | sel | sal | sal | sale | zout
protein | eiweiß, proteine | protéine, protéines | proteína, proteínas | proteína, proteínas | proteina, proteine | eiwit, eiwitten
ingredients | zutaten, inhaltsstoffe, zutat | ingrédients, ingrédient | ingredientes, ingrediente | ingredientes, ingrediente | ingredienti, ingrediente | ingrediënten, ingrediënt
allergens | allergene, allergie | allergènes, allergie | alérgenos, alergia | alergénicos, alergénios, alérgenos, alergia | allergeni, allergia | allergenen, allergie
barcode | strichcode, barcode, ean | code-barres, code barres | código de barras | código de barras | codice a barre | streepjescode, barcode
product | produkt, produkte, artikelnummer | produit, produits | producto, productos | produto, produtos | prodotto, prodotti | product, producten
brand | marke, marken | marque, marques | marca, marcas | marca, marcas | marca, marche | merk, merken
recipe | rezept, rezepte, kochrezept, kochen | recette, recettes, cuisiner | receta, recetas, cocinar | receita culinária, receita de, receitas, cozinhar | ricetta, ricette, cucinare | recept, recepten, koken
drink | getränk, getränke | boisson, boissons | bebida, bebidas | bebida, bebidas | bevanda, bevande | drank, dranken, drankje
cocktail | cocktails | cocktails | cóctel, cócteles | coquetel, coquetéis | cocktail | cocktails
wine | wein, weine | vin, vins | vino, vinos | vinho, vinhos | vino, vini | wijn, wijnen
beer | bier, biere | bière, bières | cerveza, cervezas | cerveja, cervejas | birra, birre | bier, bieren
coffee | kaffee | café en grains | café | café | caffè in grani | koffie
milk | milch | lait | leche | leite | latte | melk
bread | brot | pain | pan | pão | pane | brood
cheese | käse | fromage, fromages | queso, quesos | queijo, queijos | formaggio, formaggi | kaas
meat | fleisch | viande | carne | carne | carne | vlees
fruit | obst, frucht, früchte | fruit, fruits | fruta, frutas | fruta, frutas | frutta, frutto | fruit, vrucht
vegetable | gemüse | légume, légumes | verdura, verduras | legume, legumes, vegetal | verdura, verdure | groente, groenten
chocolate | schokolade | chocolat | chocolate | chocolate | cioccolato, cioccolata | chocolade
job | stelle, stellen, stellenangebot, stellenangebote, arbeitsplatz, jobs, stellenanzeigen | emploi, emplois, offre d emploi, offres d emploi, poste | empleo, empleos, oferta de trabajo, ofertas de trabajo, oferta de empleo, ofertas de empleo | emprego, empregos, vaga, vagas, oferta de emprego, ofertas de emprego, vagas de emprego | lavoro offerte, offerta di lavoro, offerte di lavoro, posti di lavoro, impiego | vacature, vacatures, baan, banen
work | arbeit | travail | trabajo | trabalho | lavoro | werk
education | bildung, ausbildung, unterricht | éducation, enseignement, formation | educación, enseñanza, formación | educação, ensino, formação | istruzione, educazione, formazione | onderwijs, opleiding
house price | hauspreise, immobilienpreise, immobilienpreis | prix immobilier, prix de l immobilier, prix des maisons | precio de la vivienda, precios de la vivienda | preço das casas, preço dos imóveis | prezzo delle case, prezzi delle case, prezzi immobiliari | huizenprijs, huizenprijzen
real estate | immobilie, immobilien, wohnung, wohnungen, haus, mietwohnung | immobilier, appartement, appartements, logement, maison | inmobiliaria, vivienda, piso, pisos, apartamento, casa | imóvel, imóveis, apartamento, casa, imobiliário | immobiliare, immobili, appartamento, appartamenti, casa | vastgoed, woning, woningen, appartement, huis
rent | miete, mieten | loyer, loyers, location d appartement | alquiler, alquileres | aluguel, aluguer, arrendamento | affitto, affitti | huur, huren
insurance | versicherung, versicherungen | assurance, assurances | seguro, seguros | seguro, seguros | assicurazione, assicurazioni | verzekering, verzekeringen
shipment | paket verfolgen, sendung, sendungsverfolgung, lieferung, paket | colis, livraison, suivi de colis | envío, paquete postal, seguimiento de envío, entrega | encomenda, entrega, envio | spedizione, pacco, consegna | pakket, pakketje, zending, bezorging
invoice | rechnung, rechnungen | facture, factures | factura, facturas | fatura, faturas | fattura, fatture | factuur, facturen, rekening
payment | zahlung, zahlungen, bezahlen, bezahle, überweisung, überweise | paiement, paiements, payer, paie, virement | pago, pagos, pagar, paga, transferencia | pagamento, pagamentos, pagar, paga, transferência | pagamento, pagamenti, pagare, paga, bonifico | betaling, betalingen, betalen, betaal, overschrijving
buy | kaufen, kaufe, kauf | acheter, achète, achat | comprar, compra | comprar, compra | comprare, compra, acquistare | kopen, koop
sell | verkaufen, verkauf | vendre, vente | vender, venta | vender, venda | vendere, vendita | verkopen, verkoop
book a table | tisch reservieren, reserviere einen tisch, tisch für | réserve une table, réserver une table | reserva una mesa, reservar una mesa | reserva uma mesa, reservar uma mesa | prenota un tavolo, prenotare un tavolo | reserveer een tafel, tafel reserveren
appointment | termin, termine | rendez-vous | cita | consulta, marcação | appuntamento | afspraak, afspraken
cancel | storniere, stornieren, kündige, kündigen, absagen | annule, annuler, résilie, résilier | cancela, cancelar, anular | cancela, cancelar, anular | cancella, cancellare, annulla, disdire | annuleer, annuleren, opzeggen, zeg op
public holidays | feiertag, feiertage, gesetzliche feiertage, feiertagen, gesetzlicher feiertag | jour férié, jours fériés, fériés, férié | día festivo, días festivos, feriado, feriados, festivos, fiesta nacional, festivo | feriado, feriados, feriado nacional, feriados nacionais | giorno festivo, giorni festivi, festività, feste nazionali, festivi | feestdag, feestdagen, officiële feestdagen, nationale feestdagen
school holidays | schulferien, ferien | vacances scolaires, vacances | vacaciones escolares, vacaciones | férias escolares, férias | vacanze scolastiche, vacanze | schoolvakantie, schoolvakanties, vakantie
bank holiday | bankfeiertag | jour chômé, pont | puente festivo | ponte feriado | ponte festivo | vrije dag
christmas | weihnachten | noël | navidad | natal | natale | kerstmis, kerst
easter | ostern | pâques | pascua, semana santa | páscoa | pasqua | pasen
new year | neujahr, silvester | nouvel an, jour de l an | año nuevo, nochevieja | ano novo | capodanno | nieuwjaar, oudjaar
religion | religionen, kirche | religion, religions, église | religión, iglesia | religião, igreja | religione, chiesa | godsdienst, kerk
`;
