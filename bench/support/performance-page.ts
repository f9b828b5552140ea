import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'

const TITLE = `# Performance

For those who choose or tune: each section is written by the command that it names, which measures peers in the same run and prints the values behind the figures. The
measured server has one core, everything else the other; servers take turns. Ratios and CPU times also hold on other machines; absolute rates are those of the named
machine.
`

/**
 * Writes a section into a page: replaces the section of the same name, or appends the section; creates the page if it does not exist. A
 * section is enclosed by two comments with its name.
 */
export function writeSection(page: string, name: string, markdown: string): void {
  const [begin, end] = [`<!-- bench ${name} -->`, `<!-- end of bench ${name} -->`]
  const section = `${begin}\n\n${markdown.trim()}\n\n${end}`
  const before = existsSync(page) ? readFileSync(page, 'utf8') : TITLE
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  const after =
    from === -1 || to < from
      ? `${before.trimEnd()}\n\n${section}\n`
      : `${before.slice(0, from)}${section}${before.slice(to + end.length)}`
  writeFileSync(page, after)
}

/** Returns the machine and the versions of the figures as one line. */
export function describeMachine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const today = new Date().toISOString().slice(0, 10)
  return `${today}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}, ${memory} GiB, Linux ${release()}, Node ${process.version}`
}
