"""Tables as people have them: each with what must be understood, and what must be said about it."""

from __future__ import annotations

import io
import random
from dataclasses import dataclass, field

import openpyxl

__all__ = ["MESSY", "Messy"]

N = 48


@dataclass(frozen=True)
class Messy:
    """A file, its class, the kind or unit of each column, the notes, and the findings of the audit."""

    data: bytes
    target: str
    kinds: dict[str, str]
    notes: tuple[str, ...]
    units: dict[str, str] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    name: str = "table.csv"
    rows: int = N


def written(number: float, decimals: int, decimal: str, group: str) -> str:
    return f"{number:,.{decimals}f}".replace(",", "\0").replace(".", decimal).replace("\0", group)


def _draw(seed: int) -> list[tuple[random.Random, int, float, str]]:
    """For each row: a generator, its number, a measure and the class that depends on it."""
    draw = random.Random(seed)
    measures = [draw.uniform(500, 9500) for _ in range(N)]
    return [(draw, at, measure, "high" if measure > 5000 else "low") for at, measure in enumerate(measures)]


def _italian() -> Messy:
    lines = ["nome;data;reddito;spesa;abitanti;provincia;esito"]
    for draw, at, measure, label in _draw(1):
        income = "n.d." if at == 7 else written(measure, 2, ",", ".")
        spent = "-" if at == 9 else f"€ {written(draw.uniform(5, 90), 2, ',', '.')}"
        people = written(draw.randint(500, 90_000), 0, ",", ".")
        town = draw.choice(["MI", "RM", "NA", "TO", "BA", "FI"])
        lines.append(f"cliente {at};{1 + at % 28:02}/{1 + at % 12:02}/2023;{income};{spent};{people};{town};{label}")
    return Messy(
        "\r\n".join(["età media", *lines]).encode("cp1252"),
        "esito",
        {"data": "date", "reddito": "numeric", "spesa": "numeric", "abitanti": "numeric", "provincia": "nominal"},
        ("cp1252", "the point separates thousands", "'n.d.' (1 cell of 'reddito')", "'NA' is a value", "'età media'"),
        {"spesa": "€"},
    )


def _german() -> Messy:
    lines = ["Umsatz der Filialen", "", "Filiale;Eröffnung;Umsatz;Gewicht;Anteil;Klasse"]
    total = 0.0
    for draw, at, measure, label in _draw(2):
        weight = "12,5O kg" if at == 3 else f"{written(draw.uniform(2, 50), 1, ',', '.')} kg"
        turnover = "k.A." if at == 5 else written(measure, 2, ",", ".")
        share = f"{written(draw.uniform(1, 60), 1, ',', '.')} %"
        lines.append(f"F{at % 9};{1 + at % 28}.{1 + at % 12}.20{10 + at % 12};{turnover};{weight};{share};{label}")
        total += 0 if at == 5 else round(measure, 2)
    lines += [f"Summe;;{written(total, 2, ',', '.')};;;", "", "Quelle: Statistisches Amt, 2023"]
    return Messy(
        ("\n".join(lines) + "\n").encode(),
        "Klasse",
        {"Eröffnung": "date", "Umsatz": "numeric", "Gewicht": "numeric", "Anteil": "numeric"},
        ("above the column names", "'Summe' and 'Quelle", "'k.A.' (1 cell of 'Umsatz')", "'12,5O kg' in row 4"),
        {"Gewicht": "kg", "Anteil": "%"},
        ("wrong-values",),
    )


def _french() -> Messy:
    lines = ["\ufeffville;jour;loyer;surface;note"]
    for draw, at, measure, label in _draw(3):
        rent = f"{written(measure, 2, ',', chr(0x202F))} €"
        month = ("janvier", "février", "mars", "août", "décembre")[at % 5]
        surface = "non renseigné" if at == 4 else f"{draw.randint(15, 120)} m²"
        lines.append(f"{draw.choice(['Paris', 'Lyon'])};{1 + at % 28} {month} 2023;{rent};{surface};{label}")
    return Messy(
        ("\n".join(lines) + "\n").encode(),
        "note",
        {"jour": "date", "loyer": "numeric", "surface": "numeric"},
        ("the space separates thousands and the comma separates decimals", "'non renseigné' (1 cell of 'surface')"),
        {"loyer": "€", "surface": "m²"},
    )


def _american() -> Messy:
    lines = ['"State","Date","Revenue","Change","Rate","Outcome"']
    for draw, at, measure, label in _draw(4):
        change = draw.uniform(-5000, 5000)
        shown = f"({-change:,.2f})" if change < 0 else f"{change:,.2f}"
        state = draw.choice(["ND", "CA", "NY", "SD"])
        rate = "N/A" if at == 6 else f"{draw.uniform(1, 20):.1f}%"
        lines.append(f'"{state}","{1 + at % 12}/{1 + at % 28}/2022","${measure:,.2f}","{shown}","{rate}","{label}"')
    return Messy(
        ("\n".join(lines) + "\n").encode(),
        "Outcome",
        {"State": "nominal", "Date": "date", "Revenue": "numeric", "Change": "numeric", "Rate": "numeric"},
        ("the comma separates thousands and the point separates decimals", "'Revenue' in $"),
        {"Revenue": "$", "Rate": "%"},
    )


