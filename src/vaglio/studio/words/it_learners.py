"""The learners in a line each, in Italian."""

SENTENCES = {
    "ID3 decision tree: information gain, one branch per value, no pruning": "albero di decisione ID3: guadagno d'informazione, un ramo per valore, senza potatura",
    "naive Bayes for mixed tables: frequencies, densities or intervals, multiplied as if independent": "Bayes ingenuo per tabelle miste: frequenze, densità o intervalli, moltiplicati come se fossero "
    "indipendenti",
    "multinomial naive Bayes for counts and text: the words of a class follow one distribution": "Bayes ingenuo multinomiale per conteggi e testi: le parole di una classe seguono una distribuzione",
    "Bernoulli naive Bayes for presence and absence: an absent word counts as evidence too": "Bayes ingenuo di Bernoulli per presenza e assenza: anche una parola assente è un indizio",
    "one multivariate Gaussian per class: quadratic, or linear when all share one covariance": "una gaussiana multivariata per classe: quadratica, o lineare se tutte hanno la stessa covarianza",
    "several Gaussians per class, their number chosen by the Bayesian information criterion": "più gaussiane per classe, in numero scelto dal criterio d'informazione bayesiano",
    "one table per class over all combinations of values: exact, and only for few columns": "una tabella per classe su tutte le combinazioni di valori: esatta, e solo per poche colonne",
    "Bayesian network: naive Bayes in which attributes may depend on each other (tree-augmented, "
    "k-dependence)": "rete bayesiana: Bayes ingenuo in cui gli attributi possono dipendere l'uno dall'altro (ad albero, a k "
    "dipendenze)",
    "C4.5 decision tree: gain ratio, one branch per value, missing values distributed, pruned": "albero di decisione C4.5: rapporto di guadagno, un ramo per valore, valori mancanti ripartiti, potato",
    "CART decision tree: Gini index, binary splits, cost-complexity pruning by folds": "albero di decisione CART: indice di Gini, divisioni binarie, potatura per costo e complessità",
    "optimal decision tree: of all trees within a depth, one with the fewest training errors, proved": "albero di decisione ottimo: tra tutti gli alberi entro una profondità, uno con il minor numero di "
    "errori, dimostrato",
    "decision tree whose nodes may test a linear combination of columns": "albero di decisione i cui nodi possono provare una combinazione lineare di colonne",
    "perceptron: a hyperplane that moves at every mistake; it stops once the classes are separated": "percettrone: un iperpiano che si muove a ogni errore; si ferma quando le classi sono separate",
    "logistic regression: log-odds linear in the columns, with odds ratios and their intervals": "regressione logistica: logaritmo delle probabilità relative lineare nelle colonne, con i rapporti e i "
    "loro intervalli",
    "neural network: layers of weighted sums, trained by gradient": "rete neurale: strati di somme pesate, addestrata con il gradiente",
    "support vector machine: the widest margin between classes, in the space of a kernel": "macchina a vettori di supporto: il margine più largo tra le classi, nello spazio di un kernel",
    "k nearest neighbours: the most similar training rows vote; numbers, categories and missing values": "k vicini: votano le righe di addestramento più simili; numeri, categorie e valori mancanti",
    "bagging: decision trees on bootstrap samples, by vote": "bagging: alberi di decisione su campioni con ripetizione, a voti",
    "random forest: fully grown trees, random columns at every split": "foresta casuale: alberi interi, colonne estratte a caso a ogni divisione",
    "AdaBoost: small trees in sequence, each with more weight on rows the earlier ones predicted wrong": "AdaBoost: piccoli alberi in successione, ciascuno con più peso sulle righe sbagliate dai precedenti",
    "gradient boosting: small trees in sequence, each fitted to what the earlier ones leave over": "gradient boosting: piccoli alberi in successione, ciascuno adattato a ciò che i precedenti lasciano",
    "additive model: one table of scores per column and pair of columns, boosted in small steps": "modello additivo: una tabella di punteggi per colonna e per coppia di colonne, appresa a piccoli passi",
    "vote of different learners: by majority or mean probability, each with its weight": "voto di algoritmi diversi: a maggioranza o per probabilità media, ciascuno con il suo peso",
    "FOIL rules: grown by information gain, class by class, kept if they are accurate enough": "regole FOIL: cresciute per guadagno d'informazione, classe per classe, tenute se sono abbastanza "
    "accurate",
    "CN2 rules: the best significant conjunction of a beam search, then the next; a list or a set": "regole CN2: la migliore congiunzione significativa di una ricerca a fascio, poi la seguente; una lista "
    "o un insieme",
    "AQ rules: conjunctions that cover a seed row and few rows of other classes": "regole AQ: congiunzioni che coprono una riga di partenza e poche righe di altre classi",
    "RIPPER rules: few and short, grown and pruned on separate rows, revised by description length": "regole RIPPER: poche e corte, cresciute e potate su righe separate, riviste per lunghezza di descrizione",
}
