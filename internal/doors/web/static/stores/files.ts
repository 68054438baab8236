// Files that wait in the browser, of a draft or of a message that errand does not have yet.
// localStorage has no room for them; IndexedDB has.

const store = "files";
const longest = 30 * 24 * 3600 * 1000; // milliseconds, as of a draft

// A WaitingFile is one that errand does not have yet: data is what is in it, in base64.
export interface WaitingFile {
  name: string;
  data: string;
}

let opened: Promise<IDBDatabase> | null = null;
const database = () => opened ??= new Promise<IDBDatabase>((resolve, reject) => {
  const request = indexedDB.open("errand", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(store);
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

async function run<T>(mode: IDBTransactionMode, what: (store: IDBObjectStore) => Pick<IDBRequest<T>, "result">) {
  const transaction = (await database()).transaction(store, mode), request = what(transaction.objectStore(store));
  return new Promise<T>((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

// keepFiles keeps files under a key in place of those
// that are there. What comes of it is told in the console only: without room, or where the
// browser keeps nothing, they are on this page.
export async function keepFiles(key: string, files: WaitingFile[]) {
  try {
    await run<unknown>("readwrite", at => files?.length ? at.put({files, at: Date.now()}, key) : at.delete(key));
    return true;
  } catch (error) {
    if (files?.length) console.warn("Files are kept on this page only:", error);
    return false;
  }
}

// keptFiles are those under a key; none where there are none.
export async function keptFiles(key: string): Promise<WaitingFile[]> {
  try {
    const found = await run("readonly", at => at.get(key));
    const good = (file?: Partial<WaitingFile>) => typeof file?.name === "string" && typeof file?.data === "string";
    return found && Date.now() - found.at < longest && Array.isArray(found.files) ? found.files.filter(good) : [];
  } catch {
    return [];
  }
}

// sweepFiles forgets those of a kind, by the beginning of their keys, that nobody waits for.
export async function sweepFiles(prefix: string, waits: (key: string) => boolean) {
  try {
    for (const key of await run("readonly", at => at.getAllKeys())) if (typeof key === "string" && key.startsWith(prefix) && !waits(key)) await keepFiles(key, []);
  } catch {
    // There are none.
  }
}