def _swiss() -> Messy:
    lines = ["Kanton\tLohn\tAlter\tKlasse"]
    for draw, at, measure, label in _draw(5):
        age = "unbekannt" if at == 8 else str(draw.randint(18, 65))
        lines.append(f"{draw.choice(['ZH', 'BE', 'TI'])}\tCHF {written(measure, 2, '.', chr(39))}\t{age}\t{label}")
    return Messy(
        ("\n".join(lines) + "\n").encode(),
        "Klasse",
        {"Lohn": "numeric", "Alter": "numeric"},
        ("the apostrophe separates thousands", "'unbekannt' (1 cell of 'Alter')"),
        {"Lohn": "CHF"},
        name="table.tsv",
    )


def _mixed() -> Messy:
    lines = ["size,weight,grade,when,class"]
    for draw, at, measure, label in _draw(6):
        size = {5: "ca. 30", 11: "12,5O"}.get(at, f"{measure:.1f}")
        weight = f"{draw.randint(1, 9)} kg" if at % 2 else f"{draw.randint(100, 900)} g"
        lines.append(
            f'"{size}",{weight},{draw.choice(["1", "2", "3", "3+"])},{1 + at % 9:02}/{1 + at % 12:02}/2022,{label}'
        )
    return Messy(
        ("\n".join(lines) + "\n").encode(),
        "class",
        {"size": "numeric", "weight": "nominal", "grade": "nominal", "when": "nominal"},
        (
            "2 cells are not numbers",
            "'ca. 30' in row 6",
            "several units",
            "'grade' is read as words",
            "day and month are ambiguous",
        ),
        findings=("wrong-values",),
    )


def _titled() -> Messy:
    lines = ["Vendite per zona;;;", "aggiornato a marzo;;;", "zona;pezzi;ricavo;classe"]
    pieces, revenue = 0, 0.0
    for draw, _, measure, label in _draw(7):
        zone, sold = draw.choice(["nord", "sud", "centro"]), draw.randint(900, 40_000)
        lines.append(f"{zone};{written(sold, 0, ',', '.')};{written(measure, 1, ',', '.')};{label}")
        pieces, revenue = pieces + sold, revenue + round(measure, 1)
    lines += [
        f"TOTALE;{written(pieces, 0, ',', '.')};{written(revenue, 1, ',', '.')};",
        ";;;",
        "* dati provvisori;;;",
        "Fonte: ufficio studi;;;",
    ]
    return Messy(
        ("\n".join(lines) + "\n").encode(),
        "classe",
        {"zona": "nominal", "pezzi": "numeric", "ricavo": "numeric"},
        ("2 lines above the column names", "3 lines below the table", "'TOTALE'", "1 empty row"),
    )


def _two_lines_of_names() -> Messy:
    lines = ["zona;2022;;2023;;classe", ";entrate;uscite;entrate;uscite;"]
    for draw, _, measure, label in _draw(8):
        figures = ";".join(str(draw.randint(100, 999)) for _ in range(3))
        lines.append(f"{draw.choice(['nord', 'sud'])};{measure:.0f};{figures};{label}")
    return Messy(
        ("\n".join(lines) + "\n").encode(),
        "classe",
        dict.fromkeys(("2022 entrate", "2022 uscite", "2023 entrate", "2023 uscite"), "numeric"),
        ("The second line of the table also holds names", "'2022 entrate'"),
    )


def _excel_text() -> Messy:
    lines = ["sep=;", "codice;peso;altezza;cap;stato", ";[kg];[cm];;"]
    for draw, at, measure, label in _draw(9):
        code = f'="{draw.choice(["007", "012", "100"])}"'
        height = "#N/D" if at == 2 else str(draw.randint(150, 200))
        lines.append(f"{code};{written(measure, 1, ',', '')};{height};0{draw.choice(['0118', '0127'])};{label}")
    return Messy(
        ("\r\n".join(lines) + "\r\n").encode(),
        "stato",
        {"codice": "nominal", "peso": "numeric", "altezza": "numeric", "cap": "nominal"},
        ("The second line of the table holds units", "'#N/D' (1 cell of 'altezza')"),
        {"peso": "kg", "altezza": "cm"},
    )


def _sheet() -> Messy:
    book = openpyxl.Workbook()
    for row in (["Rilevazione 2023"], [], ["zona", "misura", "prezzo", "classe"]):
        book.active.append(row)
    measured = [round(measure, 1) for _, at, measure, _ in _draw(10) if at != 3]
    for draw, at, measure, label in _draw(10):
        price = "n.d." if at == 4 else f"€ {written(draw.uniform(1, 5000), 2, ',', '.')}"
        book.active.append([draw.choice(["nord", "sud"]), "ND" if at == 3 else round(measure, 1), price, label])
    book.active.append(["Media", sum(measured) / len(measured)])
    file = io.BytesIO()
    book.save(file)
    return Messy(
        file.getvalue(),
        "classe",
        {"zona": "nominal", "misura": "numeric", "prezzo": "numeric"},
        ("above the column names", "'Media'", "'ND' (1 cell of 'misura')", "'n.d.' (1 cell of 'prezzo')"),
        {"prezzo": "€"},
        name="table.xlsx",
    )


MESSY = {
    "Italian": _italian(),
    "German": _german(),
    "French": _french(),
    "American": _american(),
    "Swiss": _swiss(),
    "mixed cells": _mixed(),
    "title and notes": _titled(),
    "two lines of names": _two_lines_of_names(),
    "Excel text": _excel_text(),
    "a sheet": _sheet(),
}
