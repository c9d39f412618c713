"""Files as people export them, drawn from a known truth: a hospital's list, a survey, and a workbook of customers.

Each is written as nobody prepared it: codes for missing values, several spellings, decimal commas, limits, dates,
money, an identifier, free text. ``truth`` names the pairs that depend on each other, by the columns' names after the
repairs.
"""

import io
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Export:
    name: str
    content: bytes
    truth: frozenset
    shape: tuple


HOSPITAL = {
    "columns": "Fallnummer Geburtsdatum Aufnahme Entlassung Geschlecht Raucher COPD Station Infektion CRP Schmerz "
    "Gewicht Diabetes Bemerkung",
    "yes": ["ja", "Ja", "JA", "j", "1"],
    "no": ["nein", "Nein", "n", "0"],
    "sex": [["m", "M", "männlich"], ["w", "W", "weiblich"]],
    "wards": ["Innere", "Chirurgie", "Geriatrie"],
    "unknown": ["k.A.", "99", "-9", "?"],
    "text": "Patient wach, Verlauf {}, Kontrolle in {} Tagen",
    "date": "%d.%m.%Y",
}


def _one_of(rng, spellings, p_first=0.7):
    rest = (1 - p_first) / (len(spellings) - 1)
    return str(rng.choice(spellings, p=[p_first] + [rest] * (len(spellings) - 1)))


@cache
def hospital(seed=1, n=400):
    """A hospital's list with semicolons and decimal commas, 14 columns."""
    rng, words = np.random.default_rng(seed), HOSPITAL
    names = words["columns"].split()
    ident, born, came, left, sex, smoker, copd, ward, infection, crp, pain, weight, diabetes, note = names
    smokes = rng.random(n) < 0.4
    has_copd = rng.random(n) < np.where(smokes, 0.6, 0.08)
    infected = rng.random(n) < 0.35
    heavy = rng.normal(74, 9, n)
    diabetic = rng.random(n) < 1 / (1 + np.exp(-(heavy - 79) / 3))
    stay = np.where(infected, rng.integers(4, 20, n), rng.integers(1, 11, n))
    protein = np.exp(rng.normal(np.where(infected, 3.6, 0.4), 0.8, n))
    arrived = [date(2023, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 365, n)]

    def answer(flags):
        return [
            _one_of(rng, words["unknown"]) if rng.random() < 0.04 else _one_of(rng, words["yes" if flag else "no"])
            for flag in flags
        ]

    def comma(number, digits):
        return f"{number:.{digits}f}".replace(".", ",")

    day = words["date"]
    table = {
        ident: rng.permutation(n) + 20230001,
        born: [
            (a - timedelta(days=int(365.25 * years))).strftime(day)
            for a, years in zip(arrived, rng.normal(61, 14, n), strict=True)
        ],
        came: [a.strftime(day) for a in arrived],
        left: [(a + timedelta(days=int(k))).strftime(day) for a, k in zip(arrived, stay, strict=True)],
        sex: [_one_of(rng, words["sex"][k]) for k in rng.integers(0, 2, n)],
        smoker: answer(smokes),
        copd: answer(has_copd),
        ward: rng.choice(words["wards"], n),
        infection: answer(infected),
        crp: [
            "<0,6" if value < 0.6 else words["unknown"][0] if rng.random() < 0.02 else comma(value, 1)
            for value in protein
        ],
        pain: np.where(rng.random(n) < 0.05, 99, rng.integers(0, 11, n)),
        weight: ["-9" if rng.random() < 0.02 else comma(value, 1) for value in heavy],
        diabetes: answer(diabetic),
        note: [words["text"].format(k, int(rng.integers(2, 99))) + f" ({k})" for k in range(n)],
    }
    frame = pd.DataFrame(table)
    length = f"{left} (days since {came})"
    truth = {(smoker, copd), (infection, crp), (infection, length), (diabetes, weight)}
    return Export("export_de.csv", frame.to_csv(index=False, sep=";").encode(), _pairs(truth), frame.shape)


@cache
def survey(seed=1, n=600):
    """A Spanish survey with commas: answers in several spellings, ratings with 9 and 99, incomes with thousands."""
    rng = np.random.default_rng(seed)
    works = rng.random(n) < 0.6
    income = np.where(works, rng.normal(2600, 500, n), rng.normal(1100, 300, n)).clip(300)
    content, unhappy = [0.05, 0.05, 0.1, 0.4, 0.4], [0.4, 0.35, 0.15, 0.05, 0.05]
    satisfied = 1 + np.where(works, rng.choice(5, n, p=content), rng.choice(5, n, p=unhappy))
    urban = rng.random(n) < 0.5
    car = rng.random(n) < np.where(urban, 0.25, 0.85)
    trust = rng.integers(0, 11, n)

    def answer(flags):
        say = {True: ["sí", "si", "Sí", "SI"], False: ["no", "No", "NO"]}
        return [
            _one_of(rng, ["NS/NC", "no contesta"]) if rng.random() < 0.03 else _one_of(rng, say[bool(flag)])
            for flag in flags
        ]

    frame = pd.DataFrame(
        {
            "folio": rng.permutation(n) + 5001,
            "fecha": [
                (datetime(2024, 1, 1) + timedelta(days=int(k))).strftime("%d/%m/%Y") for k in rng.integers(0, 200, n)
            ],
            "trabaja": answer(works),
            "ingresos": [f"{value:,.0f} €".replace(",", ".") for value in income],
            "satisfaccion": np.where(rng.random(n) < 0.05, 9, satisfied),
            "residencia": [
                _one_of(rng, ["urbana", "Urbana", "URBANA "] if flag else ["rural", "Rural"]) for flag in urban
            ],
            "coche": answer(car),
            "confianza": np.where(rng.random(n) < 0.04, 99, trust),
            "comentario": [f"opinión número {k}, sin más" for k in range(n)],
        }
    )
    truth = {("trabaja", "ingresos"), ("trabaja", "satisfaccion"), ("residencia", "coche")}
    return Export("encuesta.csv", frame.to_csv(index=False).encode(), _pairs(truth), frame.shape)


