import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createClientAddresses } from '../../../../src/http/connections/client-address.ts'

const read = (trusted: readonly string[], peer: string | undefined, ...forwarded: string[]) =>
  createClientAddresses(trusted).addressOf({
    socket: { remoteAddress: peer },
    headers: forwarded.length === 0 ? {} : { 'x-forwarded-for': forwarded.join(', ') },
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

it('reads each request of a proxy by itself, and several lines as one', async () => {
  const { addressOf } = createClientAddresses(['127.0.0.1', '10.0.0.0/8'])
  const server = createServer((asked, answer) => answer.end(String(addressOf(asked))))
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const ask = async (...lines: readonly string[]) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      headers: lines.length === 0 ? {} : { 'x-forwarded-for': [...lines] },
    })
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
    return (await answer.toArray()).join('')
  }
  for (let time = 0; time < 2; time += 1) {
    expect(await ask('198.51.100.1')).toBe('198.51.100.1')
    expect(await ask('192.0.2.1', '198.51.100.2', '10.1.1.1')).toBe('198.51.100.2')
    expect(await ask('198.51.100.1, 192.0.2.1')).toBe('192.0.2.1')
    expect(await ask()).toBe('null')
    expect(await ask(`${'10.1.1.1, '.repeat(40)}198.51.100.3`)).toBe('198.51.100.3')
  }
})
