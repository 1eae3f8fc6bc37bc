"""The sentences about optimal trees in Italian."""

from __future__ import annotations

MESSAGES = {
    "name_optimal-tree": "albero ottimo",
    "optimal_rule": "Fra tutti gli alberi con al più {depth} test su un cammino, questo è uno di quelli che costano meno sulle righe di training: un errore costa 1 per il peso della sua riga, se non sono dati altri costi. Un algoritmo greedy (CART) sceglie in ogni nodo il test che lascia l'indice di Gini più piccolo, e non ci torna mai sopra.",
    "optimal_leaves": "L'albero può avere al più {leaves} foglie.",
    "optimal_price": "Ogni foglia costa in più {price} del peso di tutte le righe.",
    "optimal_greedy": "L'albero greedy",
    "optimal_optimal": "L'albero ottimo",
    "optimal_beside": "I due alberi a confronto",
    "optimal_col_greedy": "greedy",
    "optimal_col_optimal": "ottimo",
    "optimal_root": "test alla radice",
    "optimal_gini": "indice di Gini dopo questo test",
    "optimal_alone": "costo dopo questo solo test",
    "optimal_below": "costo con i migliori test sotto di esso",
    "optimal_cost": "costo di tutto l'albero",
    "optimal_size": "foglie",
    "optimal_share": "costo per riga",
    "optimal_none": "nessun test",
    "optimal_same": "Nessun albero entro questi limiti costa meno di quello greedy: qui è ottimo.",
    "optimal_why_root": "L'albero greedy perde alla radice. Il suo test {greedy} lascia un indice di Gini di {gini}, il più piccolo; ma qualunque cosa si provi sotto di esso, resta un costo di {below}. Il test {optimal} lascia un indice di Gini maggiore, {other}, e con i migliori test sotto di esso un costo di {cost}.",
    "optimal_why_below": "L'albero greedy perde sotto la radice. Con il suo test alla radice sarebbe possibile un costo di {below}, ma una scelta successiva secondo l'indice di Gini lascia {lost}.",
    "optimal_why": "L'albero greedy costa {lost} e quello ottimo {cost}: {less} in meno.",
    "optimal_proved": "Dimostrato: ogni altro albero entro questi limiti è stato provato o escluso da un limite inferiore, e nessuno costa meno.",
    "optimal_gap": "Non dimostrato: il tempo è finito. L'albero migliore costa fra {low} e {cost}.",
    "optimal_col_cost": "costo",
}
