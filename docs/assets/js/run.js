// Each block of Python can be run, changed and set back where it stands, and the page can be checked.
const { runtime, library, book, size, path, lang, say, keywords, builtins } = JSON.parse(document.querySelector("#python").textContent);
const words = (text, ...values) => text.replace(/{}/g, () => values.shift());

// ---- The worker: one order at a time

let worker, doing, last, wish;

function order(what, from) {
  from.unread = false;
  const unread = what.codes && [...blocks.values()].find((block) => block.unread);
  if (unread) return unread.edits.focus(), from.note.textContent = words(say.unread, unread.number);
  if (doing && (from.figure || doing.from.figure)) wish = [what, from], from.note.textContent = from === doing.from ? "" : say.waits;
  else if (doing) from.note.textContent = words(say.busy, doing.from.note.parentNode.ariaLabel);
  if (doing) return;
  doing = { ...what, from };
  last = from;
  from.busy(true);
  if (!worker) begin();
  worker.postMessage(JSON.stringify(what));
}

function begin() {
  const mine = worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.name = `python ${Math.random()}`;
  worker.onmessage = ({ data }) => hear(JSON.parse(data));
  worker.gone = () => mine === worker && end(say.closed);
  worker.onerror = (event) => event.preventDefault() || end(event.message ?? say.absent);
  const [from, ...zips] = [runtime, library, book].map((each) => new URL(each, location).href);
  worker.postMessage({ runtime: from, library: zips[0], book: zips[1], path, lang, name: worker.name });
}

function end(why) {
  worker?.terminate();
  worker = null;
  last.note.textContent = why === say.stopped ? why : words(say.ended, why);
  idle();
}

// What a button does that starts and stops; a double click is one.
const starts = (from, start) => ({ detail }) => detail > 1 || (doing?.from === from ? end(say.stopped) : start());

function idle() {
  doing?.from.busy(false);
  for (const { note } of [top, doing?.from ?? top, ...blocks.values()]) if (note.textContent === say.running) note.textContent = "";
  doing = null;
  const next = wish;
  wish = null;
  if (next) order(...next);
}

function hear(message) {
  const { from } = doing ?? {};
  if (message.locked) navigator.locks.request(worker.name, worker.gone);    // granted when it lives no more
  else if (message.loaded) from.note.textContent = words(say.loading, ...[message.loaded, size].map((n) => (n / 1e6).toFixed(1)));
  else if (message.ready) from.note.textContent = say.running;
  else if (message.fatal) end(/mem|lost/i.test(message.fatal) ? say.memory : message.fatal);
  else if (message.done) idle();
  else if (message.into) (document.getElementById(message.into) ?? {}).innerHTML = message.html;
  else if (!((message.checked ? Infinity : message.n) >= doing?.stale)) (blocks.get(message.n) ?? from)?.hear(message);
}

// ---- What the reader has changed is kept in this browser

const MINE = `book ${path}`, TURN = "book turn";
const kept = (where = MINE) => { try { return JSON.parse(localStorage[where]) ?? {}; } catch { return {}; } };

function keep(n, what, where = MINE) {
  try {
    const { [n]: before, ...all } = kept(where);    // another tab may have kept some
    if (what) all[n] = what;
    if (Object.keys(all).length) localStorage[where] = JSON.stringify(all);
    else delete localStorage[where];
  } catch { /* a browser that keeps nothing */ }
}

const codes = () => Object.fromEntries([...blocks.values()].filter((block) => block.changed).map((block) => [block.n, block.code]));

// ---- Pygments' names for what is typed

