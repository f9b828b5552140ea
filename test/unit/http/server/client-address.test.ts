import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createAddressReader } from '../../../../src/http/server/client-caller.ts'

const read = (trusted: readonly string[], peer: string | undefined, ...forwarded: string[]) =>
  createAddressReader(trusted)({
    socket: { remoteAddress: peer },
    headersDistinct: forwarded.length === 0 ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage)

it.each<[string, string | null, readonly string[], string | undefined, ...string[]]>([
  ['a peer', '203.0.113.7', [], '203.0.113.7'],
  ['a peer that speaks IPv4 over IPv6', '203.0.113.7', [], '::ffff:203.0.113.7'],
  ['a network of IPv6', '2001:db8:1:2::/64', [], '2001:db8:1:2:aaaa::1'],
  ['the same one, written in another way', '2001:db8:1:2::/64', [], '2001:0DB8:0001:0002:bbbb:0:0:2'],
  ['a network of IPv6 whose zeroes are left out', '2001:db8:0:0::/64', [], '2001:db8::5'],
  ['a network of IPv6 with a zone', 'fe80:0:0:0::/64', [], 'fe80::1%eth0'],
  ['a peer that nobody trusts, whatever it says', '203.0.113.7', [], '203.0.113.7', '198.51.100.1'],
  ['who stands behind a proxy', '198.51.100.1', ['203.0.113.7'], '203.0.113.7', '198.51.100.1'],
  ['who stands behind a proxy of a network', '198.51.100.1', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1'],
  ['who stands behind a proxy on IPv6', '198.51.100.1', ['fd00::/8'], 'fd00::1', '198.51.100.1'],
  ['who stands behind two', '198.51.100.1', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1, 10.4.5.6'],
  [
    'the last that a proxy has seen, not what was there before',
    '198.51.100.1',
    ['10.0.0.0/8'],
    '10.1.2.3',
    '10.9.9.9, 192.0.2.1, 198.51.100.1',
  ],
  ['the last, when there are several headers', '198.51.100.1', ['10.0.0.0/8'], '10.1.2.3', '192.0.2.1', '198.51.100.1'],
  ['an address with a port', '198.51.100.1', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1:4711'],
  [
    'an address of IPv6 with brackets and a port',
    '2001:db8:1:2::/64',
    ['10.0.0.0/8'],
    '10.1.2.3',
    '[2001:db8:1:2::9]:4711',
  ],
  ['nobody: a proxy alone', null, ['10.0.0.0/8'], '10.1.2.3'],
  ['nobody: a proxy that names nothing but proxies', null, ['10.0.0.0/8'], '10.1.2.3', '10.4.5.6'],
  ['nobody: a proxy that names what is no address', null, ['10.0.0.0/8'], '10.1.2.3', 'unknown'],
  ['nobody: this machine', null, [], '127.0.0.1'],
  ['nobody: this machine on IPv6', null, [], '::1'],
  ['nobody: a peer that has gone', null, [], undefined],
])('%s', (...[, expected, trusted, peer, ...forwarded]) => expect(read(trusted, peer, ...forwarded)).toBe(expected))
