import type { Writable } from 'node:stream'

/** Where the progress is shown: standard error, so that the output of a command can be redirected without it. */
export type Terminal = Writable & { readonly isTTY?: boolean }

/** Shows how much is done, in percent; `end` removes it. */
export type ProgressBar = { show(percent: number): void; end(): void }

const WIDTH = 30
/** Carriage return, and "erase in line" of ECMA-48: the line is written anew. */
const ANEW = '\r\u001B[K'

/** Returns a bar on a terminal; on anything else nothing is shown. */
export function progressBar(terminal: Terminal): ProgressBar {
  if (terminal.isTTY !== true) return { show() {}, end() {} }
  return {
    show(percent) {
      const filled = Math.round((percent * WIDTH) / 100)
      terminal.write(`${ANEW}[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${percent} %`)
    },
    end: () => void terminal.write(ANEW),
  }
}
