/**
 * Cities and regions that have names of their own in these languages; of countries, languages and currencies Node knows
 * the names. English | German | French | Spanish | Portuguese | Italian | Dutch. Written by hand.
 */
export const CITY_NAMES = `
Vienna | Wien | Vienne | Viena | Viena | Vienna | Wenen
Munich | München | Munich | Múnich | Munique | Monaco di Baviera | München
Cologne | Köln | Cologne | Colonia | Colónia, Colônia | Colonia | Keulen
Berlin | Berlin | Berlin | Berlín | Berlim | Berlino | Berlijn
Hamburg | Hamburg | Hambourg | Hamburgo | Hamburgo | Amburgo | Hamburg
Frankfurt | Frankfurt | Francfort | Fráncfort | Frankfurt | Francoforte | Frankfurt
Stuttgart | Stuttgart | Stuttgart | Stuttgart | Estugarda | Stoccarda | Stuttgart
Nuremberg | Nürnberg | Nuremberg | Núremberg | Nuremberga | Norimberga | Neurenberg
Dresden | Dresden | Dresde | Dresde | Dresden | Dresda | Dresden
Hanover | Hannover | Hanovre | Hanóver | Hanôver | Hannover | Hannover
Bavaria | Bayern | Bavière | Baviera | Baviera | Baviera | Beieren
Saxony | Sachsen | Saxe | Sajonia | Saxónia | Sassonia | Saksen
Zurich | Zürich | Zurich | Zúrich | Zurique | Zurigo | Zürich
Geneva | Genf | Genève | Ginebra | Genebra | Ginevra | Genève
Basel | Basel | Bâle | Basilea | Basileia | Basilea | Bazel
Bern | Bern | Berne | Berna | Berna | Berna | Bern
Lucerne | Luzern | Lucerne | Lucerna | Lucerna | Lucerna | Luzern
Rome | Rom | Rome | Roma | Roma | Roma | Rome
Milan | Mailand | Milan | Milán | Milão | Milano | Milaan
Florence | Florenz | Florence | Florencia | Florença | Firenze | Florence
Venice | Venedig | Venise | Venecia | Veneza | Venezia | Venetië
Naples | Neapel | Naples | Nápoles | Nápoles | Napoli | Napels
Turin | Turin | Turin | Turín | Turim | Torino | Turijn
Genoa | Genua | Gênes | Génova | Génova | Genova | Genua
Sicily | Sizilien | Sicile | Sicilia | Sicília | Sicilia | Sicilië
Tuscany | Toskana | Toscane | Toscana | Toscana | Toscana | Toscane
Sardinia | Sardinien | Sardaigne | Cerdeña | Sardenha | Sardegna | Sardinië
Paris | Paris | Paris | París | Paris | Parigi | Parijs
Marseille | Marseille | Marseille | Marsella | Marselha | Marsiglia | Marseille
Nice | Nizza | Nice | Niza | Nice | Nizza | Nice
Lyon | Lyon | Lyon | Lyon | Lião | Lione | Lyon
Strasbourg | Straßburg | Strasbourg | Estrasburgo | Estrasburgo | Strasburgo | Straatsburg
Brittany | Bretagne | Bretagne | Bretaña | Bretanha | Bretagna | Bretagne
London | London | Londres | Londres | Londres | Londra | Londen
Edinburgh | Edinburgh | Édimbourg | Edimburgo | Edimburgo | Edimburgo | Edinburgh
Scotland | Schottland | Écosse | Escocia | Escócia | Scozia | Schotland
England | England | Angleterre | Inglaterra | Inglaterra | Inghilterra | Engeland
Wales | Wales | Pays de Galles | Gales | País de Gales | Galles | Wales
Great Britain | Großbritannien | Grande-Bretagne | Gran Bretaña | Grã-Bretanha | Gran Bretagna | Groot-Brittannië
United Kingdom | Vereinigtes Königreich | Royaume-Uni | Reino Unido | Reino Unido | Regno Unito | Verenigd Koninkrijk
United States | Vereinigte Staaten, USA | États-Unis, USA | Estados Unidos, EE UU, EEUU | Estados Unidos, EUA | Stati Uniti, USA | Verenigde Staten, VS
Dublin | Dublin | Dublin | Dublín | Dublin | Dublino | Dublin
Brussels | Brüssel | Bruxelles | Bruselas | Bruxelas | Bruxelles | Brussel
Antwerp | Antwerpen | Anvers | Amberes | Antuérpia | Anversa | Antwerpen
Ghent | Gent | Gand | Gante | Gante | Gand | Gent
The Hague | Den Haag | La Haye | La Haya | Haia | L'Aia | Den Haag
Amsterdam | Amsterdam | Amsterdam | Ámsterdam | Amesterdão, Amsterdã | Amsterdam | Amsterdam
Holland | Holland | Hollande | Holanda | Holanda | Olanda | Holland
Copenhagen | Kopenhagen | Copenhague | Copenhague | Copenhaga, Copenhague | Copenaghen | Kopenhagen
Stockholm | Stockholm | Stockholm | Estocolmo | Estocolmo | Stoccolma | Stockholm
Gothenburg | Göteborg | Göteborg | Gotemburgo | Gotemburgo | Göteborg | Göteborg
Helsinki | Helsinki | Helsinki | Helsinki | Helsínquia, Helsinque | Helsinki | Helsinki
Lisbon | Lissabon | Lisbonne | Lisboa | Lisboa | Lisbona | Lissabon
Porto | Porto | Porto | Oporto | Porto | Porto | Porto
Seville | Sevilla | Séville | Sevilla | Sevilha | Siviglia | Sevilla
Madrid | Madrid | Madrid | Madrid | Madri | Madrid | Madrid
Barcelona | Barcelona | Barcelone | Barcelona | Barcelona | Barcellona | Barcelona
Valencia | Valencia | Valence | Valencia | Valência | Valencia | Valencia
Catalonia | Katalonien | Catalogne | Cataluña | Catalunha | Catalogna | Catalonië
Andalusia | Andalusien | Andalousie | Andalucía | Andaluzia | Andalusia | Andalusië
Mallorca | Mallorca | Majorque | Mallorca | Maiorca | Maiorca | Mallorca
Canary Islands | Kanarische Inseln, Kanaren | îles Canaries, Canaries | islas Canarias, Canarias | ilhas Canárias, Canárias | isole Canarie, Canarie | Canarische Eilanden
Athens | Athen | Athènes | Atenas | Atenas | Atene | Athene
Crete | Kreta | Crète | Creta | Creta | Creta | Kreta
Istanbul | Istanbul | Istanbul | Estambul | Istambul | Istanbul | Istanboel
Moscow | Moskau | Moscou | Moscú | Moscovo, Moscou | Mosca | Moskou
Saint Petersburg | Sankt Petersburg | Saint-Pétersbourg | San Petersburgo | São Petersburgo | San Pietroburgo | Sint-Petersburg
Warsaw | Warschau | Varsovie | Varsovia | Varsóvia | Varsavia | Warschau
Krakow | Krakau | Cracovie | Cracovia | Cracóvia | Cracovia | Krakau
Gdansk | Danzig | Gdansk | Gdansk | Gdansk | Danzica | Gdansk
Prague | Prag | Prague | Praga | Praga | Praga | Praag
Budapest | Budapest | Budapest | Budapest | Budapeste | Budapest | Boedapest
Bucharest | Bukarest | Bucarest | Bucarest | Bucareste | Bucarest | Boekarest
Belgrade | Belgrad | Belgrade | Belgrado | Belgrado | Belgrado | Belgrado
Kyiv | Kiew | Kiev | Kiev | Kiev | Kiev | Kiev
Cairo | Kairo | Le Caire | El Cairo | Cairo | Il Cairo | Caïro
Algiers | Algier | Alger | Argel | Argel | Algeri | Algiers
Jerusalem | Jerusalem | Jérusalem | Jerusalén | Jerusalém | Gerusalemme | Jeruzalem
Beijing | Peking | Pékin | Pekín | Pequim | Pechino | Peking
Shanghai | Shanghai | Shanghai | Shanghái | Xangai | Shanghai | Sjanghai
Tokyo | Tokio | Tokyo | Tokio | Tóquio | Tokyo | Tokio
Singapore | Singapur | Singapour | Singapur | Singapura, Cingapura | Singapore | Singapore
New Delhi | Neu-Delhi | New Delhi | Nueva Delhi | Nova Deli | Nuova Delhi | New Delhi
Mumbai | Bombay | Bombay | Bombay | Bombaim | Bombay | Bombay
Sydney | Sydney | Sydney | Sídney | Sydney | Sydney | Sydney
New York | New York | New York | Nueva York | Nova York, Nova Iorque | New York | New York
Sao Paulo | São Paulo | São Paulo | São Paulo | São Paulo | San Paolo | São Paulo
Mexico City | Mexiko-Stadt | Mexico | Ciudad de México | Cidade do México | Città del Messico | Mexico-Stad
Havana | Havanna | La Havane | La Habana | Havana | L'Avana | Havana
California | Kalifornien | Californie | California | Califórnia | California | Californië
Florida | Florida | Floride | Florida | Flórida | Florida | Florida
Texas | Texas | Texas | Texas | Texas | Texas | Texas
Alps | Alpen | Alpes | Alpes | Alpes | Alpi | Alpen
Rhine | Rhein | Rhin | Rin | Reno | Reno | Rijn
Danube | Donau | Danube | Danubio | Danúbio | Danubio | Donau
Thames | Themse | Tamise | Támesis | Tâmisa | Tamigi | Theems
Seine | Seine | Seine | Sena | Sena | Senna | Seine
Mediterranean Sea | Mittelmeer | mer Méditerranée, Méditerranée | mar Mediterráneo, Mediterráneo | mar Mediterrâneo, Mediterrâneo | mar Mediterraneo, Mediterraneo | Middellandse Zee
Pyrenees | Pyrenäen | Pyrénées | Pirineos | Pirenéus | Pirenei | Pyreneeën
Mont Blanc | Mont Blanc | Mont Blanc | Mont Blanc | Monte Branco | Monte Bianco | Mont Blanc
`;
