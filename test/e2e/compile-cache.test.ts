import { execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/process.ts'

const MODULE = fileURLToPath(new URL('../../src/compile-cache.ts', import.meta.url))

/**
 * Runs a program that caches compiled code in a folder and imports a module. Returns its output: whether Node could use the folder, and the
 * module's answer.
 */
function run(folder: string, imported: string): string {
  const program = `
    const { cacheCompiledCode } = await import(${JSON.stringify(MODULE)})
    const used = cacheCompiledCode(${JSON.stringify(folder)})
    const { answer } = await import(${JSON.stringify(imported)})
    process.stdout.write(JSON.stringify({ used, answer }))
  `
  const { PATH = '' } = process.env
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8', env: { PATH } })
}

function moduleThatAnswers(answer: number): string {
  const path = join(temporaryFolder(), 'answer.mjs')
  writeFileSync(path, `export const answer = ${answer}\n`)
  return path
}

const cachedIn = (folder: string) =>
  globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())

it('keeps compiled code, runs with it, and never with that of another source', () => {
  const folder = join(temporaryFolder(), 'cache')
  const module = moduleThatAnswers(1)
  expect(run(folder, module)).toBe('{"used":true,"answer":1}')
  expect(cachedIn(folder).length).toBeGreaterThan(0)
  expect(run(folder, module)).toBe('{"used":true,"answer":1}')
  writeFileSync(module, 'export const answer = 2\n')
  expect(run(folder, module)).toBe('{"used":true,"answer":2}')
})

it('runs without a cache where the folder cannot be made', () => {
  const parent = join(temporaryFolder(), 'no-folder')
  writeFileSync(parent, '')
  expect(run(join(parent, 'cache'), moduleThatAnswers(3))).toBe('{"used":false,"answer":3}')
})
