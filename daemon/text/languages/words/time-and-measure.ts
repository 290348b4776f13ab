/**
 * Clocks, units and what is measured. English | German | French | Spanish | Portuguese | Italian | Dutch. Written by hand
 * from general knowledge of the languages.
 */
export const TIME_AND_MEASURE = `
time now | wie spät, wie spät ist es, uhrzeit, wieviel uhr, wie viel uhr, aktuelle uhrzeit | quelle heure, quelle heure est-il, l heure qu il est | qué hora es, qué hora, hora actual | que horas são, que horas, hora atual | che ore sono, che ora è, ora esatta, ora attuale | hoe laat is het, huidige tijd
what time | um wie viel uhr, um wieviel uhr, uhr | à quelle heure | a qué hora | a que horas, a que hora | a che ora | hoe laat
time | zeit, uhrzeiten, zeiten, zeitpunkt | heure | hora | hora, horário | ora, orario, orari | tijd, tijdstip, tijden
time zone | zeitzone, zeitzonen, zeitverschiebung, zeitunterschied | fuseau horaire, fuseaux horaires, décalage horaire | zona horaria, huso horario, diferencia horaria | fuso horário, fusos horários, diferença horária | fuso orario, fusi orari, differenza di orario | tijdzone, tijdzones, tijdsverschil
daylight saving time | sommerzeit, zeitumstellung, winterzeit | heure d été, changement d heure, heure d hiver | horario de verano, cambio de hora | horário de verão, mudança de hora | ora legale, cambio dell ora, ora solare | zomertijd, wintertijd
calendar | kalender | calendrier, agenda | calendario | calendário | calendario | kalender
date | datum, daten | dates | fecha, fechas | data, datas | date | datum, datums
unit | einheit, einheiten, maßeinheit | unité, unités | unidad, unidades | unidade, unidades | unità, unità di misura | eenheid, eenheden
meter | meter, metern | mètre, mètres | metro, metros | metro, metros | metri | meters
kilometer | kilometern | kilomètre, kilomètres | kilómetro, kilómetros | quilómetro, quilômetro, quilómetros, quilômetros | chilometro, chilometri | kilometers
mile | meile, meilen | mille marin, miles | milla, millas | milha, milhas | miglio, miglia | mijl, mijlen
kilogram | kilogramm, kilo | kilogramme, kilos | kilogramo, kilo, kilos | quilograma, quilo, quilos | chilogrammo, chilo, chili | kilogram, kilo
weight | gewicht | poids | peso | peso | peso | gewicht
height | größe, höhe | taille, hauteur | altura, estatura | altura | altezza, statura | hoogte, lengte
length | länge | longueur | longitud | comprimento | lunghezza | lengte
speed | geschwindigkeit, tempo | vitesse | velocidad | velocidade | velocità | snelheid
temperature | temperatur, temperaturen | température, températures | temperatura, temperaturas | temperatura, temperaturas | temperatura, temperature | temperatuur, temperaturen
degrees | grad | degrés, degré | grados, grado | graus, grau | gradi, grado | graden
meaning | bedeutung, bedeutet, heißt | signification, signifie, sens, veut dire | significado, significa, quiere decir | significado, significa, quer dizer | significato, significa, vuol dire | betekenis, betekent
summary | zusammenfassung, fasse zusammen, zusammenfassen | résumé, résumer, résume | resumen, resume, resumir | resumo, resumir | riassunto, riassumi, sintesi, riassumere | samenvatting, vat samen, samenvatten
statistics | statistik, statistiken | statistique, statistiques, chiffres | estadística, estadísticas | estatística, estatísticas | statistica, statistiche | statistiek, statistieken
`;
