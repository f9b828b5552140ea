import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadTrustedDocuments } from '../../../src/graphql/admission/read-request.ts'

const ONE = 'query One { open }'
const TWO = 'query Two { open }'

function load(content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'payments-documents-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'manifest.json')
  writeFileSync(path, content)
  return loadTrustedDocuments(path)
}

const RELAY = JSON.stringify({ one: ONE, two: TWO })
const APOLLO = JSON.stringify({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [
    { id: 'one', name: 'One', type: 'query', body: ONE },
    { id: 'two', name: 'Two', type: 'query', body: TWO },
  ],
})

describe.each([
  ['Relay', RELAY],
  ['Apollo', APOLLO],
])('a manifest of %s', (_name, manifest) => {
  it('gives a document by its id, or by its own text', () => {
    const { resolve } = load(manifest)
    expect(resolve({ id: 'one', query: null })).toBe(ONE)
    expect(resolve({ id: 'two', query: null })).toBe(TWO)
    expect(resolve({ id: null, query: TWO })).toBe(TWO)
  })

  it('gives nothing else', () => {
    const { resolve } = load(manifest)
    for (const id of ['', 'three', 'One', '__proto__', 'constructor', 'format'])
      expect(resolve({ id, query: null })).toBeNull()
    for (const query of ['', `${ONE} `, 'query One { open secret }', '{ open }'])
      expect(resolve({ id: null, query })).toBeNull()
    expect(resolve({ id: null, query: null })).toBeNull()
  })

  it('gives nothing where id and text do not agree to the letter', () => {
    const { resolve } = load(manifest)
    expect(resolve({ id: 'one', query: ONE })).toBe(ONE)
    for (const query of [TWO, `${ONE} `, ONE.replace(' {', '{'), 'query One { secret }'])
      expect(resolve({ id: 'one', query })).toBeNull()
    expect(resolve({ id: 'three', query: ONE })).toBeNull()
  })
})

describe('a file that is no manifest', () => {
  it.each([
    '[]',
    '1',
    'null',
    '"x"',
    '{"one":1}',
    '{"operations":[]}',
    '{"format":"other","operations":[{"id":"a","body":"b"}]}',
  ])('is refused by the name of its setting: %s', (content) =>
    expect(() => load(content)).toThrow('TRUSTED_DOCUMENTS: the file is neither an Apollo manifest nor a Relay one'),
  )

  it.each(['', '{', '\uFEFF{}'])('is refused when it is not JSON: %j', (content) => {
    expect(() => load(content)).toThrow('TRUSTED_DOCUMENTS: the file cannot be read as JSON')
  })

  it('is refused when it is not there', () => {
    expect(() => loadTrustedDocuments('/nowhere/manifest.json')).toThrow(
      'TRUSTED_DOCUMENTS: the file cannot be read as JSON',
    )
  })
})
