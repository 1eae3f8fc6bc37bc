"""What a model has learned and what a comparison says, in Italian."""

SENTENCES = {
    # -- about the model
    "The model has {size__}; it was trained on {n} row(s).": "Il modello ha {size__}; è stato addestrato su {n} rig[a|he].",
    "The learner is {name}.": "L'algoritmo è {name}.",
    "{name} comes from another library: only its permutation importance is shown.": "{name} viene da un'altra libreria: se ne mostra solo l'importanza per permutazione.",
    "{n} depth": "profondità {n}",
    "{n} depth, {rest__}": "profondità {n}, {rest__}",
    "{n} nodes, {n_leaves} leaves, {n_depth} depth": "{n} nodi, {n_leaves} foglie, profondità {n_depth}",
    "{n} {what__}": "{n} {what__}",
    "{n} {what__}, {rest__}": "{n} {what__}, {rest__}",
    "{what__} {n}": "{what__} {n}",
    "{what__} {n}, {rest__}": "{what__} {n}, {rest__}",
    "branching": "ramificazione",
    "numbers": "numeri",
    "mean depth": "profondità media",
    "mean conditions": "condizioni in media",
    "mean path": "cammino medio",
    "mean branches": "rami in media",
    # -- sizes
    "nodes": "nodi",
    "node": "nodo",
    "leaves": "foglie",
    "leaf": "foglia",
    "depth": "profondità",
    "attributes": "attributi",
    "attribute": "attributo",
    "classes": "classi",
    "cells": "celle",
    "cell": "cella",
    "components": "componenti",
    "component": "componente",
    "edges": "archi",
    "edge": "arco",
    "trees": "alberi",
    "tree": "albero",
    "estimators": "stimatori",
    "estimator": "stimatore",
    "terms": "termini",
    "term": "termine",
    "pairs": "coppie",
    "pair": "coppia",
    "averaged models": "modelli mediati",
    "rounds": "giri",
    "round": "giro",
    "rounds each": "giri ciascuno",
    "round each": "giro ciascuno",
    "trees in all": "alberi in tutto",
    "rules": "regole",
    "rule": "regola",
    "conditions": "condizioni",
    "condition": "condizione",
    "weights": "pesi",
    "weight": "peso",
    "layers": "strati",
    "layer": "strato",
    "support vectors": "vettori di supporto",
    "support vector": "vettore di supporto",
    "machines": "macchine",
    "machine": "macchina",
    "rows": "righe",
    "row": "riga",
    "columns": "colonne",
    "column": "colonna",
    "members": "membri",
    "member": "membro",
    "tests": "prove",
    "words": "parole",
    "models": "modelli",
    "parameters": "parametri",
    "arrows": "frecce",
    "combinations": "combinazioni",
    "kernels": "nuclei",
    # -- trees
    "The tree": "L'albero",
    "The tree has one leaf: every row gets the same class.": "L'albero ha una sola foglia: ogni riga riceve la stessa classe.",
    "On average a training row passes {n} tests, and a test has {n_branches} branches.": "In media una riga di addestramento passa {n} prove, e una prova ha {n_branches} rami.",
    "A row starts at the top and follows the branch whose condition it meets; the leaf gives the class.": "Una riga parte dall'alto e segue il ramo la cui condizione vale; la foglia dà la classe.",
    "The first {n} level(s) of {n_all}; boxes say how many leaves are below them.": "I primi {n} livelli su {n_all}; i riquadri dicono quante foglie stanno sotto.",
    "{n} further subtree(s) not drawn.": "{n} altr[o sottoalbero non disegnato|i sottoalberi non disegnati].",
    "Proof: optimal: no tree within the limits has an objective below {n} (CART: {n_cart}).": "Dimostrazione: ottimo: nessun albero entro i limiti ha un obiettivo sotto {n} (CART: {n_cart}).",
    "Proof: not proved: the objective is {n}, and no tree is below {n_low} (CART: {n_cart}); the search "
    "ended at its {limit} of {n_limit}.": "Dimostrazione: manca: l'obiettivo è {n}, e nessun albero è sotto {n_low} (CART: {n_cart}); la ricerca è "
    "finita al suo {limit} di {n_limit}.",
    "Chosen: {name} = {n} (by cross-validation).": "Scelto: {name} = {n} (con la validazione incrociata).",
    "Chosen: {name} = {n} (from the rows).": "Scelto: {name} = {n} (dalle righe).",
    "Chosen: {what}.": "Scelti: {what}.",
    # -- rules
    "The rules": "Le regole",
    "There is no rule: every row gets the same class.": "Non c'è alcuna regola: ogni riga riceve la stessa classe.",
    "Covered: training rows that meet the conditions. Accuracy: share of them that have the class of the "
    "rule.": "Coperte: righe di addestramento per cui valgono le condizioni. Accuratezza: quota di esse che ha la "
    "classe della regola.",
    "Shown are the {n} rules that cover most rows; {n_left} further rule(s) not shown.": "Si mostrano le {n} regole che coprono più righe; altre {n_left} non sono mostrate.",
    "every row": "ogni riga",
    # -- Bayes
    "The model treats the columns as independent within a class and multiplies their probabilities.": "Il modello tratta le colonne come indipendenti dentro una classe e ne moltiplica le probabilità.",
    "Distribution of each column in each class": "Distribuzione di ogni colonna in ogni classe",
    "How frequent a value is in each class, for the values that differ most between classes; for numbers, "
    "mean ± standard deviation.": "Quanto è frequente un valore in ogni classe, per i valori che più differiscono tra le classi; per i "
    "numeri, media ± deviazione standard.",
    "The {n} most frequent of {n_all} class(s).": "Le {n} più frequenti di {n_all} classi.",
    "Columns of the largest information gain; {n} further column(s) not shown.": "Colonne con il guadagno d'informazione più grande; altre {n} non sono mostrate.",
    "Share of a word or column in all counts of the class.": "Quota di una parola o colonna in tutti i conteggi della classe.",
    "Share of the rows of the class that have the word or column.": "Quota delle righe della classe che hanno la parola o la colonna.",
    "The largest ratios between two classes come first.": "Vengono prima i rapporti più grandi tra due classi.",
    "{n} further column(s) not shown.": "{n} altr[a colonna non mostrata|e colonne non mostrate].",
    "{n} further combination(s) not shown.": "{n} altr[a combinazione non mostrata|e combinazioni non mostrate].",
    "{n} further column(s) of each combination not shown.": "{n} altre colonne di ogni combinazione non mostrate.",
    "Training rows of each class with this combination, the most frequent combinations first.": "Righe di addestramento di ogni classe con questa combinazione, le combinazioni più frequenti per prime.",
    "The most frequent combinations of values": "Le combinazioni di valori più frequenti",
    "The model counts whole rows: {n} of {n_all} combination(s) of values occurred in training; every other "
    "one has the smoothing alone, as in all classes.": "Il modello conta righe intere: {n} combinazioni di valori su {n_all} si sono viste nell'addestramento; "
    "le altre hanno solo lo smussamento, uguale in tutte le classi.",
    "Every column depends on the class; {n} arrow(s) between columns were learned.": "Ogni colonna dipende dalla classe; {n} frecc[ia tra colonne è stata imparata|e tra colonne sono state "
    "imparate].",
    "The network": "La rete",
    "Light lines lead from the class to every column, arrows from a column to one that depends on it.": "Linee chiare vanno dalla classe a ogni colonna, frecce da una colonna a una che ne dipende.",
    "With {n} column(s) the network is too large to draw.": "Con {n} colonne la rete è troppo grande da disegnare.",
    "The model adds up, for every count of a row, the logarithm of its share in the counts of the class; the "
    "class with the largest sum, prior included, is predicted.": "Il modello somma, per ogni conteggio di una riga, il logaritmo della sua quota nei conteggi della "
    "classe; si predice la classe con la somma più grande, probabilità a priori compresa.",
    "The model asks of every word or column whether it is there; its absence counts as evidence, too.": "Il modello chiede di ogni parola o colonna se c'è; anche la sua assenza conta come indizio.",
    "A number is there if it is above {n}.": "Un numero c'è se è sopra {n}.",
    "Words and columns that tell the classes apart": "Parole e colonne che distinguono le classi",
    "How often each word or column is there": "Quanto spesso c'è ogni parola o colonna",
    "word or column": "parola o colonna",
    "value": "valore",
    "Value": "Valore",
    "values": "valori",
    "combination": "combinazione",
    "class": "classe",
    "Gaussian components by class: {parts_list}.": "Componenti gaussiane per classe: {parts_list}.",
    "{name} (kernel density)": "{name} (densità a nuclei)",
    "{name} (Poisson mean)": "{name} (media di Poisson)",
    "{name} (exponential mean)": "{name} (media esponenziale)",
    "{name} (log-normal median)": "{name} (mediana log-normale)",
    # -- weights
    "Weights for {label}": "Pesi per {label}",
    "A positive weight raises the {unit_} of {whose_}, a negative weight lowers it: by its value per "
    "{step_}, or if a row has the category.": "Un peso positivo alza {unit_} di {whose_}, uno negativo lo abbassa: del suo valore per {step_}, o se "
    "una riga ha la categoria.",
    "log-odds": "il logaritmo delle probabilità relative",
    "decision value": "il valore di decisione",
    "score": "il punteggio",
    "a class": "una classe",
    "unit of a number": "unità di un numero",
    "standard deviation of a number": "deviazione standard di un numero",
    "Intercept: {n}.": "Intercetta: {n}.",
    "The {n} largest weights are shown; {n_rest} smaller weight(s) not shown.": "Si mostrano i {n} pesi più grandi; {n_rest} più piccol[o non mostrato|i non mostrati].",
    "The weights of the {n} most frequent of {n_all} class(s) are shown.": "Si mostrano i pesi delle {n} classi più frequenti su {n_all}.",
    "The factor by which the odds of the class change when the column increases by one unit or has the "
    "category; smallest p-value first.": "Il fattore per cui cambiano le probabilità relative della classe quando la colonna aumenta di un'unità "
    "o ha la categoria; prima i p-value più piccoli.",
    "{n} further ratio(s) not shown.": "{n} altr[o rapporto non mostrato|i rapporti non mostrati].",
    "Odds ratios": "Rapporti di probabilità relative",
    "odds ratio": "rapporto",
    "95% interval": "intervallo al 95 %",
    "p-value": "p-value",
    "The layers of the network have {layers} units. A single weight has no meaning by itself.": "Gli strati della rete hanno {layers} unità. Un peso da solo non ha significato.",
    "The decision depends on {n} support vector(s) ({counted}).": "La decisione dipende da {n} vettor[e|i] di supporto ({counted}).",
    "The kernel is {name}, which has no weight per column.": "Il kernel è {name}, che non ha un peso per colonna.",
    "The model stores {n} row(s) and predicts from the {n_k} nearest to a new row (distance: {metric}; "
    "votes: {vote_}). There is no structure to draw; the examples below show the neighbours.": "Il modello conserva {n} righe e predice dalle {n_k} più vicine a una riga nuova (distanza: {metric}; "
    "voti: {vote_}). Non c'è una struttura da disegnare; sotto si vedono i vicini di una riga.",
    "uniform": "uguali",
    "distance": "per distanza",
    "squared": "per il quadrato della distanza",
    # -- importance
    "Permutation importance": "Importanza per permutazione",
    "Shuffling any single column does not lower the accuracy: no prediction depends on one column alone.": "Mescolare una sola colonna non abbassa l'accuratezza: nessuna predizione dipende da una colonna sola.",
    "How many percentage points the accuracy falls on {n} {whose_} row(s) when the values of one column are "
    "shuffled (mean of {n_times} shuffle(s)). If two columns carry the same information, the loss of each "
    "may be small.": "Di quanti punti percentuali scende l'accuratezza su {n} righe {whose_} quando si mescolano i valori di "
    "una colonna (media di {n_times} volte). Se due colonne portano la stessa informazione, la perdita di "
    "ciascuna può essere piccola.",
    "held-out": "tenute da parte",
    "test": "di prova",
    "training": "di addestramento",
    "evaluated": "valutate",
    "Measured for the {n} columns of the largest information gain, out of {n_all}.": "Misurata per le {n} colonne con il guadagno d'informazione più grande, su {n_all}.",
    "{n} column(s) with no loss or a smaller loss not shown.": "{n} colonn[a|e] senza perdita o con una perdita minore non mostrat[a|e].",
    # -- ensembles
    "Impurity importance of the columns": "Importanza delle colonne per impurità",
    "Share of each column in the decrease of impurity over the splits of all trees. This measure is too high "
    "for columns with many values.": "Quota di ogni colonna nella diminuzione dell'impurità nelle divisioni di tutti gli alberi. Questa "
    "misura è troppo alta per le colonne con molti valori.",
    "One of its trees": "Uno dei suoi alberi",
    "The first of {n} tree(s), as an example. Each tree was trained on other rows; the forest averages their "
    "predictions.": "Il primo di {n} alberi, come esempio. Ogni albero è stato addestrato su righe diverse; la foresta fa la "
    "media delle predizioni.",
    "There are too many trees to read one by one; the importance of the columns summarises them.": "Gli alberi sono troppi per leggerli uno a uno; li riassume l'importanza delle colonne.",
    "Gain of the columns": "Guadagno delle colonne",
    "Share of each column in the gain of all splits, that is in the decrease of the loss.": "Quota di ogni colonna nel guadagno di tutte le divisioni, cioè nella diminuzione della perdita.",
    "The model adds up {n} round(s) with {each_}. Every tree corrects what the trees before it leave over; "
    "the importance of the columns summarises them.": "Il modello somma {n} gir[o|i] con {each_}. Ogni albero corregge ciò che resta da quelli prima; li "
    "riassume l'importanza delle colonne.",
    "The model is the mean of {n_models} models. Each adds up {n} round(s) with {each_}. Every tree corrects "
    "what the trees before it leave over; the importance of the columns summarises them.": "Il modello è la media di {n_models} modelli. Ciascuno somma {n} gir[o|i] con {each_}. Ogni albero "
    "corregge ciò che resta da quelli prima; li riassume l'importanza delle colonne.",
    "one tree each": "un albero ciascuno",
    "{n} trees each, one per class": "{n} alberi ciascuno, uno per classe",
    "The ensemble combines {n} model(s): {what}.": "L'insieme combina {n} modell[o|i]: {what}.",
    "{n} of kind {kind}": "{n} di tipo {kind}",
    "The weights of the models range from {n} to {n_high}.": "I pesi dei modelli vanno da {n} a {n_high}.",
    "{n} learner(s) vote, trained on the same rows; {how_}.": "Votano {n} algoritm[o|i], addestrati sulle stesse righe; {how_}.",
    "the class that most of them predict wins": "vince la classe che la maggior parte predice",
    "their probabilities are averaged": "si fa la media delle loro probabilità",
    "Members of the vote": "Membri del voto",
    "On the {n} row(s) of the evaluation, by the final model. Members that are wrong on different rows "
    "correct each other.": "Sulle {n} righe della valutazione, con il modello finale. Membri che sbagliano su righe diverse si "
    "correggono a vicenda.",
    "all together": "tutti insieme",
    "kind of model": "tipo di modello",
    "agrees with the vote": "d'accordo con il voto",
    "{name}: {title__}": "{name}: {title__}",
    "Classical multidimensional scaling of all {n} rows; distances on the maps are approximate.": "Scaling multidimensionale classico di tutte le {n} righe; le distanze sulle mappe sono approssimate.",
    "Classical multidimensional scaling of {n} of {n_all} rows; distances on the maps are approximate.": "Scaling multidimensionale classico di {n} righe su {n_all}; le distanze sulle mappe sono approssimate.",
    "nearest row of the same class: {n}": "riga più vicina della stessa classe: {n}",
    "{n} of the distances shown": "mostrato il {n} delle distanze",
    "Distance of the forest": "Distanza della foresta",
    "Euclidean distance": "Distanza euclidea",
    "The rows by the distance of the forest and by the Euclidean distance": "Le righe secondo la distanza della foresta e la distanza euclidea",
    "Two rows are close in the forest if many trees send them to the same leaf: columns that the trees do "
    "not test do not count.": "Due righe sono vicine nella foresta se molti alberi le mandano nella stessa foglia: le colonne che gli "
    "alberi non provano non contano.",
    "Round by round": "Giro per giro",
    "Mean {what_} after each round, of the rows learned from and of rows held out. The model has {n} "
    "round(s), where the loss of {how_} is least.": "{what_}, in media, dopo ogni giro, delle righe da cui si impara e di righe tenute da parte. Il modello "
    "ha {n} gir[o|i], dove la perdita di {how_} è minima.",
    "log loss": "Perdita logaritmica",
    "five folds, each held out once": "cinque gruppi, ciascuno tenuto da parte una volta",
    "the rows held out": "le righe tenute da parte",
    "adds to the score": "si somma al punteggio",
    "training rows": "righe di addestramento",
    "The first tree, as rules": "Il primo albero, come regole",
    "The first tree of {label}, as rules": "Il primo albero di {label}, come regole",
    "Every row meets one of the rules of a tree. The scores of all rounds add up; a higher score makes "
    "{label} more probable.": "Per ogni riga vale una delle regole di un albero. I punteggi di tutti i giri si sommano; un punteggio "
    "più alto rende {label} più probabile.",
    "Every row meets one of the rules of a tree. The scores of all rounds add up.": "Per ogni riga vale una delle regole di un albero. I punteggi di tutti i giri si sommano.",
    "This is a tree of the first of {n} averaged models.": "Questo è un albero del primo di {n} modelli mediati.",
    # -- additive models
    "The model starts at a score and adds what each term says to the log-odds of {label}: these drawings are "
    "the whole model. The band around a score is two standard deviations over the bags wide on each side.": "Il modello parte da un punteggio e somma ciò che ogni termine dice del logaritmo delle probabilità "
    "relative di {label}: questi disegni sono tutto il modello. La fascia intorno a un punteggio è larga due "
    "deviazioni standard per parte.",
    "{n} further term(s) not shown.": "{n} altr[o termine non mostrato|i termini non mostrati].",
    "Importance of the terms": "Importanza dei termini",
    "How far each term moves the score of a training row on average.": "Di quanto ogni termine sposta in media il punteggio di una riga di addestramento.",
    "No term moves the score.": "Nessun termine sposta il punteggio.",
    "What each term adds": "Che cosa aggiunge ogni termine",
    "The score starts at {n}.": "Il punteggio parte da {n}.",
    "The first {n} of {n_all} class(s) are drawn.": "Sono disegnate le prime {n} classi su {n_all}.",
    "Pairs show only what their columns do not say alone: orange adds, blue takes away.": "Le coppie mostrano solo ciò che le loro colonne non dicono da sole: l'arancio aggiunge, il blu toglie.",
    "added to the log-odds": "aggiunto al logaritmo delle probabilità relative",
    "score of {label}": "punteggio di {label}",
    "missing: {told}": "mancante: {told}",
    "Changed by hand": "Cambiati a mano",
    "An expert changed these terms after training. The model file keeps every changed score.": "Un esperto ha cambiato questi termini dopo l'addestramento. Il file del modello conserva ogni punteggio "
    "cambiato.",
    # -- comparisons
    "{a} and {b} do not differ significantly": "{a} e {b} non differiscono in modo significativo",
}