@cache
def churn(seed=1, n=5000):
    """A workbook of customers with a sheet of explanations first, 25 columns."""
    rng = np.random.default_rng(seed)
    plan = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    charge = np.array([9.75, 24.5, 59.0])[plan] + rng.normal(0, 1.5, n)
    tickets = rng.poisson(0.6, n)
    churned = rng.random(n) < np.where(tickets >= 3, 0.3, 0.012)
    minutes = rng.gamma(4, 10, n) * np.array([0.5, 1.0, 2.0])[plan]
    gigabytes = minutes * rng.uniform(0.08, 0.12, n)
    autopay = rng.random(n) < 0.5
    card = rng.random(n) < np.where(autopay, 0.9, 0.3)
    mobile = rng.random(n) < 0.6
    android = rng.random(n) < np.where(mobile, 0.7, 0.1)
    signup = [date(2019, 1, 1) + timedelta(days=int(k)) for k in rng.integers(0, 1800, n)]
    weights = 1 / np.arange(1, 61)
    city = rng.choice(60, n, p=weights / weights.sum())

    def flag(flags, yes=("yes", "Yes", "Y"), no=("no", "No", "N")):
        return [_one_of(rng, list(yes if one else no)) for one in flags]

    table = {
        "customer_id": [f"C{k:06d}" for k in rng.permutation(n)],
        "signup": [one.isoformat() for one in signup],
        "last_login": [
            (datetime(2024, 3, 1) + timedelta(minutes=int(k))).strftime("%Y-%m-%d %H:%M:%S")
            for k in rng.integers(0, 86400, n)
        ],
        "plan": [_one_of(rng, [["basic", "Basic"], ["plus", "Plus "], ["premium", "PREMIUM"]][k]) for k in plan],
        "monthly_charge": [f"${value:.2f}" for value in charge],
        "discount": [f"{value:.1f}%" for value in rng.uniform(0, 60, n)],
        "session_minutes": ["n/a" if rng.random() < 0.01 else f"{value:.1f}" for value in minutes],
        "usage_gb": [f"{value:.2f}" for value in gigabytes],
        "support_tickets": tickets,
        "churned": flag(churned, ("1", "yes"), ("0", "no")),
        "autopay": flag(autopay),
        "card": flag(card),
        "device": [_one_of(rng, ["mobile", "Mobile"] if one else ["desktop", "Desktop"]) for one in mobile],
        "system": ["android" if one else str(rng.choice(["ios", "windows"])) for one in android],
        "city": [f"City {k:02d}" for k in city],
        "nps": np.where(rng.random(n) < 0.05, 99, rng.integers(0, 11, n)),
        "annual_value": [f"{value:,.2f}" for value in rng.uniform(200, 9000, n)],
        "currency": ["USD"] * n,
        "plan_code": [["B", "P", "X"][k] for k in plan],
        "beta_tester": ["yes" if k in (7, 11) else "no" for k in range(n)],
        "newsletter": flag(rng.random(n) < 0.4),
        "referrals": rng.poisson(0.3, n),
        "language": rng.choice(["en", "es", "fr"], n),
        "gender": [_one_of(rng, [["F", "female"], ["M", "male"]][k]) for k in rng.integers(0, 2, n)],
        "notes": [f"call {k}: asked about invoice {k * 7}" for k in range(n)],
    }
    frame = pd.DataFrame(table)
    with io.BytesIO() as file:
        with pd.ExcelWriter(file, engine="openpyxl") as book:
            about = pd.DataFrame({"field": ["plan", "nps"], "meaning": ["the customer's plan", "0 to 10"]})
            about.to_excel(book, sheet_name="README", index=False)
            frame.to_excel(book, sheet_name="customers", index=False)
        content = file.getvalue()
    truth = {
        ("plan", "monthly_charge"),
        ("plan", "session_minutes"),  # by whose bins usage_gb depends on the plan
        ("support_tickets", "churned"),
        ("session_minutes", "usage_gb"),
        ("autopay", "card"),
        ("device", "system"),
    }
    return Export("churn.xlsx", content, _pairs(truth), frame.shape)


def _pairs(edges):
    return frozenset(frozenset(edge) for edge in edges)


#: Every export by its name, to be drawn with a seed: only when a test asks for it, since the workbook takes seconds.
EXPORTS = {"export_de.csv": hospital, "encuesta.csv": survey, "churn.xlsx": churn}
