import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { DevelopmentKeysError, loadDevelopmentKeys } from '../../src/dev-keys.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-keys-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const file = (): string => join(folder, 'data', 'dev-keys.json')

describe('loadDevelopmentKeys', () => {
  it('writes nothing until a key is needed', () => {
    loadDevelopmentKeys(join(folder, 'data'))
    expect(readdirSync(folder)).toEqual([])
  })

  it('makes keys that the configuration takes, different ones, for the owner alone', () => {
    const result = parseConfig({}, loadDevelopmentKeys(join(folder, 'data')))
    if (!result.ok || result.config.clients.kind !== 'secret') throw new Error('the development keys were refused')
    const { clients, signingKeys, webhooks } = result.config
    const keys = [...clients.secrets, ...signingKeys, ...webhooks.secrets].map((key) => key.reveal())
    expect(new Set(keys).size).toBe(3)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'data'))).toEqual(['dev-keys.json'])
  })

  it('finds the same keys again, and closes a file that others could read', () => {
    const first = loadDevelopmentKeys(join(folder, 'data'))('JWT_SECRETS')
    chmodSync(file(), 0o644)
    expect(loadDevelopmentKeys(join(folder, 'data'))('JWT_SECRETS')).toBe(first)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it.each(['', '{}', '{"JWT_SECRETS":"kanarie7"}'])('refuses a file with other content: %j', (content) => {
    mkdirSync(join(folder, 'data'))
    writeFileSync(file(), content)
    const load = (): string => loadDevelopmentKeys(join(folder, 'data'))('JWT_SECRETS')
    expect(load).toThrow(DevelopmentKeysError)
    expect(load).toThrow(/Delete it/)
    expect(load).not.toThrow(/kanarie7/)
  })

  it('says which file cannot be written', () => {
    writeFileSync(join(folder, 'data'), '')
    expect(() => loadDevelopmentKeys(join(folder, 'data'))('JWT_SECRETS')).toThrow(/dev-keys\.json \(E\w+\)/)
  })
})
