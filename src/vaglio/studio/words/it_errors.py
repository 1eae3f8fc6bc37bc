"""What is wrong with a file or a choice, in Italian."""

SENTENCES = {
    # -- the studio itself
    "The form lacks {name}: load the page again.": "Al modulo manca {name}: ricarica la pagina.",
    "The form lacks the number {name}: load the page again.": "Al modulo manca il numero {name}: ricarica la pagina.",
    "The form is not readable: load the page again.": "Il modulo non è leggibile: ricarica la pagina.",
    "This page is for the browser that was started with it: open the address that vaglio studio printed. "
    "Each address works once; start the studio again for another one.": "Questa pagina è per il browser che è stato avviato con lei: apri l'indirizzo che vaglio studio ha "
    "scritto. Ogni indirizzo vale una volta; riavvia lo studio per averne un altro.",
    "This request comes from a page of another site: use the page of the studio.": "Questa richiesta viene da una pagina di un altro sito: usa la pagina dello studio.",
    "The file is larger than {n} MB: start the studio with --max-upload.": "Il file è più grande di {n} MB: avvia lo studio con --max-upload.",
    "Another upload has this name: wait for it, or rename the file.": "Un altro caricamento ha questo nome: aspetta che finisca, o rinomina il file.",
    "No byte of the file came for {n} seconds: send it again.": "Per {n} secondi non è arrivato alcun byte del file: mandalo di nuovo.",
    "Two runs are at work already: wait for one of them, or cancel it.": "Due lavori sono già in corso: aspetta che uno finisca, o annullalo.",
    "There is not enough memory for this: choose fewer rows or columns.": "Non c'è abbastanza memoria: scegli meno righe o colonne.",
    "{path} needs about {n} GB in memory, more than there is: open a sample of its rows "
    "(vaglio.scan(file).sample(100000)), or work on it with the commands, which read it in parts.": "{path} richiede circa {n} GB di memoria, più di quanta ce n'è: apri un campione delle sue righe "
    "(vaglio.scan(file).sample(100000)), o lavoraci con i comandi, che la leggono a parti.",
    "There is no run {name} in this project.": "In questo progetto non c'è il lavoro {name}.",
    "This step was undone already.": "Questo passo è già stato annullato.",
    "{path}: there is no such file.": "{path}: questo file non esiste.",
    "{path} cannot be read: {why}.": "{path} non si può leggere: {why}.",
    "Which column is the class? Choose it in the room Table.": "Quale colonna è la classe? Sceglila nella stanza Tabella.",
    "There is no table yet: open one in the room Table.": "Non c'è ancora una tabella: aprine una nella stanza Tabella.",
    "A comparison needs two learners: train another one in the room Learn.": "Un confronto ha bisogno di due algoritmi: addestrane un altro nella stanza Impara.",
    "Every column is free text: there is nothing to draw.": "Ogni colonna è testo libero: non c'è niente da disegnare.",
    "The seed is a whole number from 0 to 4,294,967,295.": "Il seme è un numero intero da 0 a 4.294.967.295.",
    "Choose one learner or more.": "Scegli almeno un algoritmo.",
    "The costs are of another table: load the page again.": "I costi sono di un'altra tabella: ricarica la pagina.",
    "A cost is a number, not {word}.": "Un costo è un numero, non {word}.",
    "{name}: a number is finite.": "{name}: un numero è finito.",
    "{name}: {word} is no number.": "{name}: {word} non è un numero.",
    "There is no model of this table yet: train learners in the room Learn.": "Non c'è ancora un modello di questa tabella: addestra gli algoritmi nella stanza Impara.",
    "Name a file of this machine.": "Indica un file di questo computer.",
    "The upload lacks the name of its file: load the page again.": "Al caricamento manca il nome del file: ricarica la pagina.",
    "A bundled table is no file: it has no words for a missing value.": "Una tabella inclusa non è un file: non ha parole per un valore mancante.",
    "A level is {names}, not {word}.": "Un livello è {names}, non {word}.",
    "A role is {names}, not {word}.": "Un ruolo è {names}, non {word}.",
    "This model is no longer there: choose another one.": "Questo modello non c'è più: scegline un altro.",
    "A model is written as {names}.": "Un modello si scrive come {names}.",
    "This run has left no file.": "Questo lavoro non ha lasciato alcun file.",
    "There is no row {word}: the table has rows 1 to {n}.": "Non c'è la riga {word}: la tabella ha le righe da 1 a {n}.",
    "The number of candidates is a whole number from {n} to {n_high}.": "Il numero di candidati è un numero intero da {n} a {n_high}.",
    "A validation part needs rows that are kept apart: divide the rows in that way.": "Una parte di validazione ha bisogno di righe tenute da parte: dividi le righe in quel modo.",
    # -- reading
    "{path}, row {n} (line {n_line}): {n_found} fields where {n_wanted} are expected; correct the row, or "
    "give delimiter= if fields are not separated by {sign}.": "{path}, riga {n} (linea {n_line}): {n_found} campi invece di {n_wanted}; correggi la riga, o controlla "
    "che i campi siano separati da {sign}.",
    "{path}, row {n} (line {n_line}): {n_found} field where {n_wanted} are expected; correct the row, or "
    "give delimiter= if fields are not separated by {sign}.": "{path}, riga {n} (linea {n_line}): {n_found} campo invece di {n_wanted}; correggi la riga, o controlla "
    "che i campi siano separati da {sign}.",
    "{path} is empty: a table needs a row of names and at least one row.": "{path} è vuoto: una tabella ha bisogno di una riga di nomi e di almeno una riga.",
    "{path} has a row of names but no rows below it.": "{path} ha una riga di nomi ma nessuna riga sotto.",
    "{path} has no rows.": "{path} non ha righe.",
    "{path}: column {name} appears {n} times (places {shown}): rename all but one.": "{path}: la colonna {name} compare {n} volte (posizioni {shown}): rinominane tutte tranne una.",
    "{path} is named as {a} but holds {b}: rename it, or say format={form}.": "{path} ha il nome di {a} ma contiene {b}: rinominalo.",
    "{path} holds {what}, not a table: {advice}.": "{path} contiene {what}, non una tabella: {advice}.",
    "{path}: column {name} has {word} (row {n}) where a number is expected: correct it, add it to missing=, "
    "or declare the column nominal ({how}).": "{path}: la colonna {name} ha {word} (riga {n}) dove ci si aspetta un numero: correggilo, aggiungilo "
    "alle parole per i valori mancanti, o dichiara la colonna nominale.",
    "{path}: column {name}, row {n}: {word} is not in the given order ({order}): add it, or mark it as "
    "missing.": "{path}: colonna {name}, riga {n}: {word} non è nell'ordine dato ({order}): aggiungilo, o segnalo come "
    "mancante.",
    "{path}: column {name}: values such as {word} cannot all be read as dates in one format; write them as "
    "YYYY-MM-DD, or say dayfirst= if day and month could be exchanged.": "{path}: colonna {name}: valori come {word} non si possono leggere tutti come date in un solo formato; "
    "scrivili come AAAA-MM-GG.",
    "{path}: there is no column {name}; there are {names_list}.": "{path}: non c'è la colonna {name}; ci sono {names_list}.",
    "there is no column {name}; there are {names_list}.": "non c'è la colonna {name}; ci sono {names_list}.",
    "there is no column {name}; did you mean {names_list}?": "non c'è la colonna {name}; forse {names_list}?",
    "{path} is {form} but damaged or cut short ({why}): download or write it again.": "{path} è {form} ma è danneggiato o troncato ({why}): scaricalo o scrivilo di nuovo.",
    "{path} cannot be read as a spreadsheet ({why}): save it again as xlsx.": "{path} non si legge come foglio di calcolo ({why}): salvalo di nuovo come xlsx.",
    "{path} cannot be read as delimited text: {why}.": "{path} non si legge come testo delimitato: {why}.",
    "{path} has no @data line: it is not a whole ARFF file.": "{path} non ha una riga @data: non è un file ARFF intero.",
    # -- what is learned from
    "Besides the class {name} there is no column to learn from.": "Oltre alla classe {name} non c'è una colonna da cui imparare.",
    "Every row has the class {label}: there is nothing to tell apart; is {name} the right target?": "Ogni riga ha la classe {label}: non c'è niente da distinguere; {name} è la colonna giusta?",
    "{n} rows cannot be divided into {n_folds} folds: use fewer folds.": "{n} righe non si possono dividere in {n_folds} gruppi: usane meno.",
    "no row has a value of the target {name}, so there is nothing to learn from.": "nessuna riga ha un valore della classe {name}, perciò non c'è niente da cui imparare.",
    "Input y contains NaN: rows without a class cannot be learned from; leave them out.": "Mancano valori della classe: da righe senza classe non si impara; escludile.",
    "All sample weights are zero: at least one row must count.": "Tutti i pesi sono zero: almeno una riga deve contare.",
    # -- parameters
    "The {name} parameter of {learner} must be {what_}. Got {word} instead.": "Il parametro {name} di {learner} deve essere {what_}, non {word}.",
    "{what__} or {other__}": "{what__} o {other__}",
    "an int in the range {range}": "un intero nell'intervallo {range}",
    "a float in the range {range}": "un numero nell'intervallo {range}",
    "a str among {names}": "una parola tra {names}",
    "an instance of {name}": "un {name}",
    "a bool": "True o False",
    "None": "None",
    "{learner} has no parameter {name}: it has {names_list}.": "{learner} non ha il parametro {name}: ha {names_list}.",
    "{learner} has no parameter {name}: did you mean {names_list}?": "{learner} non ha il parametro {name}: forse {names_list}?",
    "Every cost must be a finite number: predicting {predicted} for {true} costs {cost}.": "Ogni costo deve essere un numero finito: predire {predicted} per {true} costa {cost}.",
    # -- rows
    "The row, column {name}: a text is not a number or null.": "La riga, colonna {name}: un testo non è un numero.",
    "There is no row to predict.": "Non c'è alcuna riga da predire.",
    # -- comparisons
    "{a} and {b} differ significantly, by {n} (p = {p}).": "{a} e {b} differiscono in modo significativo, di {n} (p = {p}).",
    "{a} and {b} differ significantly, by +{n} (p = {p}).": "{a} e {b} differiscono in modo significativo, di +{n} (p = {p}).",
    "{n} more pairs differ significantly; see the attribute pairs.": "Altre {n} coppie differiscono in modo significativo.",
    "{n} of {n_all} pairs do not differ significantly (corrected paired t test, Holm's correction, level "
    "{n_level}).": "{n} coppie su {n_all} non differiscono in modo significativo (test t appaiato corretto, correzione di "
    "Holm, livello {n_level}).",
    "Pearson": "Pearson",
    "Spearman": "Spearman",
    "correlation ratio": "rapporto di correlazione",
    "Cramér's V": "V di Cramér",
    "Jaccard": "Jaccard",
    # -- what becomes of missing values
    "left out": "non contano",
    "summed over": "si somma su tutti i loro valori",
    "counted as absent": "contano come assenti",
    "counted as a full difference": "contano come una differenza intera",
    "met only by conditions that allow for it": "valgono solo per le condizioni che li ammettono",
    "replaced by the mean of the column (a category: by none)": "sostituiti dalla media della colonna (una categoria: da nessuna)",
    "sent down the branch that each tree has for missing values": "mandati nel ramo che ogni albero ha per i valori mancanti",
    "given the score that each term has for missing values": "con il punteggio che ogni termine ha per i valori mancanti",
    "left to each member": "lasciati a ogni membro",
    "followed down every branch": "seguiti in ogni ramo",
}
