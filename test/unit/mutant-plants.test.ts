import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLANTS } from '../../scripts/mutants/plants.ts'

const root = join(import.meta.dirname, '../..')

// Checks only that each mutation can be applied. The tests of the mutations take minutes: `npm run test:mutants`.
describe.each(PLANTS)('mutation: $name', ({ edits, tests }) => {
  it.each(edits)('can be applied to $file', ({ file, from }) => {
    expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2)
  })

  it('names tests that exist', () => {
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
