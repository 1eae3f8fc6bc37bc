// The first of the largest values.
const largest = (values) => values.reduce((best, value, c) => (value > values[best] ? c : best), 0);
const decided = (out) => ({ code: largest(out), out });

function shares(values) {
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / total);
}

const isMissing = (value) => value === null || value === undefined || Number.isNaN(value);

function numberOf(value) {
  if (isMissing(value) || (typeof value === "string" && value.trim() === "")) return NaN;
  const number = Number(value);
  if (Number.isNaN(number)) throw new TypeError(`${value} is not a number`);
  return number;
}

// Days since 1970 of a Date, of a date in words (YYYY-MM-DD, with or without a time), or of a number of days.
function daysOf(value) {
  if (isMissing(value) || typeof value === "number") return isMissing(value) ? NaN : value;
  const zoned = value instanceof Date || /(Z|[+-]\d\d:?\d\d)$/.test(String(value).slice(10));
  const text = value instanceof Date || String(value).length <= 10 ? value : String(value).replace(" ", "T");
  const time = new Date(zoned || String(value).length <= 10 ? text : `${text}Z`).getTime();
  if (Number.isNaN(time)) throw new TypeError(`${value} is not a date`);
  return time / 86400000;
}

// The code of a category among the known ones; where case does not matter, they are in lower case.
function codeOf(value, known, fold) {
  if (isMissing(value)) return NaN;
  let word = String(value);
  if (fold || /^(true|false)$/i.test(word)) word = word.toLowerCase();
  const code = known.get(word);
  return code === undefined ? NaN : code;
}

// Whether a text contains a word: 0 or 1, as the codes of no and yes.
function containsWord(value, word) {
  if (isMissing(value)) return NaN;
  return Number((String(value).toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).includes(word));
}
