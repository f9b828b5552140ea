/** How many lines of a header a request has. Names and values alternate in `rawHeaders`; `name` is in lower case. */
export function countHeaderLines(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) count += 1
  return count
}
