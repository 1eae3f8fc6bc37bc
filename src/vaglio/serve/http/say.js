"use strict";
// say() takes English words and returns those of the page's language, with the numbers and plural forms of Python.
const WORDS = JSON.parse(document.getElementById("words").textContent);

function number(value, spec = "") {
  const [, group, digits, kind] = /^(,?)(?:\.(\d+))?([fg%]?)$/.exec(spec);
  let text = String(value);
  if (kind === "f") text = value.toFixed(Number(digits ?? 6));
  if (kind === "g") text = String(Number(value.toPrecision(Number(digits ?? 6))));
  if (kind === "%") text = (100 * value).toFixed(Number(digits ?? 6));
  if (/^-[0.]+$/.test(text)) text = text.slice(1); // what is rounded to zero has no minus
  if (group) text = text.replace(/\d+/, whole => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  text = text.replace(/[.,]/g, mark => mark === "." ? WORDS.decimal : WORDS.thousands);
  return kind === "%" ? WORDS.percent.replace("n", () => text) : text;
}

function pluralForm(forms, n) {
  // A fraction takes the form of many, as in Python.
  const whole = Number.isInteger(n) ? Math.abs(n) : 2;
  const form = Number(WORDS.plurals[whole < 200 ? whole : 100 + whole % 100]);
  return forms[Math.min(form, forms.length - 1)];
}

function say(template, values = {}) {
  return (WORDS.words[template] ?? template).replace(/\{(\w+)(!r)?(?::([^{}]*))?\}/g, (_, name, quoted, spec = "") => {
    const value = values[name];
    if (spec.includes("|")) return pluralForm(spec.split("|"), value);
    if (typeof value === "number") return number(value, spec);
    return quoted ? `'${value}'` : String(value);
  });
}
