/**
 * A storage as browsers have it, over a map.
 * @param {Record<string, string>} [start]
 */
export function storage(start = {}) {
  const map = new Map(Object.entries(start));
  return {
    map,
    /** @param {string} key */
    getItem: (key) => map.get(key) ?? null,
    /** @param {string} key @param {string} value */
    setItem: (key, value) => void map.set(key, String(value)),
    /** @param {string} key */
    removeItem: (key) => void map.delete(key),
    /** @param {number} index */
    key: (index) => [...map.keys()][index] ?? null,
    get length() {
      return map.size;
    },
  };
}
