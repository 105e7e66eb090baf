// The page's Python: CPython in a worker, so that the page stays alive whatever its code does.
let page, starting, alive;
const say = (words) => postMessage(JSON.stringify(words));

onmessage = async ({ data }) => {
  try {
    if (data.runtime) return starting = start(data);
    await starting;
    page.ask(data);
  } catch (error) {
    say({ fatal: String(error.message || error) });
  }
};

async function start({ runtime, library, book, path, lang, name }) {
  navigator.locks?.request(name, () => {    // by which the page knows whether this lives
    say({ locked: true });
    return new Promise((never) => { alive = never; });
  });
  const [readyLibrary, readyBook] = await Promise.all([library, book].map(kept)).catch(() => []);
  if (!readyLibrary) self.fetch = counting(self.fetch);
  const bookFile = readyBook ?? fetch(book);
  const { loadPyodide, version } = await import(`${runtime}pyodide.mjs`);
  const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2", version };
  const python = await loadPyodide({
    indexURL: runtime,
    packageBaseUrl: runtime,
    lockFileContents: JSON.stringify({ info, packages: {} }),
    stdLibURL: readyLibrary ? URL.createObjectURL(readyLibrary) : library,
    fsInit: async (files) => files.writeFile("/book.zip", new Uint8Array(await (await bookFile).arrayBuffer())),
    env: { PYTHONPATH: "/book.zip" },
  });
  page = python.pyimport("weave.page");
  page.tell = (words) => postMessage(words);
  page.start("/book.zip", path, lang);
  say({ ready: true });
  if (!readyBook) setTimeout(() => keep(python, { library, book }).catch(() => {}), 3000);    // in vain where nothing may be kept
}

// What the library and the book compile to is made once, in an idle moment after the first run, and
// kept in this browser: later pages start several times as fast.
const KEPT = "book-python";
const kept = async (url) => (await (await caches.open(KEPT)).match(url))?.blob();

async function keep(python, { library, book }) {
  const store = await caches.open(KEPT), compiled = python.pyimport("weave.pyc").compiled;
  for (const old of await store.keys()) if (![library, book].includes(old.url)) await store.delete(old);
  for (const [url, path] of [[library, "/lib/python314.zip"], [book, "/book.zip"]]) {
    if (await store.match(url)) continue;
    const steps = compiled(path);
    let step;
    do await new Promise((resume) => setTimeout(resume)); while (!(step = steps.next()).done);
    await store.put(url, new Response(step.value.toJs()));
  }
}

// Tells how many bytes have come. A copy is counted: of a response as it came over the network the
// browser keeps the machine code too.
function counting(fetch, loaded = 0) {
  const write = (chunk) => say({ loaded: loaded += chunk.length });
  return async (...request) => {
    const response = await fetch(...request);
    response.clone().body.pipeTo(new WritableStream({ write }));
    return response;
  };
}
