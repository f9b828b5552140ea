import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export type Project = {
  readonly folder: string
  /** Runs a file of the project in a process of its own. */
  run(file: string): Program
}

export type Program = {
  /** Returns the first line of the output that matches. Rejects if the program ends without one. */
  line(matching: RegExp): Promise<string>
  /** Returns the lines of the output so far. */
  lines(): readonly string[]
  /** Sends SIGTERM. */
  terminate(): void
  /** Waits for the end of the program, and returns its whole output. Rejects unless the exit code is 0. */
  output(): Promise<string>
  /** Kills it at once, like a failure of its machine. */
  kill(): Promise<void>
}

const ROOT = resolve(import.meta.dirname, '../..')

/** Returns the files that a guide shows (the code blocks with `file=`), by name. */
export function snippetsOf(guide: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, 'docs/guides', guide), 'utf8')
  const blocks = text.matchAll(/^```\w+ file=(\S+)\n(.*?)^```$/gms)
  return new Map(Array.from(blocks, ([, name = '', code = '']) => [name, code]))
}

/** Creates a folder with every file of a guide and the installed packages. It is removed at the end of the test. */
export function projectOf(guide: string, env: Readonly<Record<string, string>>): Project {
  const folder = mkdtempSync(join(tmpdir(), 'payments-guide-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, code] of snippetsOf(guide)) writeFileSync(join(folder, name), code)
  return { folder, run: (file) => startProgram(folder, file, env, [`--conditions=${CONDITION}`]) }
}

/** Has the packages of this repository resolve to their sources. */
const CONDITION = 'payments-subgraph-source'

const COMPILER = {
  target: 'ES2024',
  module: 'NodeNext',
  customConditions: [CONDITION],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ['node'],
  skipLibCheck: true,
}

/** TypeScript 7, and TypeScript 5, with which most projects compile. */
const COMPILERS = ['node_modules/typescript/bin/tsc', 'packages/client/node_modules/typescript/bin/tsc']

/** Returns the compilers' errors for a project, with strict options as in most projects; empty if there are none. */
export function typeFaults(
  { folder }: Pick<Project, 'folder'>,
  compilerOptions: Readonly<Record<string, unknown>> = {},
): string {
  const settings = { compilerOptions: { ...COMPILER, ...compilerOptions }, include: ['**/*.ts', '**/*.tsx'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  return COMPILERS.map(
    (path) => spawnSync(process.execPath, [join(ROOT, path), '-p', folder], { encoding: 'utf8' }).stdout,
  ).join('')
}

/** Runs a file in a process of its own, which the end of the test kills. */
export function startProgram(
  cwd: string,
  file: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Program {
  const child = spawn(process.execPath, [...flags, file], {
    cwd,
    env: { ...env, PATH: process.env['PATH'] },
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = () => waiting.forEach((look) => look())
  let faults = ''
  child.stderr.on('data', (chunk: Buffer) => (faults += chunk.toString()))
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    wake()
  })
  const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    lines: () => lines,
    line: (matching) =>
      new Promise((found, failed) => {
        const look = () => {
          const line = lines.find((one) => matching.test(one))
          if (line === undefined) return
          waiting.delete(look)
          found(line)
        }
        waiting.add(look)
        void ended.then(() => failed(new Error(`It ended without ${matching}: ${lines.join('\n')}${faults}`)))
        look()
      }),
    terminate: () => void child.kill(),
    async output() {
      const code = await ended
      if (code !== 0) throw new Error(`It ended with ${code}: ${faults}`)
      return lines.join('\n')
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
