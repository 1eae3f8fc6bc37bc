"""The captions of the pictures in Italian."""

from __future__ import annotations

MESSAGES = {
    "film_regions": "Le regioni delle classi",
    "film_start": "Prima del primo aggiornamento",
    "film_update": "Aggiornamento {n}: la riga {row} era sbagliata, nel passaggio {epoch}",
    "film_last_update": "Dopo tutti i {n} aggiornamenti",
    "film_step": "Passo {n}: perdita {loss}",
    "film_support": "vettori di supporto: {n}",
    "film_rounds": "Turno {n}",
    "film_members": "Membri: {n}",
    "film_root": "Tutte le righe",
    "film_one_test": "1 test",
    "film_tests": "{n} test",
    "film_finished": "L'albero finito",
    "film_sure": "Oltre la linea, P({label}) supera il {share} %",
    "film_rules": "Regole: {n}",
}
