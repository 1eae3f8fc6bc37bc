"""What the parameters of the learners mean, in Italian: by their name, or by learner and name where it means something else."""

PARAMETERS = {
    "max_depth": "Numero massimo di prove su un cammino; None non mette limiti.",
    "min_samples_split": "Numero minimo di righe di un nodo da dividere, qualunque sia il loro peso; una frazione è una quota di "
    "tutte le righe.",
    "min_samples_leaf": "Numero minimo di righe in una foglia, qualunque sia il loro peso; una frazione è una quota di tutte le "
    "righe.",
    "min_weight_fraction_leaf": "Quota minima del peso totale in una foglia.",
    "max_leaf_nodes": "Numero massimo di foglie; le divisioni migliori si fanno per prime.",
    "min_impurity_decrease": "Minima diminuzione dell'impurità di una divisione, pesata con la quota di righe del nodo.",
    "max_bins": "Taglia le colonne numeriche in così tanti intervalli per quantili: più veloce, ma non più esatto. None "
    "è esatto.",
    "nominal_guard": "Corregge per il caso il guadagno di una colonna nominale con più di dieci valori e più di questa quota "
    "del numero di righe: molti valori si adattano a tutto. None non corregge nessuna colonna.",
    "shrinkage": "Contrazione gerarchica, dopo la crescita e la potatura: ciò che una foglia predice si avvicina ai nodi "
    'sopra di lei, tanto più quanto meno righe hanno. "cv" sceglie il numero con la validazione incrociata '
    "in cinque gruppi. Le prove degli alberi restano come sono.",
    "unseen": "Che cosa fare di una categoria che non era nelle righe di addestramento: trattarla come un valore "
    "mancante, o dare errore.",
    "criterion": "Da che cosa è scelta una divisione: la diminuzione dell'indice di Gini, il guadagno d'informazione in "
    'bit ("entropy", "log_loss"), il guadagno diviso per l\'informazione della divisione, o la diminuzione '
    "degli errori.",
    "splitter": '"best" prova ogni soglia di una colonna, "random" ne estrae una per colonna.',
    "max_features": "Numero di colonne estratte a caso per ogni divisione: un numero, una quota, la radice quadrata o il "
    "logaritmo binario del numero di colonne. None le prende tutte.",
    "ccp_alpha": 'Potatura per costo e complessità: il prezzo di una foglia. "cv" lo sceglie con la validazione '
    "incrociata in dieci gruppi.",
    "nominal_split": "Divide una colonna nominale in due insiemi di valori, o in un ramo per valore. Una colonna con più di "
    "due valori e meno di due righe per valore nel nodo non si divide in insiemi: quasi dà un nome alle "
    "righe.",
    "missing": 'Un valore mancante va nel ramo dove migliora la divisione ("learned"), in ogni ramo con una parte del '
    'suo peso ("fractional"), o in un ramo tutto suo ("branch").',
    "pruning": "Potatura dopo la crescita, oltre a ccp_alpha.",
    "validation_fraction": "Quota di righe che la potatura a errore ridotto tiene da parte.",
    "min_gain": "Guadagno minimo di una divisione, nell'unità del criterio per riga.",
    "one_standard_error": 'Con ccp_alpha="cv": prende l\'albero più piccolo il cui errore è entro un errore standard dal migliore.',
    "class_weight": 'Fattore del peso di ogni riga di una classe. "balanced" dà a tutte le classi lo stesso peso totale.',
    "ccp_risk": "Che cosa la potatura per costo e complessità mette a confronto con il numero di foglie: l'impurità "
    "delle foglie, come fa scikit-learn, o la quota di righe sbagliate, come in Breiman e altri.",
    "confidence_factor": "Confidenza dei limiti di errore nella potatura: un valore più piccolo pota di più.",
    "subtree_raising": "Se la potatura può sostituire un nodo con il suo ramo più grande.",
    "epsilon": "Errori che la potatura pessimista aggiunge a ogni foglia.",
    "chi2_alpha": "Divide solo se un test chi quadrato dei rami contro le classi è significativo a questo livello.",
    "average_gain": "Con il rapporto di guadagno: esclude le colonne con un guadagno sotto la media, come fa Quinlan. Le "
    "colonne nominali con almeno 0,3 valori per riga non contano nella media, e si provano solo dove non c'è "
    "altro.",
    "leaf_smoothing": "Smussamento delle probabilità nelle foglie; un numero è la m della stima m, che altrimenti è 2.",
    # -- Bayes
    "likelihood": 'P(x|c) delle colonne numeriche. "gaussian": densità normale; "kde": densità a nuclei; "mdl": intervalli '
    'tagliati per lunghezza di descrizione; "discrete": una frequenza per ogni valore; "poisson", '
    '"exponential" e "lognormal": la distribuzione di quel nome. "auto" sceglie per colonna, e dove può con '
    "la validazione incrociata.",
    "naive-bayes.alpha": "Si aggiunge a ogni conteggio (Laplace). Con 0 una categoria mai vista con una classe esclude la classe, "
    "qualunque cosa dicano gli altri attributi.",
    "var_smoothing": "La varianza gaussiana di una classe si stima come se così tante righe in più avessero la varianza media "
    "dentro le classi. 0 la lascia com'è.",
    "naive-bayes.nominal_guard": "Corregge per il caso ciò che dice una colonna nominale con più di dieci valori e più di questa quota "
    "del numero di righe; una colonna che non dice più del caso resta fuori. None non corregge nessuna "
    "colonna.",
    "priors": 'Probabilità a priori: None le impara dalle frequenze, "equal" rende le classi ugualmente probabili.',
    "multinomial-nb.alpha": "Si aggiunge a ogni conteggio.",
    "force_alpha": "Se usare alpha anche sotto 1e-10; altrimenti alpha è almeno 1e-10.",
    "fit_prior": "Se imparare dalle frequenze le probabilità a priori; altrimenti tutte le classi hanno la stessa.",
    "covariance": "Una covarianza per classe (analisi discriminante quadratica), solo la sua diagonale, una per tutte le "
    "classi (lineare), o una intera avvicinata alla diagonale.",
    "gaussian-map.shrinkage": 'Per "shrunk": quanta strada verso la diagonale; "auto" è la stima di Ledoit e Wolf.',
    "gaussian-map.alpha": "Si aggiunge ai conteggi delle colonne che non sono numeriche.",
    "max_components": "Numero massimo di gaussiane provate per una classe; decide il BIC minimo.",
    "covariance_type": "Forma delle gaussiane: una covarianza intera ciascuna, una per tutte le gaussiane di una classe, solo "
    "varianze, una sola varianza.",
    "joint-bayes.alpha": "Si aggiunge a ogni cella. Con 0 una combinazione mai vista con una classe la esclude.",
    "max_cells": "Numero massimo di celle della tabella; una più grande è un errore.",
    "structure": '"tan": ogni attributo tranne uno ha un altro genitore, secondo l\'albero di massima informazione; '
    '"k-dependence": fino a k genitori ciascuno; "naive": nessuno. La classe è genitore di tutti.',
    "k": 'Genitori ammessi in "k-dependence".',
    "bayes-net.alpha": "Forza dello smussamento: righe per valore che si aggiungono a ogni tabella.",
    # -- optimal trees
    "optimal-tree.max_depth": "Numero massimo di prove su un cammino. Il tempo cresce molto in fretta: 2 o 3 per tabelle grandi, 4 per "
    "piccole.",
    "optimal-tree.max_leaf_nodes": "Numero massimo di foglie; None non mette altri limiti oltre alla profondità.",
    "optimal-tree.ccp_alpha": "Il prezzo di una foglia, come quota di righe: si trova l'albero con il minimo di errore più questo "
    "prezzo per le foglie.",
    "max_set_values": "Le colonne nominali fino a così tanti valori si provano con ogni insieme di valori, che sono 2 elevato "
    "al loro numero.",
    "optimal-tree.nominal_guard": "Esclude le colonne nominali con più di dieci valori e più di questa quota del numero di righe che non "
    "dicono più del caso. None non ne esclude.",
    "work_limit": "Il lavoro massimo della ricerca, in miliardi di celle lette: circa altrettanti secondi di un "
    "processore. Al limite la ricerca finisce con l'albero migliore fin lì, e gap_ dice quanto può distare "
    "dal migliore. La stessa tabella dà lo stesso albero con qualsiasi n_jobs, su ogni macchina.",
    "time_limit": "Secondi dopo i quali la ricerca finisce allo stesso modo. Se questo limite viene prima, l'albero "
    "dipende da quanto era veloce la macchina.",
    # -- linear models and networks
    "fit_intercept": "Se le funzioni lineari hanno un'intercetta; senza, passano per l'origine.",
    "perceptron.preprocess": '"auto" codifica le colonne nominali, standardizza i numeri e completa i valori mancanti; None prende i '
    "dati come sono.",
    "svm.preprocess": '"auto" codifica le colonne nominali, standardizza i numeri e completa i valori mancanti; None prende i '
    "dati come sono.",
    "mlp.preprocess": '"auto" codifica le colonne nominali, standardizza i numeri e completa i valori mancanti; None prende i '
    "dati come sono.",
    "perceptron.eta0": "Il tasso di apprendimento r.",
    "perceptron.max_iter": "Numero massimo di passate sulle righe.",
    "perceptron.tol": "L'addestramento finisce quando la quota di predizioni sbagliate in una passata è sotto questo valore. "
    "Con early_stopping: di quanto deve salire l'accuratezza sulle righe tenute da parte.",
    "perceptron.penalty": 'Che cosa avvicina i coefficienti a zero a ogni riga: i loro quadrati ("l2"), i loro valori assoluti '
    '("l1"), che ne rende alcuni esattamente zero, o tutti e due ("elasticnet"). None è nessuna penalità.',
    "perceptron.alpha": "Forza della penalità.",
    "perceptron.l1_ratio": 'Quota dei valori assoluti in "elasticnet".',
    "perceptron.early_stopping": "Se tenere righe da parte e finire quando l'accuratezza su di esse non sale più.",
    "perceptron.validation_fraction": "Quota di righe tenute da parte.",
    "perceptron.n_iter_no_change": "Passate di seguito senza meno errori di una precedente dopo le quali finisce l'addestramento; con "
    "early_stopping, passate senza un'accuratezza più alta sulle righe tenute da parte. None va avanti fino "
    'a tol o max_iter. "auto" è 5 con early_stopping, altrimenti None, come nei libri.',
    "perceptron.shuffle": "Visita le righe in un nuovo ordine casuale a ogni passata.",
    "init": "Parte da pesi zero o da piccoli pesi casuali.",
    "penalty": '"auto" segue l1_ratio: 0 è l2, 1 è l1, in mezzo tutte e due; None è nessuna penalità.',
    "logistic.preprocess": '"auto" codifica le colonne nominali, standardizza i numeri e completa i valori mancanti; None prende i '
    "dati come sono. Senza penalità la prima categoria di una colonna è quella con cui si confrontano le "
    "altre.",
    "logistic.C": "Inverso della forza della penalità; infinito è nessuna.",
    "l1_ratio": 'Quota della penalità assoluta, per "auto" ed "elasticnet".',
    "logistic.tol": "Quanto vicino al minimo basta.",
    "logistic.solver": 'Come si minimizza la perdita. "auto" usa il metodo di Newton dove è possibile, altrimenti BFGS a '
    "memoria limitata. Il minimo è uno solo, chiunque lo trovi.",
    "intercept_scaling": 'Con solver="liblinear" l\'intercetta è penalizzata come il coefficiente di una colonna di questo valore.',
    "logistic.max_iter": 'Numero massimo di iterazioni, o di passate sulle righe per "minibatch".',
    "logistic.batch_size": 'Righe per passo di "minibatch".',
    "logistic.learning_rate": 'Andamento di "minibatch": il tasso del passo t è eta0 / t ** power_t, o sempre eta0.',
    "logistic.eta0": 'Tasso di apprendimento del primo passo di "minibatch".',
    "power_t": 'Quanto in fretta scende il tasso di "invscaling".',
    "hidden_layer_sizes": "Numero di unità di ogni strato nascosto.",
    "activation": "Funzione applicata alle somme pesate degli strati nascosti.",
    "mlp.solver": "Come si minimizza la perdita: BFGS a memoria limitata, discesa stocastica del gradiente, o Adam.",
    "mlp.alpha": "Forza della penalità quadratica.",
    "mlp.batch_size": 'Righe per passo di "sgd" e "adam"; "auto" è 200, o tutte le righe se sono meno.',
    "mlp.learning_rate": 'Andamento di "sgd": costante, in discesa come t ** -power_t, o diviso per cinque quando la perdita non '
    "scende più.",
    "learning_rate_init": 'Primo tasso di apprendimento di "sgd" e "adam".',
    "mlp.max_iter": 'Numero massimo di iterazioni, per "sgd" e "adam" di passate sulle righe.',
    "mlp.shuffle": 'Se "sgd" e "adam" visitano le righe in un nuovo ordine a ogni passata.',
    "mlp.tol": "L'addestramento finisce quando la perdita (il punteggio di validazione con early_stopping) migliora "
    "meno di così.",
    "momentum": 'Quota dell\'ultimo passo che "sgd" aggiunge al seguente.',
    "nesterovs_momentum": 'Se "sgd" usa il momento di Nesterov.',
    "mlp.early_stopping": 'Se "sgd" e "adam" tengono righe da parte e si fermano quando l\'accuratezza su di esse non migliora più.',
    "mlp.validation_fraction": "Quota di righe tenute da parte per l'arresto anticipato.",
    "beta_1": 'Decadimento della media dei gradienti in "adam".',
    "beta_2": 'Decadimento della media dei gradienti al quadrato in "adam".',
    "mlp.epsilon": 'Si aggiunge ai denominatori di "adam", perché nessuno sia zero.',
    "mlp.n_iter_no_change": 'Passate senza un miglioramento di tol dopo le quali "sgd" e "adam" si fermano.',
    "max_fun": 'Numero massimo di valutazioni della perdita con "lbfgs".',
    "mlp.nominal_guard": "Esclude una colonna nominale con più di dieci valori (e più di questa quota del numero di righe) che in "
    "media dice meno del caso. None non ne esclude.",
    # -- support vector machine
    "svm.C": "Prezzo di una riga dentro il margine. Infinito è il margine rigido, che è un errore se nessun iperpiano "
    "separa le classi.",
    "lam": "La λ della forma regolarizzata, invece di C: C = 1/(2·n·λ).",
    "kernel": "exp(−γ‖x−z‖²), x·z, (γ·x·z + coef0)^degree, tanh(γ·x·z + coef0), la matrice stessa, o il migliore di "
    "alcuni con la validazione incrociata.",
    "degree": "Grado del kernel polinomiale.",
    "svm.gamma": 'Fattore γ del kernel: "scale" è 1/(colonne·varianza), "auto" è 1/colonne.',
    "sigma": "Larghezza della gaussiana exp(−‖x−z‖²/(2σ²)), invece di gamma.",
    "coef0": "Termine costante del kernel polinomiale e sigmoide.",
    "svm.multi_class": "Con più di due classi: addestra su ogni coppia di classi, o su ogni classe contro le altre.",
    "decision_function_shape": 'Se i valori di decisione di "ovo" si sommano in una colonna per classe, o restano uno per coppia di '
    "classi.",
    "break_ties": "Se voti uguali vanno alla classe con la somma dei valori di decisione più grande, invece che alla prima.",
    "calibration": "Se calcolare probabilità, con una funzione logistica dei valori di decisione della validazione "
    "incrociata. La classe predetta segue comunque i valori di decisione.",
    "shrinking": "Mette da parte durante l'addestramento le righe al loro limite; alla fine si ricontrollano tutte.",
    "svm.tol": "Massima violazione delle condizioni di ottimalità.",
    "cache_size": "Megabyte per le righe del kernel, usati dove calcolare un valore costa più che ricordarlo.",
    "svm.max_iter": "Numero massimo di passi; -1 non mette limiti.",
    # -- neighbours
    "n_neighbors": 'Numero di vicini K. "cv" prova ogni K fino a max_neighbors con la validazione incrociata (su 5000 righe '
    "di una tabella più grande).",
    "weights": "Il voto di un vicino a distanza d: 1, 1/d o 1/d²; un vicino a distanza 0 decide da solo. None è "
    '"uniform".',
    "algorithm": "Come si cercano i vicini; tutti i modi trovano gli stessi.",
    "metric": 'Come le differenze diventano una distanza. "l1" e "cityblock" sono "manhattan", "l2" è "euclidean". Le '
    "altre sono quelle di scikit-learn: vogliono numeri completi e guardano tutte le coppie di righe.",
    "p": "Potenza della metrica di Minkowski.",
    "knn.preprocess": '"auto" divide le differenze dei numeri per la differenza tipica di due righe in quella colonna, √2 '
    "volte la deviazione standard; None le prende come sono.",
    "max_neighbors": 'Il K più grande che prova n_neighbors="cv".',
    # -- ensembles
    "bagging.n_estimators": "Numero di membri.",
    "bootstrap": "Estrae con ripetizione le righe di ogni membro.",
    "oob_score": "Stima l'accuratezza predicendo ogni riga con i membri che non l'hanno vista.",
    "bagging.max_samples": "Numero o quota di righe estratte per ogni membro.",
    "bagging.max_features": "Numero o quota di colonne estratte per ogni membro.",
    "bootstrap_features": "Estrae con ripetizione le colonne di ogni membro.",
    "bagging.voting": "Fa la media delle probabilità dei membri (di quelli che le danno), o conta le classi che predicono.",
    "random-forest.n_estimators": "Numero di alberi.",
    "random-forest.criterion": "Da che cosa è scelta una divisione: la diminuzione dell'indice di Gini, il guadagno d'informazione in "
    'bit ("entropy", "log_loss"), o la diminuzione degli errori.',
    "random-forest.max_features": "Numero di colonne estratte a caso per ogni divisione: la radice quadrata, il logaritmo binario o un "
    "terzo del numero di colonne, un numero o una quota. None le prende tutte.",
    "features_per_tree": "Numero o quota di colonne estratte una volta per ogni albero; None dà tutte le colonne a ogni albero.",
    "permutation_importance": "Misura anche quanto peggiorano le predizioni delle righe non viste quando si mescolano i valori di una "
    "colonna.",
    "random-forest.max_samples": "Numero o quota di righe estratte per ogni albero; None ne estrae quante ce ne sono.",
    "random-forest.ccp_alpha": "Potatura di ogni albero per costo e complessità: il prezzo di una foglia.",
    "random-forest.class_weight": 'Fattore del peso di ogni riga di una classe. "balanced" dà a tutte le classi lo stesso peso totale, '
    '"balanced_subsample" nel campione di ogni albero.',
    "adaboost.n_estimators": "Numero massimo di membri.",
    "adaboost.learning_rate": "Fattore di ogni α.",
    "adaboost.max_depth": "Profondità degli alberi. Alberi di profondità 1 non distinguono molte classi.",
    "sampling": "Dà ai membri i pesi, o un campione estratto secondo i pesi.",
    "max_resets": "Quante volte si può ripetere un giro che non è meglio del caso.",
    "adaboost.nominal_guard": "Non dà ai membri le colonne nominali con più di dieci valori (e più di questa quota del numero di "
    "righe) che in media dicono meno del caso. None le dà tutte.",
    "gradient-boosting.learning_rate": 'Fattore di ogni albero. "auto" fa passi più piccoli su tabelle più piccole: 0,05 fino a 10.000 righe, '
    "0,1 oltre.",
    "gradient-boosting.max_iter": "Numero massimo di giri; l'arresto anticipato può finire prima. Ogni giro ha un albero, o uno per classe "
    "se sono più di due.",
    "gradient-boosting.max_leaf_nodes": 'Numero massimo di foglie di un albero. "auto" è un terzo della radice del numero di righe, da 8 a 31.',
    "gradient-boosting.max_depth": "Al massimo così tante prove su un cammino; None non mette limiti.",
    "gradient-boosting.min_samples_leaf": 'Numero minimo di righe in una foglia. "auto" è un centesimo delle righe, da 2 a 20.',
    "l2_regularization": "Avvicina a zero i valori delle foglie, di più dove una foglia ha poche righe.",
    "gradient-boosting.max_features": 'Quota di colonne tra cui sceglie ogni divisione, estratte a caso. "auto" è la metà, ma almeno dieci.',
    "subsample": "Quota di righe da cui impara ogni giro, estratte a caso.",
    "refit_leaves": "Se le foglie prendono i valori da tutte le righe, non solo da quelle estratte nel giro: le altre non "
    "hanno scelto le prove, e perciò i loro residui sono onesti.",
    "growth": "Quale nodo si divide dopo: quello con il guadagno più grande, o un livello dopo l'altro.",
    "gradient-boosting.max_bins": "Numero massimo di intervalli in cui si taglia una colonna numerica, fino a 65.000; i valori mancanti "
    'hanno il loro. "auto" è uno ogni otto righe, da 32 a 255.',
    "gradient-boosting.nominal_guard": "Per colonne nominali con più di dieci valori e più valori di questa quota delle righe: di una colonna "
    "che in media dice meno del caso non si provano insiemi, e dal guadagno delle altre si toglie ciò che "
    "darebbe il caso. None prende ogni guadagno com'è.",
    "ordered_categories": "Se le colonne nominali si provano anche come numeri: la media della classe delle righe con la stessa "
    'categoria che vengono prima, in ordini casuali. "auto" prende le colonne con molti valori che dicono '
    "qualcosa, ma in parte per caso; True tutte quelle con più di dieci valori.",
    "interaction_cst": "Colonne che possono stare insieme su un cammino: insiemi di posizioni o nomi.",
    "gradient-boosting.early_stopping": 'Come si sceglie il numero di giri. "folds": dalla perdita media in cinque gruppi; poi si impara da '
    'tutte le righe. True: da una parte delle righe tenuta da parte. False: tutti i giri. "auto" è "folds" '
    "fino a 10.000 righe, True oltre.",
    "n_models": "Modelli delle righe da cui si impara i cui punteggi si mediano; ciascuno estrae righe e colonne sue. La "
    'perdita della media non supera mai la media delle perdite. "auto" è 3 dove i giri si scelgono con i '
    "gruppi, altrimenti 1.",
    "average_folds": "Se i modelli dei gruppi che hanno scelto i giri, che ci sono già, entrano nella media.",
    "gradient-boosting.validation_fraction": "Quota di righe tenuta da parte.",
    "gradient-boosting.n_iter_no_change": "Giri senza una perdita migliore dopo i quali la ricerca finisce.",
    "gradient-boosting.tol": "Minima diminuzione della perdita che conta.",
    "loss": "Che cosa si minimizza.",
    "gradient-boosting.multi_class": "Che cosa ha un giro con più di due classi: un albero per ciascuna, o uno per tutte, con un valore per "
    "classe nelle foglie. Gli alberi comuni si addestrano prima, e vogliono più giri.",
    "temperature": 'Per che cosa si dividono i punteggi prima che diventino probabilità. "auto" prende il numero con cui le '
    "righe tenute da parte sono più probabili. La classe predetta resta.",
    "additive.max_bins": "Numero massimo di intervalli in cui si taglia una colonna numerica; i valori mancanti hanno il loro.",
    "max_interaction_bins": "Numero massimo di intervalli o categorie di una colonna in una coppia; meno su tabelle piccole.",
    "interactions": "Quante coppie di colonne hanno un termine: un numero, o un multiplo del numero di colonne. Si prendono "
    "quelle che abbassano di più la perdita; se le righe tenute da parte non ci guadagnano, nessuna.",
    "validation_size": "Quota di righe che ogni campione tiene fuori, per trovare il numero di giri. Con 0 si fanno tutti i "
    "max_rounds.",
    "outer_bags": "Numero di campioni: modelli appresi senza alcune righe, la cui media è il modello e la cui dispersione "
    "è la fascia intorno a ogni termine.",
    "additive.learning_rate": "Fattore di ogni passo.",
    "max_rounds": "Numero massimo di giri; in ciascuno ogni termine fa un passo.",
    "early_stopping_rounds": "Giri senza una perdita minore delle righe tenute fuori dopo i quali la ricerca finisce. Il numero di "
    "giri è lo stesso per tutti i campioni.",
    "early_stopping_tolerance": "Minima diminuzione della perdita che conta, come quota di essa.",
    "additive.min_samples_leaf": "Numero minimo di righe da ogni parte di un taglio.",
    "min_hessian": "Minima somma delle derivate seconde da ogni parte di un taglio.",
    "reg_lambda": "Avvicina i passi a zero, di più dove si fondano su poche righe.",
    "cat_smooth": "Avvicina al centro le categorie con poche righe quando si ordinano per ciò che dicono.",
    "max_leaves": 'Numero massimo di intervalli, o insiemi di categorie, di un passo. "auto" è 2 fino a 10.000 righe e 3 '
    "oltre.",
    "additive.nominal_guard": "Per colonne nominali con più di dieci valori e più valori di questa quota delle righe: una colonna che "
    "in media dice meno del caso non ha un termine, e i passi delle altre contano solo ciò che guadagnano "
    "oltre il caso. None prende ogni colonna com'è.",
    "voting.voting": '"hard" conta le classi che i membri predicono, "soft" fa la media delle loro probabilità. I pareggi '
    "vanno alla prima classe.",
    "flatten_transform": 'Con "soft", se transform dà una riga per riga, o un blocco per membro.',
    # -- rules
    "max_rules": "Numero massimo di regole per classe; None non mette limiti.",
    "max_conditions": "Numero massimo di condizioni per regola; None non mette limiti.",
    "negation": "Se colonna != valore può essere una condizione.",
    "resolution": "Quale regola decide quando ne valgono più d'una: la prima della lista, un voto di tutte, quella con più "
    "condizioni, o la più accurata.",
    "smoothing": "Come i conteggi delle righe coperte diventano probabilità.",
    "m": "Peso delle frequenze delle classi nella stima m.",
    "foil.nominal_guard": "Non ammette condizioni su una colonna nominale con più di dieci valori (e più di questa quota del "
    "numero di righe) che in media dice meno del caso. None le ammette tutte.",
    "foil.min_accuracy": "Quota minima della classe tra le righe che una regola copre; una regola con meno si scarta.",
    "foil.min_gain": "Guadagno minimo di una condizione, in bit.",
    "min_positive": "Numero minimo di righe della classe che una regola deve ancora coprire dopo ogni condizione, qualunque "
    "sia il loro peso.",
    "encoding_limit": "Se una regola non deve prendere più bit che elencare le righe che copre.",
    "value_sets": 'Se colonna IN {a, b} può essere una condizione. "auto" lo ammette su colonne nominali con più di dieci '
    "valori, se nominal_guard trova che dicono abbastanza.",
    "cn2.resolution": "Quale regola decide quando ne valgono più d'una; None è la prima in una lista ordinata, un voto in un "
    "insieme.",
    "mode": "Impara una lista in cui decide la prima regola che vale, o un insieme di regole che votano.",
    "measure": "Che cosa rende buona una congiunzione; m è il peso delle frequenze nella stima m.",
    "beam_width": "Numero di congiunzioni che la ricerca a fascio tiene a ogni passo.",
    "significance": "Confidenza del test di verosimiglianza che una regola deve passare; 0 accetta ogni regola.",
    "min_covered": "Numero minimo di righe che una regola deve coprire, qualunque sia il loro peso.",
    "covering": 'Che cosa diventano le righe coperte: si mettono da parte, o ("weighted", solo senza ordine) il loro '
    "peso si moltiplica per gamma, così che le regole possano sovrapporsi.",
    "cn2.gamma": 'Fattore del peso delle righe coperte, con covering="weighted".',
    "aq.min_accuracy": "Una congiunzione così accurata non riceve altre condizioni: con il rumore le regole perfette sono molte "
    "e piccole.",
    "optimizations": "Numero di passate di ottimizzazione.",
    "folds": "Numero di parti delle righe: una parte pota le regole, le altre le fanno crescere.",
    "prune": "Se potare. Senza potatura tutte le righe fanno crescere le regole, e non c'è ottimizzazione.",
    "check_error": "Se fermarsi a una regola che sbaglia almeno metà delle righe che copre.",
    "mdl_slack": "Bit oltre la descrizione più corta dopo i quali una classe non riceve altre regole.",
}

# What means the same under another name.
SAME_AS = {
    "bernoulli-nb.alpha": "multinomial-nb.alpha",
    "gaussian-mixture.alpha": "gaussian-map.alpha",
    "additive.objective": "loss",
    "gaussian-map.nominal_guard": "naive-bayes.nominal_guard",
    "gaussian-mixture.nominal_guard": "naive-bayes.nominal_guard",
    "bayes-net.nominal_guard": "naive-bayes.nominal_guard",
    "perceptron.nominal_guard": "naive-bayes.nominal_guard",
    "logistic.nominal_guard": "naive-bayes.nominal_guard",
    "svm.nominal_guard": "naive-bayes.nominal_guard",
    "knn.nominal_guard": "naive-bayes.nominal_guard",
    "cn2.nominal_guard": "foil.nominal_guard",
    "aq.nominal_guard": "foil.nominal_guard",
    "ripper.nominal_guard": "foil.nominal_guard",
}
