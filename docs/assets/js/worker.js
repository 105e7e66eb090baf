// The page's Python: CPython in a worker, so that the page stays alive whatever the reader's code does.
let page, start, alive;

onmessage = async ({ data }) => {
  try {
    if (page) page.ask(data);
    else if (data.runtime) start = begin(data);
    else (await start, page.ask(data));
  } catch (error) {
    postMessage(JSON.stringify({ fatal: String(error.message || error) }));
  }
};

async function begin({ runtime, library, book, path, lang, name }) {
  navigator.locks?.request(name, () => {
    postMessage({ locked: true });
    return new Promise((never) => { alive = never; });
  });
  const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
  const lock = { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2", version: "314.0.7" }, packages: {} };
  const python = await loadPyodide({ indexURL: runtime, stdLibURL: library, lockFileContents: JSON.stringify(lock), packageBaseUrl: runtime });
  python.unpackArchive(await (await fetch(book)).arrayBuffer(), "zip", { extractDir: "/book" });
  python.runPython("import sys; sys.path.insert(0, '/book')");
  page = python.pyimport("weave.page");
  page.tell = (words) => postMessage(words);
  page.start("/book", path, lang);
  postMessage(JSON.stringify({ ready: true }));
}
