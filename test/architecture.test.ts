import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { specifiersIn } from './architecture/imports.ts'
import { violations } from './architecture/rules.ts'

const sources = globSync('{src,packages/*/src,examples/*/{page,server}}/**/*.{ts,tsx}').toSorted()

test('the sources keep to the picture of the architecture', () => {
  const texts = new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]))
  expect([...texts.values()].flatMap(specifiersIn).length).toBeGreaterThan(2_000)
  expect(violations(texts)).toStrictEqual([])
})
