import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config.ts'

const parsed = (env: Record<string, string>) => {
  const result = parseConfig(env, () => 'k'.repeat(32))
  return result.ok ? result.config.http : result.faults
}

describe('SOCKET_LIMITS', () => {
  const defaults = {
    initMs: 3_000,
    keepAliveMs: 12_000,
    messageBytes: 65_536,
    bufferedBytes: 1_048_576,
    bufferedMs: 10_000,
    streams: 20,
    operationsPerSecond: 50,
    messagesPerSecond: 100,
    bytesPerSecond: 262_144,
    perAddress: 1_000,
    perSubject: 1_000,
    streamsPerToken: 20,
    streamsPerSubject: 10_000,
  }

  it('has its defaults', () => expect(parsed({})).toMatchObject({ socketLimits: defaults }))

  it('replaces what it names', () =>
    expect(parsed({ SOCKET_LIMITS: 'streams=50, perAddress=0' })).toMatchObject({
      socketLimits: { ...defaults, streams: 50, perAddress: 0 },
    }))

  it.each([
    'streams',
    'streams=',
    'streams=-1',
    'streams=1.5',
    'constructor=1',
    'Streams=1',
    'streams=1,',
    'streams=0',
  ])('%s is a fault', (text) => expect(parsed({ SOCKET_LIMITS: text })).toMatchObject([{ setting: 'SOCKET_LIMITS' }]))
})

describe('TRUST_PROXY', () => {
  it('trusts nobody by itself', () => expect(parsed({})).toMatchObject({ limits: { trustProxy: [] } }))

  it('is a list of addresses and networks', () =>
    expect(parsed({ TRUST_PROXY: '10.0.0.0/8, ::1,192.0.2.1' })).toMatchObject({
      limits: { trustProxy: ['10.0.0.0/8', '::1', '192.0.2.1'] },
    }))

  it.each(['true', '*', '10.0.0.0/33', '::1/129', 'proxy.internal', '10.0.0.1,', '10.0.0.0/8/8', '10.0.0.0/'])(
    '%s is a fault',
    (text) => expect(parsed({ TRUST_PROXY: text })).toMatchObject([{ setting: 'TRUST_PROXY' }]),
  )
})
