"use strict";
// A form made from the schema of a model; the answer, its reasons and what would change it follow every edit.
const $ = (id) => document.getElementById(id);
const state = { models: [], model: null, schema: null, row: {}, kept: null, answer: null, token: sessionStorage.getItem("vaglio-token") ?? "" };
let asked = 0;
let timer = null;

// -- words ---------------------------------------------------------------------------------------------------------
function shown(value) {
  if (value === null || value === undefined) return say("missing");
  return typeof value === "number" ? number(value, ".6g") : String(value);
}

function brief(value) {
  return value === null ? "" : number(value, ".3g");
}

// A share of a number with its sign, as everywhere else; the evidence for a class as it is.
function signed(value, withSign) {
  const told = brief(value).replace("-", "−");
  return withSign && value > 0 ? `+${told}` : told;
}

function percent(value) {
  return number(value, ".1%");
}

function node(tag, text, ...children) {
  const made = document.createElement(tag);
  if (text !== null && text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

// -- asking --------------------------------------------------------------------------------------------------------
async function ask(path, body) {
  const headers = { "Accept-Language": WORDS.lang, ...(state.token ? { Authorization: `Bearer ${state.token}` } : {}) };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: body === undefined ? "GET" : "POST", headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const data = await answer.json();
  $("access").hidden = answer.status !== 401;
  if (!answer.ok) throw new Error(data.detail);
  return data;
}

function trouble(error) {
  $("trouble").hidden = !error;
  $("trouble").textContent = error ? error.message : "";
}

function address(what) {
  return `models/${encodeURIComponent(state.model.name)}/${what}`;
}

// -- the row as a link: behind the #, so that it is in no server's log -----------------------------------------------
function remember() {
  const parts = new URLSearchParams({ model: state.model.name });
  for (const [name, value] of Object.entries(state.row)) parts.set(`.${name}`, JSON.stringify(value));
  history.replaceState(null, "", `#${parts}`);
}

function recalled() {
  const found = { row: {} };
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    if (!key.startsWith(".")) found[key] = value;
    else try { found.row[key.slice(1)] = JSON.parse(value); } catch { /* a link that somebody cut */ }
  }
  return found;
}

// -- the form ------------------------------------------------------------------------------------------------------
function usual(about) {
  return about.usual === undefined ? null : about.usual;
}

function buildForm() {
  const fields = Object.entries(state.schema.properties).map(([name, property]) => {
    const about = property["x-vaglio"];
    const field = node("fieldset", null, node("legend", name));
    field.dataset.column = name;
    const control = node("div");
    control.className = "control";
    if (about.low !== undefined) {
      const range = node("span", " " + say("{low} to {high} in training", { low: shown(about.low), high: shown(about.high) }));
      range.className = "soft";
      field.firstChild.append(range);
    }
    const make = about.kind === "numeric" ? numberControl : about.categories && about.n_categories <= about.categories.length ? listControl : textControl;
    make(control, name, about);
    field.append(control);
    return field;
  });
  $("row").replaceChildren(...fields);
}

function numberControl(control, name, about) {
  const box = Object.assign(node("input"), { type: "number", step: "any" });
  box.setAttribute("aria-label", say("value of {name}", { name }));
  const absent = Object.assign(node("input"), { type: "checkbox" });
  let slider = null;
  if (about.low < about.high) {
    const step = about.decimals === null || about.decimals === undefined ? "any" : String(10 ** -about.decimals);
    slider = Object.assign(node("input"), { type: "range", min: about.low, max: about.high, step });
    slider.setAttribute("aria-label", say("slider of {name}", { name }));
    slider.addEventListener("input", () => edit(name, Number(slider.value)));
    control.append(slider);
  }
  box.addEventListener("input", () => edit(name, box.value === "" ? null : Number(box.value)));
  absent.addEventListener("change", () => edit(name, absent.checked ? null : usual(about) ?? 0));
  control.append(box, node("label", null, absent, say("missing")));
  control.show = (value) => {
    if (document.activeElement !== box || value === null) box.value = value ?? "";
    absent.checked = value === null;
    if (slider) { slider.disabled = value === null; if (value !== null) slider.value = value; }
  };
}

function listControl(control, name, about) {
  const list = node("select", null, new Option(say("missing"), "null"), ...about.categories.map((each) => new Option(String(each), JSON.stringify(each))));
  list.setAttribute("aria-label", say("value of {name}", { name }));
  list.addEventListener("change", () => edit(name, JSON.parse(list.value)));
  control.append(list);
  control.show = (value) => {
    const text = JSON.stringify(value);
    if (![...list.options].some((each) => each.value === text)) list.append(new Option(String(value), text));
    list.value = text;
  };
}

function textControl(control, name, about) {
  const box = Object.assign(node("input"), { type: about.kind === "date" ? "date" : "text" });
  box.setAttribute("aria-label", say("value of {name}", { name }));
  const absent = Object.assign(node("input"), { type: "checkbox" });
  box.addEventListener("input", () => edit(name, box.value === "" ? null : box.value));
  absent.addEventListener("change", () => edit(name, absent.checked ? null : String(usual(about) ?? "")));
  control.append(box, node("label", null, absent, say("missing")));
  control.show = (value) => {
    if (document.activeElement !== box || value === null) box.value = value ?? "";
    absent.checked = value === null;
  };
}

function edit(name, value) {
  state.row[name] = value;
  showRow();
  later();
}

function showRow() {
  for (const field of $("row").children) {
    const name = field.dataset.column;
    field.lastChild.show(state.row[name]);
    field.classList.toggle("changed", state.kept !== null && state.kept.row[name] !== state.row[name]);
  }
  remember();
}

function setRow(row) {
  state.row = {};
  for (const [name, property] of Object.entries(state.schema.properties)) {
    state.row[name] = name in row ? row[name] : usual(property["x-vaglio"]);
  }
  showRow();
  later(0);
}

// -- the answer ----------------------------------------------------------------------------------------------------
function later(wait = 150) {
  clearTimeout(timer);
  timer = setTimeout(answerRow, wait);
}

async function answerRow() {
  const turn = ++asked;
  try {
    const answer = await ask(address("predict"), state.row);
    if (turn !== asked) return;
    state.answer = answer;
    trouble(null);
    showAnswer();
    const told = await ask(address("explain"), state.row);
    if (turn !== asked) return;
    showReasons(told);
    showChange(told);
    document.body.dataset.answered = String(turn);
  } catch (error) {
    if (turn === asked) trouble(error);
  }
}

function barTable(head, rows) {
  const largest = Math.max(...rows.map((row) => Math.abs(row.size)), 1e-300);
  const body = rows.map((row) => {
    const bar = node("span");
    bar.style.width = `${(100 * Math.abs(row.size)) / (row.of ?? largest)}%`;
    const name = node("th", row.name);
    name.scope = "row";
    const cells = [name, Object.assign(node("td", null, bar), { className: "bar" })];
    for (const number of row.numbers) cells.push(Object.assign(node("td", number), { className: "number" }));
    const line = node("tr", null, ...cells);
    if (row.chosen) line.className = "chosen";
    return line;
  });
  const titles = head.map((title, at) => Object.assign(title === null ? node("td") : node("th", title), { className: at > 1 ? "number" : "" }));
  return node("table", null, node("thead", null, node("tr", null, ...titles)), node("tbody", null, ...body));
}

function showAnswer() {
  const { predicted, probabilities, expected_costs: costs, likeliest, interval } = state.answer;
  const chance = probabilities ? ` · ${percent(probabilities[String(predicted)])}` : "";
  $("decision").textContent = `${shown(predicted)}${chance}`;
  const reach = interval ? say("{share} of such rows are between {low} and {high}.", { share: percent(interval.coverage), low: brief(interval.low), high: brief(interval.high) }) : "";
  $("cost").textContent = reach || !costs ? reach : likeliest !== predicted ? say("Predicted by lowest expected cost. The most probable class is {label}.", { label: shown(likeliest) }) : "";
  const rows = Object.entries(probabilities ?? {}).map(([name, value]) => ({
    name, size: value, of: 1, chosen: name === String(predicted), numbers: [percent(value), ...(costs ? [brief(costs[name])] : [])],
  }));
  const head = [say("Class"), null, say("Probability"), ...(costs ? [say("Expected cost")] : [])];
  $("bars").replaceChildren(...(rows.length ? [barTable(head, rows)] : []));
  showCompared();
}

function showCompared() {
  if (!state.kept) return $("compared").replaceChildren();
  const different = Object.keys(state.row).filter((name) => state.row[name] !== state.kept.row[name]);
  const lines = different.map((name) => [name, shown(state.kept.row[name]), shown(state.row[name])]);
  const chance = (answer) => (answer.probabilities ? ` (${percent(answer.probabilities[String(answer.predicted)])})` : "");
  lines.push([say("Predicted"), ...[state.kept.answer, state.answer].map((each) => shown(each.predicted) + chance(each))]);
  const body = lines.map(([name, before, now]) => node("tr", null, Object.assign(node("th", name), { scope: "row" }), node("td", before), node("td", now)));
  const head = node("thead", null, node("tr", null, node("th", say("Column")), node("th", say("Kept")), node("th", say("Now"))));
  const shownTable = different.length ? node("table", null, head, node("tbody", null, ...body)) : node("p", say("The rows are the same."));
  $("compared").replaceChildren(node("h3", say("Compared with the kept row")), shownTable);
}

function showReasons(told) {
  const parts = [];
  const ofNumber = state.model.classes === null;
  // A number is a sum: the mean that it starts at is no reason beside the others.
  const starts = ofNumber ? [...told.reasons, ...told.against].filter((reason) => reason.code === "start-at-mean") : [];
  const [reasons, against] = [told.reasons, told.against].map((list) => list.filter((reason) => !starts.includes(reason)));
  for (const start of starts) {
    parts.push(node("p", say("{amount} on average", { amount: shown(start.weight) })));
  }
  // One scale for both: a bar against is as long as one of the same weight for it.
  const most = Math.max(...[...reasons, ...against].map((reason) => Math.abs(reason.weight ?? 0)), 1e-300);
  const titles = ofNumber ? [say("It is higher for"), say("It is lower for")] : [say("Evidence for it"), say("Evidence against it")];
  for (const [title, list, chosen] of [[titles[0], reasons, true], [titles[1], against, false]]) {
    if (!list.length) continue;
    parts.push(node("h3", title));
    if (list.some((reason) => reason.weight !== null)) {
      const rows = list.map((reason) => ({ name: reason.text, size: Math.abs(reason.weight ?? 0), of: most, chosen, numbers: [signed(reason.weight, ofNumber)] }));
      parts.push(barTable([say("Reason"), null, say("Weight")], rows));
    } else parts.push(node("ul", null, ...list.map((reason) => node("li", reason.text))));
  }
  if (!parts.length) parts.push(node("p", say("This kind of model gives no reasons.")));
  if (told.notes.length) {
    parts.push(node("h3", say("Notes")), node("ul", null, ...told.notes.map((note) => node("li", inWords(note)))));
  }
  $("why").replaceChildren(...parts);
}

// A person has no parameters to set.
function inWords(note) {
  const { columns } = note.values;
  return note.code === "columns-kept-fixed" ? say("advice keeps {columns} fixed", { columns }) : note.text;
}

function showChange(told) {
  const found = told.counterfactual;
  if (!found) return $("change").replaceChildren(node("p", state.model.classes === null
    ? say("No small change was found that moves the number by 10 %.")
    : say("No small change was found that leads to another class.")));
  const sentence = (change) => {
    const { feature } = change, instead = shown(change.instead), value = shown(change.value);
    if (change.is_word && change.value === "no") return say("{feature} contained the word “{instead}”", { feature, instead });
    if (change.is_word) return say("{feature} did not contain the word “{instead}”", { feature, instead });
    if (change.value === null) return say("{feature} were {instead} (it is missing)", { feature, instead });
    return say("{feature} were {instead} instead of {value}", { feature, instead, value });
  };
  const head = found.goal
    ? say("The prediction would be {label}, {goal}, if", { label: shown(found.decision), goal: found.goal })
    : say("The prediction would be {label} if", { label: shown(found.decision) });
  const parts = [node("p", head), node("ul", null, ...found.changes.map((change) => node("li", sentence(change))))];
  if (!found.changes.some((change) => change.is_word)) {
    const button = node("button", say("Make these changes"));
    button.type = "button";
    button.addEventListener("click", () => {
      keep();
      setRow({ ...state.row, ...Object.fromEntries(found.changes.map((change) => [change.feature, change.instead])) });
    });
    parts.push(button);
  }
  $("change").replaceChildren(...parts);
}

function keep() {
  state.kept = { row: { ...state.row }, answer: state.answer };
  showRow();
  showCompared();
}

// -- watching ------------------------------------------------------------------------------------------------------
async function look() {
  try { showWatch(await ask(address("seen"))); } catch (error) { trouble(error); }
}

function showWatch(seen) {
  if (!seen.rows) return $("watch").replaceChildren(node("p", say("No rows yet.")));
  const parts = [node("p", say("Rows so far: {n:,}", { n: seen.rows }))];
  const counted = (name, count, chosen) => ({ name, size: count, of: seen.rows, chosen, numbers: [shown(count), percent(count / seen.rows)] });
  const classes = Object.entries(seen.classes).filter(([name]) => name !== "");
  if (classes.length) parts.push(barTable([say("Class"), null, say("Rows"), say("Share")], classes.map(([name, count]) => counted(name, count, true))));
  const kinds = [
    [say("missing values"), seen.missing],
    [say("categories not seen in training"), seen.unseen],
    [say("numbers outside the training range"), seen.outside],
  ].map(([name, found]) => counted(name, found.rows, false));
  parts.push(barTable([say("Rows with"), null, say("Rows"), say("Share")], kinds));
  parts.push(node("h3", say("Drift from the training set, last {n:,} {n:row|rows}", { n: seen.window })));
  const columns = Object.entries(seen.drift);
  if (seen.predictions?.drift) columns.unshift([say("Predicted number"), seen.predictions.drift]);
  if (columns.length) {
    const severities = { high: say("strong drift"), medium: say("moderate drift") };
    const measures = { ks: say("Kolmogorov–Smirnov distance"), psi: say("population stability index") };
    const rows = columns.map(([name, drift]) => ({
      name: drift.severity ? `${name} · ${severities[drift.severity]}` : name, size: drift.value, of: Math.max(1, ...columns.map((each) => each[1].value)),
      chosen: drift.severity !== null, numbers: [measures[drift.measure], number(drift.value, ".3f")],
    }));
    parts.push(barTable([say("Column"), null, say("Measure"), ""], rows));
  } else parts.push(node("p", seen.profile
    ? say("Drift is measured from 50 rows on.")
    : say("This model file has no statistics of its training set. Train it again to measure drift.")));
  if (seen.predictions) parts.push(...predictedNumbers(seen.predictions));
  else if (state.model.classes === null) parts.push(node("p", say("This model file has no predictions of an evaluation. Train it with --folds 10 or --holdout 0.3 to measure the drift of the predicted numbers.")));
  $("watch").replaceChildren(...parts);
}

function predictedNumbers({ edges, expected, window }) {
  const total = (counts) => counts.reduce((sum, count) => sum + count, 0);
  const [seen, known] = [Math.max(total(window), 1), Math.max(total(expected), 1)];
  const most = Math.max(...window.map((count) => count / seen), ...expected.map((count) => count / known));
  const range = (at) => (at < edges.length ? say("up to {number}", { number: brief(edges[at]) }) : say("more than {number}", { number: brief(edges[at - 1]) }));
  const rows = window.map((count, at) => ({ name: range(at), size: count / seen, of: most, chosen: true, numbers: [percent(count / seen), percent(expected[at] / known)] }));
  return [
    node("h3", say("Predicted numbers")),
    barTable([say("Predicted number"), null, say("Share of the last rows"), say("Share in the evaluation")], rows),
  ];
}

// -- beginning -----------------------------------------------------------------------------------------------------
async function choose(name, row) {
  state.model = state.models.find((each) => each.name === name) ?? state.models[0];
  state.kept = null;
  $("model").value = state.model.name;
  state.schema = await ask(address("schema"));
  const { learner, training_rows: rows, target, classes } = state.model;
  const labels = classes ? `${classes.slice(0, 8).join(", ")}${classes.length > 8 ? ", …" : ""}` : "";
  const what = target ?? (classes ? say("the class: {labels}", { labels }) : "");
  $("title").textContent = state.model.name;
  document.title = `${state.model.name} · vaglio`;
  $("about").textContent = rows === null
    ? say("{learner}, predicts {what}", { learner, what })
    : say("{learner}, trained on {n:,} {n:row|rows}, predicts {what}", { learner, n: rows, what });
  buildForm();
  setRow(row);
  look();
}

async function begin() {
  const found = recalled();
  try {
    state.models = (await ask("models")).models;
    $("model").replaceChildren(...state.models.map((each) => new Option(each.name, each.name)));
    trouble(null);
    await choose(found.model, found.row);
  } catch (error) { trouble(error); }
}

$("model").addEventListener("change", () => choose($("model").value, {}).catch(trouble));
$("language").addEventListener("change", () => location.assign(`?lang=${$("language").value}${location.hash}`));
$("access").addEventListener("submit", (event) => { event.preventDefault(); state.token = $("token").value.trim(); sessionStorage.setItem("vaglio-token", state.token); begin(); });
$("row").addEventListener("submit", (event) => event.preventDefault());
$("usual").addEventListener("click", () => setRow({}));
$("keep").addEventListener("click", keep);
$("look").addEventListener("click", look);
$("link").addEventListener("click", async () => {
  remember();
  try { await navigator.clipboard.writeText(location.href); $("copied").textContent = say("Link copied."); } catch { $("copied").textContent = say("The link is in the address bar."); }
});
window.addEventListener("hashchange", begin);
begin();
