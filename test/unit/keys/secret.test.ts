import { format, inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/keys/key-ring.ts'

const TEXT = 'kanarie7'
const secret = new Secret(TEXT)

describe('Secret', () => {
  it('gives its text to whoever asks for it by name', () => {
    expect(secret.reveal()).toBe(TEXT)
  })

  it.each<[string, () => string]>([
    ['String', () => String(secret)],
    ['a joined list', () => ['a', secret].join(' ')],
    ['JSON', () => JSON.stringify({ secret, list: [secret] })],
    ['inspect', () => inspect({ secret }, { showHidden: true, depth: 9 })],
    ['format', () => format('%s %o %j', secret, secret, secret)],
    ['an error', () => new Error(`not ${String(secret)}`).message],
  ])('shows a mask through %s', (_name, show) => {
    expect(show()).toContain('[secret]')
    expect(show()).not.toContain(TEXT)
  })

  it('has nothing to be copied or enumerated', () => {
    expect(Object.getOwnPropertyNames(secret)).toEqual([])
    expect(inspect(Object.assign({}, secret))).toBe('{}')
    expect(inspect(structuredClone(secret))).not.toContain(TEXT)
  })
})
