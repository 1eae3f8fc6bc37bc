"""The month of an analyst: from a messy Italian file to the list of customers to call, in Italian, without a script."""

from __future__ import annotations

import csv
import io
import re
from datetime import date, timedelta

import numpy as np
import pytest
from tests.cli.conftest import run_here

import vaglio

HEAD = "Codice cliente;Nominativo;E-mail;Età;Città;Data attivazione;Spesa annua (€);Reclami;Contratto;Motivo;Abbandono"
# Next month another program writes the file.
LATER = "CODICE_CLIENTE;nominativo;e mail;ETA';citta;data_attivazione;SPESA ANNUA (€);N. reclami;contratto"
FIRST, LAST = ("Anna", "Luca", "Sara", "Ugo"), ("Rossi", "Neri", "D'Amico", "Forlì", "Gallo")


def money(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,")) + " €"


def customers(n, seed, first):
    """Rows as cells, without the class, and whether each customer leaves; customers occur several times."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        who = first + int(rng.integers(n // 2))
        own = np.random.default_rng(who)
        person = f"{FIRST[who % 4]} {LAST[who % 5]}"
        day = date(2019, 1, 1) + timedelta(int(own.integers(1500)))
        claims, contract = int(rng.poisson(1.0)), ("mensile", "annuale")[int(own.random() < 0.5)]
        logit = -3.5 + 1.3 * claims + 1.5 * (contract == "mensile")
        leaves = rng.random() < 1 / (1 + np.exp(-logit))
        cells = [f"C{who:05d}", person, f"{person.lower().replace(' ', '.')}@posta.it"]
        cells += [str(own.integers(18, 80)) if rng.random() > 0.05 else "n.d.", ("Cantù", "Roma")[who % 2]]
        cells += [f"{day:%d/%m/%Y}", money(own.gamma(3, 400)) if rng.random() > 0.05 else "", str(claims), contract]
        yield cells, leaves


@pytest.fixture(scope="module")
def month(tmp_path_factory):
    """The files of this month and the next, and what four commands said."""
    folder = tmp_path_factory.mktemp("month")
    known = [
        [*cells, "prezzo" if leaves else "", "sì" if leaves else "no"] for cells, leaves in customers(500, 1, 1000)
    ]
    text = "\r\n".join([HEAD, *map(";".join, known)]) + "\r\n"
    (folder / "clienti.csv").write_bytes(text.encode("cp1252"))
    later = [cells for cells, _ in customers(120, 2, 9000)]
    text = "\r\n".join([LATER, *map(";".join, later)]) + "\r\n"
    (folder / "ottobre.csv").write_bytes(text.encode("cp1252"))
    about = ["--target", "Abbandono", "--lang", "it"]
    costs = ["--group", "Codice cliente", "--cost-missed", "100", "--cost-alarm", "20", "--learner", "logistic"]
    report = ["report", "clienti.csv", *about, *costs, "--out", "rapporto.html"]
    call = ["predict", "modello.vaglio", "ottobre.csv", "--sort", "sì", "--top", "30", "--reasons", "3", "--lang", "it"]
    call += ["--for-spreadsheet", "--out", "chiamate.csv"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        said = {
            "audit": run_here("audit", "clienti.csv", *about),
            "leaking": run_here(*report),
            "report": run_here(*report, "--ignore", "Motivo", "--model", "modello.vaglio"),
            "refused": run_here(*call),
            "call": run_here(*call, "--rename", "N. reclami=Reclami"),
        }
    return folder, later, said


def test_the_audit_names_the_leak_and_the_persons(month):
    _, _, said = month
    assert said["audit"].code == 0
    assert "'Motivo'" in said["audit"].out
    for name in ("Codice cliente", "Nominativo", "E-mail"):
        assert re.search(rf"La colonna '{name}' contiene .* ed è esclusa", said["audit"].err)


def test_the_leak_stands_above_the_report_and_is_mended_as_it_says(month):
    _, _, said = month
    lines = said["leaking"].out.splitlines()
    assert lines[0].startswith("ATTENZIONE: ")
    assert lines[1].startswith("Esegui: vaglio report clienti.csv")
    assert lines[1].endswith("--ignore Motivo")
    assert "ATTENZIONE" not in said["report"].out


def test_the_first_page_is_about_money_in_italian(month):
    folder, _, said = month
    assert re.match(r"Le previsioni costano [\d,]+ per riga e fanno risparmiare [\d,]+ rispetto a", said["report"].out)
    page = (folder / "rapporto.html").read_text(encoding="utf-8")
    brief = page[page.index('class="brief"') : page.index('class="columns"' if 'class="columns"' in page else "<nav")]
    assert brief.index("il modello ne indica") < brief.index("fanno risparmiare") < brief.index("Contano di più")
    assert "Risparmio per riga" in brief
    assert not re.search(r"\b(the|model|saved|row|always)\b", re.sub("<[^>]*>", " ", brief))


def test_an_absent_column_is_refused_with_the_likeliest_one(month):
    _, _, said = month
    assert said["refused"].code == 2 or said["refused"].code == 1
    assert "--rename 'N. reclami=Reclami'" in said["refused"].err


def test_the_call_list_has_every_cell_as_it_was(month):
    folder, later, said = month
    assert said["call"].code == 0, said["call"].err
    text = (folder / "chiamate.csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text), delimiter=";"))
    assert rows[0] == [
        *LATER.split(";"), "posizione", "prevista", "probabilità di no", "probabilità di sì",
        "motivo 1", "motivo 2", "motivo 3",
    ]  # fmt: skip
    body = rows[1:]
    assert len(body) == 30
    assert all(row[:9] in later for row in body)
    chances = [float(row[12].replace(",", ".")) for row in body]
    assert chances == sorted(chances, reverse=True)
    assert [row[9] for row in body] == [str(at) for at in range(1, 31)]
    assert all(
        re.fullmatch(r"(Reclami|Contratto|Città|Età|Data attivazione|Spesa annua \(€\)) .+", row[13]) for row in body
    )
    model = vaglio.load(folder / "modello.vaglio")
    assert set(model.codebook.names) == {"Età", "Città", "Data attivazione", "Spesa annua (€)", "Reclami", "Contratto"}
