/** Major version; `engines` of package.json says the same. */
const OLDEST_NODE = 24

/**
 * Returns what a program says if this Node.js is too old for it; otherwise null. It has to say so before it imports its other modules,
 * because their imports fail with a stack trace.
 */
export function nodeFault(program: string): string | null {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) return null
  return `${program} needs Node.js ${OLDEST_NODE} or later. This is ${process.version}.\n`
}
