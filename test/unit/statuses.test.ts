import { readFileSync } from 'node:fs'
import { buildSchema, getNamedType, isEnumType, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { lookOf, STATUSES, type StatusKind } from '../../packages/pages/src/console/pieces/statuses.ts'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'), { assumeValid: true })

/** Names of fields that say how something is now. */
const FIELD = /^(?:status|state|phase|disposition|availability|identityStatus|problem)(?:Before|After)?$/

describe('a status of the schema', () => {
  it.each(Object.keys(STATUSES) as StatusKind[])('%s has a word, a glyph and a tone for each value', (kind) => {
    const type = schema.getType(kind)
    const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : []
    expect(Object.keys(STATUSES[kind]).toSorted()).toEqual(values.toSorted())
    const glyphs = readFileSync('packages/pages/src/design/sprite.svg', 'utf8')
    for (const value of values) expect(glyphs).toContain(`id="g-${lookOf(kind, value).glyph}"`)
  })

  it('is known, whatever object has it', () => {
    const unknown = Object.values(schema.getTypeMap()).flatMap((type) => {
      if (!isObjectType(type)) return []
      const enums = Object.values(type.getFields()).filter(({ name }) => FIELD.test(name))
      return enums.map(({ type: field }) => getNamedType(field)).filter((field) => isEnumType(field))
    })
    const names = [...new Set(unknown.map(({ name }) => name))]
    expect(names.filter((name) => !(name in STATUSES))).toEqual([])
  })

  it('that is newer than the page shows its raw text', () => {
    expect(lookOf('PayinStatus', 'UNRECOGNISED', 'on_hold')).toMatchObject({ word: 'on_hold', tone: 'over' })
    expect(lookOf('PaymentPhase', 'PAUSED').word).toBe('PAUSED')
  })
})
