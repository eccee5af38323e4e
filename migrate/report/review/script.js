"use strict";
const PREFIX = "estimator-migrate:";
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// Some browsers give a page from the disk no storage: ticks then last as long as the page.
const ticks = {
  get(key) { try { return localStorage.getItem(PREFIX + key) !== null; } catch { return false; } },
  set(key, on) {
    try {
      if (on) localStorage.setItem(PREFIX + key, "1");
      else localStorage.removeItem(PREFIX + key);
    } catch { /* The tick stays on the page. */ }
  },
};

const unpack = async text => {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

const box = finding => one("input", finding);
const visible = selector => all(selector).filter(element => !element.hidden && !element.closest("[hidden]"));

const count = () => {
  const findings = all(".finding");
  const done = findings.filter(finding => box(finding).checked).length;
  one("#progress").textContent = `${done} of ${findings.length} reviewed`;
  for (const file of all("details.file")) {
    const own = all(".finding", file);
    one(".done", file).textContent = `${own.filter(finding => box(finding).checked).length} of ${own.length} reviewed`;
  }
};

const filter = () => {
  const path = one("#path").value.toLowerCase();
  const rule = one("#rule").value;
  const results = new Set(all(".show:checked").map(input => input.value));
  const reviewed = one("#reviewed").checked;
  const everything = all(".show").length === results.size;
  for (const file of all("details.file")) {
    let shown = 0;
    for (const finding of all(".finding", file)) {
      const { rule: code, result } = finding.dataset;
      const fits = code ? (!rule || rule === code) && results.has(result) : !rule && everything;
      finding.hidden = !fits || (!reviewed && box(finding).checked);
      shown += !finding.hidden;
    }
    file.hidden = !shown || !file.dataset.path.toLowerCase().includes(path);
  }
};

const tick = (finding, on) => {
  box(finding).checked = on;
  finding.classList.toggle("ticked", on);
  ticks.set(box(finding).dataset.key, on);
  count();
  if (!one("#reviewed").checked) filter();
};

const go = (elements, current, by) => {
  if (!elements.length) return;
  const at = elements.indexOf(current);
  const next = elements[at < 0 ? (by > 0 ? 0 : elements.length - 1) : Math.min(Math.max(at + by, 0), elements.length - 1)];
  next.closest("details.file").open = true;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
};

const toCode = finding => {
  const file = finding.closest("details.file");
  const row = one(`tr[data-line="${finding.dataset.line}"]`, file);
  if (!row) return;
  for (const each of all("tr.at")) each.classList.remove("at");
  file.open = true;
  row.classList.add("at");
  row.scrollIntoView({ block: "center" });
};

const keys = {
  j: finding => go(visible(".finding"), finding, 1),
  k: finding => go(visible(".finding"), finding, -1),
  n: (finding, file) => go(visible("details.file").map(each => one("summary", each)), file && one("summary", file), 1),
  p: (finding, file) => go(visible("details.file").map(each => one("summary", each)), file && one("summary", file), -1),
  x: finding => finding && tick(finding, !box(finding).checked),
  c: finding => finding && toCode(finding),
  o: (finding, file) => { if (file) file.open = !file.open; },
  e: finding => { if (finding) one("a", finding).click(); },
  "/": () => one("#path").focus(),
  "?": () => one("#keys").showModal(),
};

document.addEventListener("keydown", event => {
  const typing = event.target.matches("select, input:not([type=checkbox])");
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || one("#keys").open) return;
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action(event.target.closest(".finding"), event.target.closest("details.file"));
});

const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target || target.tagName !== "DETAILS") return;
  target.open = true;
  one("summary", target).focus();
};

addEventListener("hashchange", openTarget);
// A link to the rule that the address names already is no change of the address.
document.addEventListener("click", event => { if (event.target.matches("a[href^='#']")) setTimeout(openTarget); });
addEventListener("beforeprint", () => all("details").forEach(each => { each.dataset.was = each.open; each.open = true; }));
addEventListener("afterprint", () => all("details").forEach(each => { each.open = each.dataset.was === "true"; }));

one("#help").addEventListener("click", keys["?"]);
for (const control of all("nav input, nav select")) control.addEventListener("input", filter);
for (const button of all(".count")) {
  button.addEventListener("click", () => {
    one("#rule").value = button.dataset.rule;
    for (const input of all(".show")) input.checked = input.value === button.dataset.result;
    filter();
    go(visible(".finding"), null, 1);
  });
}

unpack(one("#packed").textContent).then(files => {
  const main = one("#files");
  main.innerHTML = files.join("");
  for (const finding of all(".finding", main)) {
    const on = ticks.get(box(finding).dataset.key);
    box(finding).checked = on;
    finding.classList.toggle("ticked", on);
  }
  main.addEventListener("change", event => tick(event.target.closest(".finding"), event.target.checked));
  main.addEventListener("click", event => {
    if (!event.target.matches("b")) return;
    event.preventDefault();
    toCode(event.target.closest(".finding"));
  });
  count();
  main.removeAttribute("aria-busy");
  openTarget();
});
