"use strict";
// The description of the interface (openapi.json) as a page.
const $ = (id) => document.getElementById(id);

function node(tag, text, ...children) {
  const made = document.createElement(tag);
  if (text !== null && text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

function example(path, method, operation) {
  const words = [`curl ${new URL(path.slice(1), document.baseURI).href}`];
  const content = operation.requestBody?.content ?? {};
  const media = Object.keys(content)[0];
  if (method === "post" && media) {
    words.push(`  -H 'Content-Type: ${media}'`);
    words.push(`  -d '${JSON.stringify(content[media].example).replaceAll("'", "'\\''")}'`);
  }
  return words.join(" \\\n");
}

function headersOf(media) {
  const token = sessionStorage.getItem("vaglio-token");
  const known = { "Accept-Language": WORDS.lang, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  return media ? { ...known, "Content-Type": media } : known;
}

const field = (label, input) => node("p", null, node("label", label, input));

// A form that sends one request and shows the answer.
function trial(path, method, operation) {
  const media = Object.keys(operation.requestBody?.content ?? {})[0];
  const form = node("form", null);
  form.className = "trial";
  const inputs = [...path.matchAll(/\{(\w+)\}/g)].map(([whole, name]) => {
    const known = operation.parameters?.find((each) => each.name === name);
    const input = node("input", null);
    input.required = true;
    input.value = known?.example ?? known?.schema?.enum?.[0] ?? "";
    form.append(field(name, input));
    return [whole, input];
  });
  const body = node("textarea", null);
  if (media) {
    const shown = operation.requestBody.content[media].example;
    body.value = typeof shown === "string" ? shown : JSON.stringify(shown, null, 2);
    body.rows = Math.min(12, body.value.split("\n").length + 1);
    form.append(field(say("Body"), body));
  }
  const answer = node("pre", null);
  answer.setAttribute("role", "status");
  answer.hidden = true;
  form.append(node("button", say("Try it")), answer);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const address = inputs.reduce((known, [whole, input]) => known.replace(whole, encodeURIComponent(input.value)), path.slice(1));
    answer.hidden = false;
    answer.textContent = "…";
    try {
      const found = await fetch(address, { method: method.toUpperCase(), headers: headersOf(media), body: media ? body.value : undefined });
      const text = await found.text();
      const isJson = (found.headers.get("content-type") ?? "").includes("json");
      answer.textContent = `${found.status} ${found.statusText}\n${isJson && text ? JSON.stringify(JSON.parse(text), null, 2) : text}`;
    } catch (error) {
      answer.textContent = String(error);
    }
  });
  return form;
}

function described(path, method, operation) {
  const summary = node("summary", null, node("b", method.toUpperCase()), node("code", path), ` ${operation.summary}`);
  const parts = [summary];
  if (operation.description) parts.push(node("p", operation.description));
  const media = Object.keys(operation.requestBody?.content ?? {});
  if (media.length) parts.push(node("p", say("Body: {types}", { types: media.join(", ") })));
  if (method !== "get" || !path.includes("{")) parts.push(node("pre", example(path, method, operation)));
  const statuses = Object.entries(operation.responses).map(([status, answer]) => node("li", null, node("code", status), ` ${answer.description}`));
  parts.push(node("ul", null, ...statuses), trial(path, method, operation));
  return node("details", null, ...parts);
}

async function begin() {
  const answer = await fetch("openapi.json", { headers: headersOf() });
  const data = await answer.json();
  $("access").hidden = answer.status !== 401;
  $("trouble").hidden = answer.ok;
  if (!answer.ok) { $("trouble").textContent = data.detail; return; }
  $("about").textContent = data.info.description;
  const groups = new Map(data.tags.map((tag) => [tag.name, [node("h2", tag.name), node("p", tag.description)]]));
  for (const [path, methods] of Object.entries(data.paths)) {
    for (const [method, operation] of Object.entries(methods)) groups.get(operation.tags[0]).push(described(path, method, operation));
  }
  $("paths").replaceChildren(...[...groups.values()].map((parts) => node("section", null, ...parts)));
}

$("access").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("vaglio-token", $("token").value.trim());
  begin();
});
begin();
