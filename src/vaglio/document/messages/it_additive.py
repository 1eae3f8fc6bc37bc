"""The sentences about additive models in Italian."""

from __future__ import annotations

MESSAGES = {
    "name_additive": "modello additivo (explainable boosting)",
    "additive_rule": "Il punteggio F di una riga è la somma di un numero per colonna, letto da una tabella. A ogni giro ciascuna colonna, a turno, fa un passo: un taglio in {leaves} parti al massimo, scelto dai gradienti g e dagli hessiani h delle righe. Il passo di una parte, moltiplicato per il tasso di apprendimento {rate}, si somma alla tabella della colonna. Fino a {columns} colonne vedono gli stessi gradienti; poi si ricalcolano.",
    "additive_here": "I primi giri, su tutte le righe. Il modello è la media di {bags} campioni, ciascuno senza una parte delle righe; il numero di giri, {rounds}, è quello di minor perdita sulle righe tenute da parte.",
    "additive_column": "{column}: un passo in {parts} parti.",
    "additive_no_step": "{column}: nessun taglio porta un guadagno.",
    "additive_of_class": "Il punteggio della classe {label}:",
    "additive_terms": "I termini del modello",
    "additive_centred": "Alla fine la media di ogni termine passa al punto di partenza, che è {start}. Il modello ha {terms} termini, di cui {pairs} coppie di colonne, dopo {pair_rounds} giri delle coppie.",
    "additive_importance": "ampiezza media",
    "additive_total": "somma",
    "additive_part": "parte",
    "additive_term": "termine",
}
