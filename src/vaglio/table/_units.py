"""Currency signs and units that stand beside a number in a cell."""

from __future__ import annotations

# As written -> the sign that is kept as the unit of the column.
CURRENCIES = {
    "€": "€", "EUR": "€", "Euro": "€", "euro": "€", "$": "$", "US$": "$", "USD": "$", "£": "£", "GBP": "£", "¥": "¥",
    "JPY": "¥", "CHF": "CHF", "Fr.": "CHF", "SFr.": "CHF", "₹": "₹", "INR": "₹", "kr": "kr", "zł": "zł", "PLN": "zł",
}  # fmt: skip
# Units that may follow a number without a blank. Others need the blank: 12A and 3D are codes, 12 pieces are a quantity.
UNITS = frozenset([
    "%", "‰", "kg", "g", "mg", "µg", "t", "lb", "lbs", "oz", "km", "m", "dm", "cm", "mm", "µm", "nm", "mi", "ft",
    "in", "yd", "ha", "m²", "m2", "m³", "m3", "cm²", "cm2", "cm³", "cm3", "mm²", "mm2", "km²", "km2", "mq", "mc", "l",
    "L", "dl", "cl", "ml", "mL", "hl", "°C", "°F", "°", "s", "sec", "ms", "min", "h", "hrs", "kWh", "MWh", "GWh",
    "Wh", "kW", "MW", "mA", "Hz", "kHz", "MHz", "GHz", "km/h", "m/s", "mph", "bar", "mbar", "hPa", "kPa", "Pa", "MPa",
    "kJ", "MJ", "cal", "kcal", "kB", "KB", "MB", "GB", "TB", "dB", "ppm", "ppb", "bpm", "mmHg", "mg/dl", "mg/dL",
    "mg/L", "mg/l", "g/l", "g/L", "mmol/l", "mmol/L", "U/L", "IU", "Mio", "Mrd", "CV", "hp", "PS", "kg/m²", "kg/m2",
    "x",
])  # fmt: skip


def is_unit(word: str, spaced: bool) -> bool:
    """Return whether a word after a number is a unit.

    >>> is_unit("kg", False), is_unit("A1", True), is_unit("pezzi", True), is_unit("pezzi", False)
    (True, False, True, False)
    """
    if word in CURRENCIES or word in UNITS:
        return True
    return spaced and not any(letter.isdigit() for letter in word)


def unit_in_brackets(word: str) -> str:
    """Return the unit that a cell such as ``[kg]``, ``(kg)`` or ``kg`` of a second line of names holds; else "".

    >>> unit_in_brackets("(kg)"), unit_in_brackets("cm"), unit_in_brackets("weight")
    ('kg', 'cm', '')
    """
    bare = word.strip()
    if len(bare) > 2 and bare[0] + bare[-1] in ("()", "[]") and not bare[1:-1].strip().isdigit():
        return bare[1:-1].strip()
    return CURRENCIES.get(bare, bare) if is_unit(bare, False) else ""
