import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/keys/key-ring.ts'
import { createSites } from '../../../../src/upstream/client/sites.ts'

const site = (id: string, ...currencies: string[]) => ({ id, appId: `app-${id}`, secretKey: `key-${id}`, currencies })

describe('createSites', () => {
  const sites = createSites([site('au', 'aud'), site('cards', 'AUD', 'NZD'), site('jp', 'JPY')])

  it('finds a site by name and by currency, the first listed before others', () => {
    expect(sites.byId('jp')?.currencies).toEqual(['JPY'])
    expect(sites.byId('nowhere')).toBeNull()
    expect(sites.forCurrency('AUD')?.id).toBe('au')
    expect(sites.forCurrency('AUD', 'cards')?.id).toBe('cards')
    expect(sites.forCurrency('AUD', null)?.id).toBe('au')
    expect(sites.forCurrency('KRW')).toBeNull()
  })

  it('never takes another account than the one asked for', () => {
    expect(sites.forCurrency('AUD', 'jp')).toBeNull()
    expect(sites.forCurrency('AUD', 'nowhere')).toBeNull()
  })

  it('hides the secret key wherever a site is printed', () => {
    for (const printed of [
      JSON.stringify(sites.all),
      inspect(sites.all, { depth: 9, showHidden: true }),
      String(sites.all[0]?.secretKey),
    ])
      expect(printed).toContain('[secret]')
    expect(inspect(sites.all, { depth: 9, showHidden: true })).not.toContain('key-au')
    expect(sites.all[0]?.secretKey.reveal()).toBe('key-au')
  })

  it.each([
    ['no site', []],
    ['two of one name', [site('au', 'AUD'), site('au', 'NZD')]],
    ['an empty name', [site('', 'AUD')]],
    ['no currency', [site('au')]],
    ['a secret with a line break', [{ ...site('au', 'AUD'), secretKey: new Secret('s3cret\r\nx: y') }]],
    ['an app id with a space', [{ ...site('au', 'AUD'), appId: 'app id' }]],
  ])('refuses %s without showing a secret', (_name, settings) => {
    expect(() => createSites(settings)).toThrow(TypeError)
    expect(() => createSites(settings)).not.toThrow(/s3cret/)
  })
})
