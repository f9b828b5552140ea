import { describe, expect, it } from 'vitest'
import { createNetworkCheck, peerName } from '../../../../src/http/connections/client-address.ts'

describe('a peer', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%lo', 'fe80:0:0:0::/64'],
    ['', 'unknown'],
    [undefined, 'unknown'],
    ['192.0.2.7, 192.0.2.8', 'unknown'],
    ['192.0.2.07', 'unknown'],
    ['evil\r\nX: 1', 'unknown'],
    ['a'.repeat(10_000), 'unknown'],
  ])('that comes from %j is counted as %s', (address, name) => {
    expect(peerName(address)).toBe(name)
  })
})

describe('a network', () => {
  const isOurs = createNetworkCheck(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1'])

  it.each(['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8:1::1', '::1'])('has %s', (address) => {
    expect(isOurs(address)).toBe(true)
  })

  it.each(['11.1.2.3', '192.0.2.8', '2001:db9::1', '::2', '', undefined, 'localhost', '10.1.2'])(
    'does not have %s',
    (address) => {
      expect(isOurs(address)).toBe(false)
    },
  )
})