const TOKENS = new RegExp([
  /(?<gp>^(?:>>>|\.\.\.)(?: |$))/, /(?<c1>#.*)/, /(?<s2>[rbfRBF]*(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
  /(?<mi>\b\d[\d_.]*(?:[eE][+-]?\d+)?)/, { source: `(?<k>\\b(?:${keywords})\\b)|(?<nb>\\b(?:${builtins})\\b)` }, /(?<n>[A-Za-z_]\w*)/, /(?<o>[-+*/%@<>=!|&^~]+)/,
].map((each) => each.source).join("|"), "gm");

function coloured(code, session) {
  const escaped = (text) => text.replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;"));
  const colour = (text) => {
    let end = 0, html = "";
    for (const found of text.matchAll(TOKENS)) {
      const [name] = Object.entries(found.groups).find(([, value]) => value !== undefined);
      html += `${escaped(text.slice(end, found.index))}<span class="${name}">${escaped(found[0])}</span>`;
      end = found.index + found[0].length;
    }
    return html + escaped(text.slice(end));
  };
  if (!session) return colour(code);
  return code.split("\n").map((line) => (/^(>>>|\.\.\.)/.test(line) ? colour(line) : `<span class="go">${escaped(line)}</span>`)).join("\n");
}

// ---- A block

class Block {
  constructor(root) {
    this.root = root;
    this.n = +root.dataset.block;
    this.number = this.n + 1 || root.dataset.turn;
    this.session = root.matches(".language-pycon");
    this.view = root.querySelector("code");
    this.shown = this.view.innerHTML;
    this.code = this.original = this.view.textContent.replace(/\n$/, "");
    root.insertAdjacentHTML("afterend", say.tools.replace(/{}/g, this.number));
    const bar = root.nextSibling;
    [this.runs, this.edits, this.copies, this.unfolds, this.resets, this.links] = bar.querySelectorAll("button");
    this.note = bar.lastChild;
    this.out = bar.nextSibling;
    this.out.dataset.of = this.n;
    this.runs.textContent = this.go;
    this.runs.onclick = starts(this, () => this.run());
    this.edits.onclick = () => (this.area ? this.close() : this.edit());
    this.resets.onclick = () => { this.close(); this.set(this.foreign && kept()[this.n]?.[1] || this.original); this.edits.focus(); };
    this.links.onclick = () => this.copy(this.link(), say.linked);
    this.unfolds.onclick = () => this.reveal?.() || order({ do: "unfold", n: this.n, codes: codes() }, this);
    this.copies.onclick = () => this.copy(this.bare(), say.copied);
    this.copies.hidden = !navigator.clipboard;
    this.mark();
    this.clear();
    if ("predict" in root.dataset) this.ask();
  }

  get go() { return say.run; }

  get changed() { return this.code !== this.original; }

  set(code, foreign = false) {                  // clears what depends on it, here and below
    this.code = code;
    this.foreign = this.unread = foreign && this.changed;
    if (doing) doing.stale = Math.min(this.n, doing.stale ?? this.n);
    this.reveal?.();
    if (!this.area) this.view.innerHTML = this.changed ? coloured(code, this.session) : this.shown;
    this.mark();
    for (const [n, block] of blocks) if (n >= this.n) block.clear();
    top.note.textContent = "";
    bar.classList.remove("holds");
    if (!foreign) this.keep();
  }

  keep() { keep(this.n, this.changed && [this.original, this.code]); }

  mark() {
    this.root.classList.toggle("changed", this.changed);
    this.resets.hidden = !this.changed;
    this.links.hidden = !this.changed || this.copies.hidden || isNaN(this.n);
    forget.hidden = !Object.keys(codes()).length;
  }

  clear() {
    this.out.hidden = true;
    this.out.textContent = "";
    delete this.root.dataset.state;
    this.ticks = [];
    for (const tick of this.view.querySelectorAll(".tick")) tick.remove();
    this.note.textContent = "";
    this.unfolds.hidden = true;
  }

  bare() { return this.session ? this.code.split("\n").filter((line) => /^(>>>|\.\.\.)/.test(line)).map((line) => line.slice(4)).join("\n") : this.code; }

  link() {
    const bytes = new TextEncoder().encode(JSON.stringify([this.n, this.code]));
    return `${location.href.split("#")[0]}#run=${encodeURIComponent(btoa(String.fromCharCode(...bytes)))}`;
  }

  async copy(text, done) {
    await navigator.clipboard.writeText(text);
    this.note.textContent = done;
  }

  // Running

  run() {
    this.reveal?.();
    order({ do: "run", n: this.n, codes: codes() }, this);
  }

  busy(on) {
    this.runs.textContent = on ? say.stop : this.go;
    this.root.classList.toggle("busy", on);
    if (on) this.note.textContent = worker ? say.running : say.starting;
  }

  hear({ state, fresh, text, error, html, note, ticks, guessed, right }) {
    if (state === "running") this.clear(), this.note.textContent = say.running;
    if (fresh) this.out.textContent = "";
    if (text) this.put("pre", { textContent: text });
    if (html) this.put("div", { innerHTML: html });
    if (error) this.put("pre", { className: "error", textContent: error });
    if (state) this.root.dataset.state = state, this.unfolds.hidden = !this.session || state === "running";
    if (note) this.note.textContent = note;
    if (ticks) this.ticks = ticks, this.tick();
    if (guessed) this.guessed.innerHTML = guessed, right && this.reveal?.();
  }

  put(tag, properties) {
    this.out.hidden = false;
    const last = this.out.lastChild;
    if (last?.tagName === "PRE" && tag === "pre" && !properties.className) last.append(properties.textContent);
    else this.out.append(Object.assign(document.createElement(tag), properties));
  }

  tick() {
    if (this.area) return;
    const lines = this.view.innerHTML.split("\n");
    for (const [n, holds] of this.ticks) lines[n] += `<span class="tick ${holds ? "holds" : "differs"}" role="img" aria-label="${holds ? say.holds : say.differs}"></span>`;
    this.view.innerHTML = lines.join("\n");
  }

  // Editing: a text area over the coloured code

  edit() {
    this.reveal?.();
    for (const tick of this.view.querySelectorAll(".tick")) tick.remove();
    this.view.innerHTML = words(say.editor, this.number);
    [this.paint, this.area] = this.view.children;
    this.area.value = this.code;
    this.root.classList.add("editing");
    this.area.oninput = () => { this.set(this.area.value); this.draw(); };
    this.area.onkeydown = (event) => event.isComposing || this.key(event);
    this.edits.textContent = say.close;
    this.draw();
    this.area.focus();
    this.area.setSelectionRange(0, 0);
  }

  draw() { this.paint.innerHTML = `${coloured(this.code, this.session)} `; }

  close() {
    if (!this.area) return;
    this.area = null;
    this.root.classList.remove("editing");
    this.view.innerHTML = this.changed ? coloured(this.code, this.session) : this.shown;
    this.tick();
    this.edits.textContent = say.edit;
    this.edits.focus();
  }

  key(event) {
    const type = (text) => document.execCommand("insertText", false, text);    // which can be undone
    const { key, shiftKey } = event, command = event.ctrlKey || event.metaKey, area = this.area;
    const before = area.value.slice(0, area.selectionStart), line = before.slice(before.lastIndexOf("\n") + 1);
    if (key === "Escape") this.close();
    else if (key === "Enter" && (command || shiftKey)) { this.run(); if (shiftKey) this.next(); }
    else if (key === "Enter") {
      const more = !this.session || /^>>> .*[:(,[{]$|^\.\.\. *\S/.test(line);
      type(`\n${more ? (this.session ? "... " : "") + line.match(/^(?:>>> |\.\.\. )?(\s*)/)[1] : ">>> "}${/:$/.test(line) ? "    " : ""}`);
    }
    else if (key === "Tab" && !command && !event.altKey && !shiftKey) type("    ");
    else return;
    event.preventDefault();
  }

  next() {
    const next = blocks.get(this.n + 1);
    (next?.area ?? next?.runs)?.focus();
  }

  // A guess, before the answer is shown

  ask() {
    let each = [...this.view.querySelectorAll(".gp")].pop();
    while (each = each.nextSibling) each.hidden = each.className === "go";
    this.root.insertAdjacentHTML("beforeend", say.predict);
    const form = this.root.lastChild, guess = form.querySelector("input");
    form.onsubmit = (event) => {
      event.preventDefault();
      order({ do: "guess", n: this.n, guess: guess.value }, this);
    };
    form.querySelector(".show").onclick = () => { this.reveal(); guess.focus(); };
    this.guessed = form.lastChild;
    this.reveal = () => { for (const each of this.view.querySelectorAll("[hidden]")) each.hidden = false; guess.readOnly = true; for (const each of form.querySelectorAll("button")) each.remove(); this.reveal = null; };
  }
}

// ---- The reader's turn: what is written is kept for all pages, and graded

class Turn extends Block {
  get go() { return say.grade; }

  get name() { return this.root.dataset.turn; }

  run() {
    this.clear();
    order({ do: "turn", step: +this.root.dataset.step, written: { [this.name]: this.code, ...kept(TURN) } }, this);
  }

  keep() {
    keep(this.name, this.changed && this.code, TURN);
    this.clear();
  }

  hear(message) {
    super.hear(message);
    if (message.passed) keep(Math.abs(message.passed), message.passed > 0, TURN);
  }
}

// ---- The whole page

document.querySelector("article h1").insertAdjacentHTML("afterend", say.page);
const bar = document.querySelector(".tools.page"), [check, forget] = bar.querySelectorAll("button");
const top = {
  note: bar.lastChild,
  busy(on) {
    check.textContent = on ? say.stop : say.check;
    if (on) this.note.textContent = worker ? say.running : say.starting;
  },
  hear({ error, checked = error, holds = false }) {
    if (checked) this.note.textContent = checked, bar.classList.toggle("holds", holds);
  },
};
const blocks = new Map();
for (const root of document.querySelectorAll("[data-block]")) blocks.set(+root.dataset.block, new Block(root));
check.onclick = starts(top, () => order({ do: "check", codes: codes() }, top));
forget.onclick = () => { for (const block of blocks.values()) if (block.changed) block.close(), block.set(block.original); check.focus(); };

for (const [n, each] of Object.entries(kept())) if (blocks.get(+n)?.original === each?.[0]) blocks.get(+n)?.set(`${each[1]}`);

function follow() {
  try {
    const [n, code] = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(decodeURIComponent(location.hash.slice(5))), (c) => c.charCodeAt()))), block = blocks.get(n);
    block.close();
    block.set(code.trimEnd(), true);
    block.note.textContent = say.foreign;
    (block.root.closest("details") ?? {}).open = true;
    block.root.scrollIntoView();
  } catch { /* no link to a block */ }
}
follow();
addEventListener("hashchange", follow);
const written = kept(TURN);
for (const root of document.querySelectorAll("[data-turn]")) {
  const turn = new Turn(root);
  turn.set(written[turn.name] ?? turn.code);
}
for (const lamp of document.querySelectorAll(".lamps li")) if (written[lamp.dataset.step]) {
  lamp.className = "passed";
  lamp.lastChild.textContent = say.passed;
}

// ---- A figure's form: what is typed goes to Python, and other steps come back

for (const form of document.querySelectorAll("form.inputs")) {
  const player = form.closest("step-player"), { list } = player, note = form.lastChild, first = list.innerHTML;
  let timer;
  const show = (html) => {
    player.pause();
    list.innerHTML = html;
    player.renew(player.at);
    for (const code of list.querySelectorAll("code")) if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;    // as the theme does
    player.tell();
  };
  const from = {
    note, figure: true,
    busy(on) { if (on && !worker) note.textContent = say.starting; },
    hear({ html, error = "" }) { if (html) show(html); note.textContent = error; },
  };
  const ask = () => order({ do: "figure", id: player.id, source: form.dataset.source, given: Object.fromEntries(new FormData(form)), codes: codes() }, from);
  form.oninput = form.onchange = form.onsubmit = (event) => {
    const { target, type } = event, slid = target.type === "range";
    event.preventDefault();
    clearTimeout(timer);
    if (slid) target.nextSibling.value = target.value;
    if (slid || type !== "input") timer = setTimeout(ask, 200);
  };
  form.onreset = () => {
    clearTimeout(timer);
    if (wish?.[1] === from) wish = null;
    if (doing?.from === from) end("");
    from.hear({ html: first });
  };
  form.hidden = false;
}

// ---- What the page's Python has put into the page asks it for more

let asking;
for (const type of ["focusin", "click"]) addEventListener(type, ({ target }) => {
  const asks = target.closest("[data-ask]");
  if (!asks || doing || asks === asking) return;
  asking = asks;
  for (const each of asks.parentNode.querySelectorAll("[data-ask]")) each.ariaExpanded = each === asks;
  order(JSON.parse(asks.dataset.ask), blocks.get(+asks.closest(".out").dataset.of));
});
