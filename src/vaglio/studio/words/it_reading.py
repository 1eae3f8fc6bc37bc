"""What is noticed while a table is read, and the bundled tables, in Italian."""

SENTENCES = {
    "taken for missing values: {shown}": "presi per valori mancanti: {shown}",
    "units were read with the numbers: {names_list}": "le unità di misura sono state lette con i numeri: {names_list}",
    "column {name} holds codes, not quantities, and is read as nominal": "la colonna {name} contiene codici, non quantità, ed è letta come nominale",
    "column {name} has no values and is ignored": "la colonna {name} non ha valori e viene ignorata",
    "column {name} is read as free text": "la colonna {name} è letta come testo libero",
    "column {name} looks like an identifier ({n} distinct values in {n_rows} rows) and is left out of "
    "training": "la colonna {name} sembra un identificatore ({n} valori distinti in {n_rows} righe) e resta fuori "
    "dall'addestramento",
    "column {name} looks like an identifier ({n} distinct values in {n_rows} rows) but is declared nominal "
    "and kept; {how}": "la colonna {name} sembra un identificatore ({n} valori distinti in {n_rows} righe) ma è dichiarata "
    "nominale e resta; {how}",
    "column {name} spells {pair_list} in several ways ({shown}): use one spelling": "la colonna {name} scrive {pair_list} in più modi ({shown}): usa una sola grafia",
    "column {name} is read as words, although {n} of its values are {what_}: {word} in row {n_row} is none": "la colonna {name} è letta come parole, anche se il {n} dei suoi valori sono {what_}: {word} nella riga "
    "{n_row} non lo è",
    "numbers": "numeri",
    "dates": "date",
    "column {name} is read as words, because day and month could be exchanged in dates such as {word}: say "
    "dayfirst=, or write them as YYYY-MM-DD": "la colonna {name} è letta come parole, perché in date come {word} giorno e mese si possono scambiare: "
    "scrivile come AAAA-MM-GG",
    "column {name} is read as words, because its numbers have several units ({units_list}): write all in one "
    "unit": "la colonna {name} è letta come parole, perché i suoi numeri hanno più unità ({units_list}): scrivili "
    "tutti in una sola",
    "column {name}: the {first_} comes first in dates such as {word} (dayfirst= overrules it)": "colonna {name}: in date come {word} viene prima {first_}",
    "day": "il giorno",
    "month": "il mese",
    "column {name}: {word} is a value, because {why_}; {how}": "colonna {name}: {word} è un valore, perché {why_}; {how}",
    "the others are signs": "gli altri sono segni",
    "the others are codes of two letters": "gli altri sono codici di due lettere",
    "column {name}: {n} cell(s) is no {what_} and counts as missing ({shown}); correct it, or declare the "
    "column nominal": "colonna {name}: {n} cella non è {what_} e conta come mancante ({shown}); correggila, o dichiara la "
    "colonna nominale",
    "column {name}: {n} cells are no numbers and count as missing ({shown}); correct them, or declare the "
    "column nominal": "colonna {name}: {n} celle non sono numeri e contano come mancanti ({shown}); correggile, o dichiara la "
    "colonna nominale",
    "column {name}: {n} cells are no finite numbers and count as missing ({shown}); correct them, or declare "
    "the column nominal": "colonna {name}: {n} celle non sono numeri finiti e contano come mancanti ({shown}); correggile, o "
    "dichiara la colonna nominale",
    "column {name}: {n} cells are no dates and count as missing ({shown}); correct them, or declare the "
    "column nominal": "colonna {name}: {n} celle non sono date e contano come mancanti ({shown}); correggile, o dichiara la "
    "colonna nominale",
    "{n} line(s) below the table is left out ({said})": "{n} riga sotto la tabella è esclusa ({said})",
    "{n} line(s) below the table are left out ({said})": "{n} righe sotto la tabella sono escluse ({said})",
    "{n} line(s) above the names is left out ({said})": "{n} riga sopra i nomi è esclusa ({said})",
    "{n} line(s) above the names are left out ({said})": "{n} righe sopra i nomi sono escluse ({said})",
    "{n} empty row(s) at the end is left out": "{n} riga vuota alla fine è esclusa",
    "{n} empty row(s) at the end are left out": "{n} righe vuote alla fine sono escluse",
    "{n} row(s) has no value of {name} and is set aside": "{n} riga non ha un valore di {name} ed è messa da parte",
    "{n} row(s) have no value of {name} and are set aside": "{n} righe non hanno un valore di {name} e sono messe da parte",
    "{file} is not UTF-8 (line {n}) and was read as {encoding}; say encoding= if letters look wrong": "{file} non è UTF-8 (riga {n}) ed è stato letto come {encoding}",
    "column {name}: {said_}": "colonna {name}: {said_}",
    "columns {names_list}: {said_}": "colonne {names_list}: {said_}",
    # -- the bundled tables
    "569 breast masses, malignant or benign: 30 measures of cell nuclei.": "569 noduli al seno, maligni o benigni: 30 misure dei nuclei delle cellule.",
    "1797 handwritten digits: 64 pixels of an 8 by 8 image, each from 0 to 16.": "1797 cifre scritte a mano: 64 pixel di un'immagine 8 per 8, ciascuno da 0 a 16.",
    "150 iris flowers of three species: length and width of sepal and petal.": "150 fiori di iris di tre specie: lunghezza e larghezza di sepali e petali.",
    "344 penguins of three species from the Palmer Archipelago: four measures, island, sex and year; 19 "
    "values are missing.": "344 pinguini di tre specie dell'arcipelago Palmer: quattro misure, isola, sesso e anno; mancano 19 "
    "valori.",
    "14 days: is the weather fit to play? Four nominal attributes; the table of many textbooks.": "14 giorni: il tempo è adatto per giocare? Quattro attributi nominali; la tabella di molti libri di "
    "testo.",
    "178 wines of three cultivars: 13 chemical measures.": "178 vini di tre vitigni: 13 misure chimiche.",
    # -- the forms of a model
    "IF … THEN … rules, the terms of an additive model, or the first trees of boosting, for reading": "regole IF … THEN …, i termini di un modello additivo, o i primi alberi del boosting, da leggere",
    "rules with every digit, which RuleSet.parse reads back": "regole con tutte le cifre, che RuleSet.parse rilegge",
    "rules, coefficients or terms as JSON": "regole, coefficienti o termini in JSON",
    "a SELECT that classifies the rows of a database table": "una SELECT che classifica le righe di una tabella di una base di dati",
    "a Python function that needs nothing but itself": "una funzione Python che basta a sé stessa",
    "a C99 file that needs nothing but itself": "un file C99 che basta a sé stesso",
    "an ES module that needs nothing but itself": "un modulo ES che basta a sé stesso",
    "an ONNX file for onnxruntime and others": "un file ONNX per onnxruntime e altri",
    "a PMML document for the programs that read this standard": "un documento PMML per i programmi che leggono questo standard",
    "one line per rule, per coefficient or per cell of a term": "una riga per regola, per coefficiente o per cella di un termine",
    "the tree drawn in text": "l'albero disegnato come testo",
    "the tree or the network as a drawing": "l'albero o la rete come disegno",
}
