// Files that wait in the browser, of a draft or of a message that errand does not have yet.
// localStorage has no room for them; IndexedDB has.

const store = "files";
const longest = 30 * 24 * 3600 * 1000; // milliseconds, as of a draft

let opened = null;
const database = () => opened ??= new Promise((resolve, reject) => {
  const request = indexedDB.open("errand", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(store);
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

async function run(mode, what) {
  const transaction = (await database()).transaction(store, mode), request = what(transaction.objectStore(store));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

// keepFiles keeps files, {name, data} with data in base64, under a key in place of those
// that are there. What comes of it is told in the console only: without room, or where the
// browser keeps nothing, they are on this page.
export async function keepFiles(key, files) {
  try {
    await run("readwrite", at => files?.length ? at.put({files, at: Date.now()}, key) : at.delete(key));
    return true;
  } catch (error) {
    if (files?.length) console.warn("Files are kept on this page only:", error);
    return false;
  }
}

// keptFiles are those under a key; none where there are none.
export async function keptFiles(key) {
  try {
    const found = await run("readonly", at => at.get(key));
    const good = file => typeof file?.name === "string" && typeof file.data === "string";
    return found && Date.now() - found.at < longest && Array.isArray(found.files) ? found.files.filter(good) : [];
  } catch {
    return [];
  }
}

// sweepFiles forgets those of a kind, by the beginning of their keys, that nobody waits for.
export async function sweepFiles(prefix, waits) {
  try {
    for (const key of await run("readonly", at => at.getAllKeys())) if (key.startsWith(prefix) && !waits(key)) await keepFiles(key, []);
  } catch {
    // There are none.
  }
}
