import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/glossary.md'), 'utf8')

/** The retired names, from the last column of the table. */
const retired = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .flatMap((line) => [...(line.split('|')[3] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''))

const sources = globSync('{src,packages/*/src}/**/*.{ts,tsx,graphql}', { cwd: root })
  .filter((path) => !path.includes('generated'))
  .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)

it('lists names', () => {
  expect(retired.length).toBeGreaterThan(30)
  expect(sources.length).toBeGreaterThan(300)
})

it.each(retired)('says nothing of %s in the sources', (name) => {
  const word = new RegExp(String.raw`(?<![\w.])${name.replace('.', String.raw`\.`)}(?!\w)`)
  expect(sources.filter(([, text]) => word.test(text)).map(([path]) => path)).toEqual([])
})

it('has each term once', () => {
  const terms = page
    .split('\n')
    .filter((line) => /^\| \w/.test(line))
    .map((line) => line.split('|')[1]?.trim())
  expect(new Set(terms).size).toBe(terms.length)
})
