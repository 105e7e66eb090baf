// The page's Python: CPython in a worker, so that the page stays alive whatever its code does.
let page, starting, alive;
const say = (words) => postMessage(JSON.stringify(words));

onmessage = async ({ data }) => {
  try {
    if (data.runtime) return starting = start(data);
    await starting;
    page.ask(data);
  } catch (error) {
    say({ fatal: String(error.message || error).trim().split("\n").pop() });
  }
};

async function start({ runtime, library, book, path, lang, name }) {
  navigator.locks?.request(name, () => {    // by which the page knows whether this lives
    say({ locked: true });
    return new Promise((never) => { alive = never; });
  });
  self.fetch = careful(self.fetch);
  const bytes = fetch(book).then((response) => response.arrayBuffer());
  const { loadPyodide, version } = await import(`${runtime}pyodide.mjs`);
  const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2", version };
  const python = await loadPyodide({
    indexURL: runtime,
    packageBaseUrl: runtime,
    lockFileContents: JSON.stringify({ info, packages: {} }),
    stdLibURL: library,
    fsInit: async (files) => files.writeFile("/book.zip", new Uint8Array(await bytes)),
    env: { PYTHONPATH: "/book.zip" },
  });
  page = python.pyimport("weave.page");
  page.tell = (words) => postMessage(words);
  page.start("/book.zip", path, lang);
  say({ ready: true });
  setTimeout(() => keep(python, { library, book }).catch(() => {}), 3000);    // in vain where nothing may be kept
}

// What the library and the book compile to is made once, in an idle moment after the first run, and
// kept in this browser: later pages start several times as fast.
const store = self.caches?.open("book-python").catch(() => undefined);
const pause = () => new Promise((resume) => setTimeout(resume));

async function keep(python, { library, book }) {
  const kept = await store, here = new URL(".", book).href;
  if (!kept) return;
  for (const { url } of await kept.keys()) if (url.startsWith(here) && url !== library && url !== book) await kept.delete(url);
  for (const [url, path] of [[library, "/lib/python314.zip"], [book, "/book.zip"]]) {
    if (await kept.match(url)) continue;
    const steps = python.pyimport("weave.pyc").compiled(path);
    let step = steps.next();
    for (; !step.done; step = steps.next()) await pause();
    await kept.put(url, new Response(step.value.toJs()));
  }
}

// fetch, which looks first at what is kept, and tells how many bytes have come over the network. It
// counts a copy: the machine code of what it came in itself is kept by the browser.
function careful(fetch, loaded = 0) {
  const write = (chunk) => say({ loaded: loaded += chunk.length });
  const fail = (error) => { say({ fatal: error.message }); throw error; };    // Pyodide would wait for ever
  return async (url, options) => {
    const kept = await (await store)?.match(url);
    if (kept) return kept;
    const response = await fetch(url, options).catch(fail);
    if (!response.ok) fail(new Error(`${url}: ${response.status}`));
    response.clone().body.pipeTo(new WritableStream({ write })).catch(fail);
    return response;
  };
}
