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

function described(path, method, operation) {
  const summary = node("summary", null, node("b", method.toUpperCase()), node("code", path), ` ${operation.summary}`);
  const parts = [summary];
  if (operation.description) parts.push(node("p", operation.description));
  const media = Object.keys(operation.requestBody?.content ?? {});
  if (media.length) parts.push(node("p", say("Body: {types}", { types: media.join(", ") })));
  if (method !== "get" || !path.includes("{")) parts.push(node("pre", example(path, method, operation)));
  const statuses = Object.entries(operation.responses).map(([status, answer]) => node("li", null, node("code", status), ` ${answer.description}`));
  parts.push(node("ul", null, ...statuses));
  return node("details", null, ...parts);
}

async function begin() {
  const token = sessionStorage.getItem("vaglio-token");
  const headers = { "Accept-Language": WORDS.lang, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch("openapi.json", { headers });
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
