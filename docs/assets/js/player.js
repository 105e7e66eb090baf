// <step-player>: a figure in steps, one at a time. Without this script all steps are there, one below the other.
(() => {
  const given = document.querySelector("#player-words");
  if (!given) return;                           // a page without figures
  const say = JSON.parse(given.textContent);
  const words = (text, ...values) => text.replace(/{}/g, () => values.shift());
  const dwells = [2, 4, 8];
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function dress(button, name) {
    button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${say.icons[name]}"/></svg>`;
    button.setAttribute("aria-label", say[name]);
  }

  customElements.define("step-player", class extends HTMLElement {
    connectedCallback() {
      if (this.steps) return;
      this.figure = this.querySelector("figure");
      this.list = this.querySelector(".steps");
      this.list.before(this.controls());
      this.figure.append(this.spoken);
      this.addEventListener("keydown", (event) => this.key(event));
      for (const type of ["pointerover", "pointerout", "focusin", "focusout"])
        this.addEventListener(type, ({ target }) => this.light(type.endsWith("out") ? document.activeElement : target));
      new IntersectionObserver(([seen]) => seen.isIntersecting || this.pause()).observe(this.figure);
      document.addEventListener("visibilitychange", () => document.hidden && this.pause());
      addEventListener("hashchange", () => this.follow());
      this.classList.add("plays");
      this.renew(0);
      this.follow();
    }

    renew(at) {
      this.steps = [...this.list.children];
      this.slider.max = this.steps.length;
      for (const table of this.list.querySelectorAll("table")) table.querySelector("td:not(thead *)").tabIndex = 0;
      this.show(at);
    }

    controls() {
      const button = (name, onclick) => {
        const each = make("button", { type: "button", className: name, onclick });
        dress(each, name);
        return each;
      };
      this.previous = button("previous", () => this.go(this.at - 1));
      this.player = button("play", () => (this.timer ? this.pause() : this.play()));
      this.next = button("next", () => this.go(this.at + 1));
      this.slider = make("input", { type: "range", min: 1, ariaLabel: say.step,
        oninput: () => this.go(this.slider.value - 1) });
      this.count = make("a", { className: "count" });
      this.dwell = make("select", { ariaLabel: say.dwell, onchange: () => this.timer && this.wait() },
        ...dwells.map((s) => make("option", { value: s, textContent: words(say.seconds, s) })));
      this.dwell.value = still.matches ? 8 : 4;
      this.larger = button("enlarge", () => (this.dialog ? this.dialog.close() : this.enlarge()));
      this.spoken = make("p", { className: "for-ears", ariaLive: "polite" });
      return make("div", { className: "controls" },
        this.previous, this.player, this.next, this.slider, this.count, this.dwell, this.larger);
    }

    // Which step is shown

    show(at) {
      this.at = Math.max(0, Math.min(this.steps.length - 1, at));
      this.steps.forEach((step, i) => step.classList.toggle("shown", i === this.at));
      const where = words(say.at, this.at + 1, this.steps.length);
      this.slider.value = this.at + 1;
      this.slider.setAttribute("aria-valuetext", where);
      this.count.textContent = where;
      this.count.href = `#${this.steps[this.at].id}`;
      this.previous.setAttribute("aria-disabled", this.at === 0);
      this.next.setAttribute("aria-disabled", this.at === this.steps.length - 1);
    }

    go(at) {                                    // a step by hand ends the playing
      this.pause();
      this.show(at);
      this.tell();
      history.replaceState(history.state, "", this.count.href);    // for links and reloads
    }

    tell() {
      const [head, says] = this.steps[this.at].querySelectorAll(".head, .says");
      this.spoken.textContent = `${head.textContent}: ${says.textContent}`;
    }

    follow() {                                  // a link to a step of this figure
      const at = this.steps.findIndex((step) => `#${step.id}` === location.hash);
      if (at >= 0) this.pause(), this.show(at), this.scrollIntoView();
    }

    // Playing

    play() {
      this.spoken.ariaLive = "off";
      dress(this.player, "pause");
      if (this.at === this.steps.length - 1) this.show(0);
      this.wait();
    }

    wait() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.show(this.at + 1);
        if (this.at === this.steps.length - 1) this.pause();
        else this.wait();
      }, this.dwell.value * 1000);
    }

    pause() {
      clearTimeout(this.timer);
      this.timer = 0;
      this.spoken.ariaLive = "polite";
      dress(this.player, "play");
    }

    // Larger, on top of the page

    enlarge() {
      this.style.minHeight = `${this.offsetHeight}px`;      // its place is kept
      this.dialog = make("dialog", { ariaLabel: this.ariaLabel, onclose: () => this.reduce() }, this.figure);
      this.dialog.setAttribute("closedby", "any");
      this.append(this.dialog);
      dress(this.larger, "close");
      this.dialog.showModal();
      this.list.focus({ preventScroll: true });
      this.dialog.scrollTop = 0;
    }

    reduce() {
      this.prepend(this.figure);
      this.dialog.remove();
      this.dialog = this.style.minHeight = "";
      dress(this.larger, "enlarge");
      this.larger.focus();
    }

    // Keys: in a table they go from cell to cell, elsewhere from step to step

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const cell = event.target.closest("td"), typed = event.target.matches("button, input, select, a");
      const steps = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.steps.length - 1 };
      if (event.key === " " && (!typed || event.target === this.slider)) this.player.click();
      else if (cell && this.move(cell, event.key)) ;
      else if (event.key in steps && !event.target.matches("input, select")) this.go(steps[event.key]);
      else return;
      event.preventDefault();
    }

    move(cell, key) {
      const row = cell.parentNode, rows = [...row.parentNode.rows], i = rows.indexOf(row), j = cell.cellIndex;
      const to = { ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], ArrowUp: [i - 1, j], ArrowDown: [i + 1, j],
        Home: [i, 1], End: [i, row.cells.length - 1] }[key];
      if (!to) return false;
      const other = rows[to[0]]?.cells[to[1]];
      if (other?.matches("td")) {
        cell.tabIndex = -1;
        other.tabIndex = 0;
        other.focus();
      }
      return true;
    }

    // The row and column of a cell, and the line of code that made it

    light(target) {
      const cell = target?.closest?.("tbody td"), lit = new Set();
      if (cell) {
        const row = cell.parentNode, line = cell.dataset.line;
        for (const each of row.cells) lit.add(each);
        for (const each of cell.closest("table").rows) lit.add(each.cells[cell.cellIndex]);
        if (line) for (const each of cell.closest("li").querySelectorAll(`pre [data-line="${line}"]`)) lit.add(each);
      }
      for (const each of this.querySelectorAll(".lit")) lit.has(each) || each.classList.remove("lit");
      for (const each of lit) each.classList.add("lit");
    }
  });
})();
